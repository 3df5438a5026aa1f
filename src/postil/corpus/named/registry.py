"""The corpora that postil knows by name.

The named corpora that are JSON Lines: the embedded demo and the arXiv sample.

The entries of RCV1-v2 and OHSUMED, the larger collections of genkin-lewis-madigan-2004.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from postil.corpus.corpus import Corpus, DocumentSource
from postil.corpus.document import Problems
from postil.corpus.files.streams import Source
from postil.corpus.named import distributions
from postil.corpus.named.distributions import Distribution, data_folders, locate
from postil.corpus.named.entry import Choice, NamedCorpus, Switch
from postil.corpus.named.newsgroups import newsgroups
from postil.corpus.named.ohsumed import CATEGORIES, ohsumed
from postil.corpus.named.rcv1 import SIZE, rcv1
from postil.corpus.named.reuters import LABEL_SETS, reuters
from postil.corpus.named.webkb import NO_UNIVERSITY, UNIVERSITIES, webkb
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, UsageError

DEMO = Path(__file__).parent.parent / "data" / "demo.jsonl"


def jsonl_corpus(path: Path) -> DocumentSource:
    """Read a file with the keys id, title, body, labels and split, maybe others."""
    from postil.corpus.formats import jsonl

    columns = ReadOptions(
        id_column="id",
        text_columns={"title": "title", "body": "body"},
        label_column="labels",
        split_column="split",
    )
    return jsonl.read(Source(path), columns).documents


RCV1_TRAIN = 23_149
RCV1_TEST = 781_265

_RCV1_TERMS = (
    "Stems of stories under the copyright of Reuters Ltd., put out of order so that no story can "
    "be rebuilt, published for research. Cite Lewis, Yang, Rose and Li 2004, RCV1: A New "
    "Benchmark Collection for Text Categorization Research."
)
_OHSUMED_TERMS = (
    "Medline references that the National Library of Medicine lets be used for experiments only: "
    "in no clinical, library or other real setting, and whoever sees them must be told that they "
    "are incomplete and out of date. Cite Hersh et al. 1994, OHSUMED."
)


def _rcv1(name: str, title: str, rule: str, test: int, *, sample: bool) -> NamedCorpus:
    return NamedCorpus(
        name=name,
        title=f"RCV1-v2, LYRL2004 split{title}",
        description=(
            "Newswire stories of Reuters from August 1996 to August 1997 as tokens that were "
            "lower-cased, stopped and stemmed by the distributors (one field, body; read it with "
            f"the analyzer whitespace), in 103 topics, one or more each. {rule}"
        ),
        terms=_RCV1_TERMS,
        distribution=distributions.RCV1_V2,
        sizes=frozenset({RCV1_TRAIN + test}),
        opener=partial(rcv1, sample=sample),
    )


LARGE_CORPORA = (
    _rcv1(
        "rcv1-v2",
        "",
        "23,149 training and 781,265 later test documents.",
        RCV1_TEST,
        sample=False,
    ),
    _rcv1(
        "rcv1-v2-sample",
        ", a tenth of the test",
        "23,149 training documents and a fixed random 77,993 of the 781,265 test documents: as "
        "many as in genkin-lewis-madigan-2004, whose own choice was not published.",
        SIZE,
        sample=True,
    ),
    NamedCorpus(
        name="ohsumed",
        title="OHSUMED, Medline 1987 to 1991",
        description=(
            "References of 270 medical journals with title and abstract (as body), labelled with "
            "their MeSH headings: the 233,445 of 348,566 that have all three, 83,944 of 1987 and "
            "1988 for training, 149,501 of 1989 to 1991 for testing. A list of headings beside "
            "the data makes these the only labels."
        ),
        terms=_OHSUMED_TERMS,
        distribution=distributions.OHSUMED,
        sizes=frozenset({233_445}),
        opener=ohsumed,
        options=(
            Choice(
                "categories",
                "which headings are labels: those of categories.txt, where there is one, or all",
                CATEGORIES,
                CATEGORIES[0],
            ),
        ),
    ),
)


def open_named(
    name: str,
    options: ReadOptions | None = None,
    choices: Mapping[str, object] | None = None,
    *,
    path: Path | None = None,
) -> Corpus:
    """Open a corpus by its name, from ``path`` or else from where corpora are kept.

    Of ``options`` only ``on_error`` means something here. ``choices`` are values for what the
    corpus's entry in ``NAMES`` lists as its options; words (``"yes"``) do too.
    """
    corpus = named(name)
    options = options or ReadOptions()
    _check_options(corpus, options)
    source = corpus.read(path if path is not None else find(corpus), choices)
    problems = Problems(options.on_error)
    return Corpus(name, source, problems=problems, description=corpus.description)


def named(name: str) -> NamedCorpus:
    """Look up a corpus by its name."""
    if name not in NAMES:
        raise UsageError(f"there is no corpus called {name!r}; there are: {', '.join(NAMES)}")
    return NAMES[name]


def _check_options(corpus: NamedCorpus, options: ReadOptions) -> None:
    strange = sorted(options.given() | ({"format"} if options.format else set()))
    if strange:
        flags = ", ".join("--" + option.replace("_", "-") for option in strange)
        own = ", ".join(option.name for option in corpus.options) or "none"
        raise UsageError(
            f"{flags} means nothing for {corpus.name}, whose layout is known; its options: {own}"
        )


def find(corpus: NamedCorpus) -> Path:
    """Find the file or folder of a corpus on this computer."""
    if corpus.distribution is None:
        return DEMO
    path = locate(corpus.distribution)
    if path is None:
        places = " or ".join(map(str, data_folders()))
        raise CorpusError(
            f"the corpus {corpus.name} is absent: no {_what(corpus.distribution)} in {places}; "
            f"get it with: postil corpus fetch {corpus.name} (or, from a copy you have, "
            f"postil corpus fetch {corpus.name} --from PATH)"
        )
    return path


def _what(distribution: Distribution) -> str:
    """What a collection is in a data folder: a file, or else a folder of several."""
    if not distribution.holds:
        return distribution.file_name
    return (
        f"{distribution.file_name}, nor a folder {distribution.folder_name} with "
        f"{', '.join(distribution.holds)} (each plain or .gz; see {distribution.homepage}),"
    )


_REUTERS_OPTIONS = (
    Choice("label_set", "the set of categories used as labels", LABEL_SETS, "topics"),
    Switch("unused", "also give the stories that the split leaves out, with no split", False),
    Switch("loose_text", "take text that stands loose in a story into its body", True),
)
_NEWS_OPTIONS = (
    Switch("strip_headers", "leave out all header lines but the subject", True),
    Switch("strip_quotes", "leave out quoted lines and the lines that introduce them", False),
    Switch("strip_signatures", "leave out the signature", False),
)

_REUTERS_TERMS = (
    "Copyright Reuters Ltd. Distributed free of charge for research purposes only. Publications "
    'must name it "Reuters-21578, Distribution 1.0" and say where it can be found.'
)
_NEWS_TERMS = (
    "Usenet articles of 1993, each under its author's copyright; the collection states no "
    "licence and is in general use for research. Cite Lang 1995, NewsWeeder."
)


def _reuters(split: str, title: str, rule: str, size: int) -> NamedCorpus:
    return NamedCorpus(
        name=f"reuters-{split}",
        title=f"Reuters-21578, {title} split",
        description=(
            "Newswire stories of 1987 with title, dateline and body, indexed by Reuters with "
            f"economic topics, several to a story or none. {rule} Other label sets: places, "
            "people, organisations, exchanges."
        ),
        terms=_REUTERS_TERMS,
        distribution=distributions.REUTERS,
        sizes=frozenset({size}),
        opener=partial(reuters, split=split),
        options=_REUTERS_OPTIONS,
    )


_CORPORA = (
    NamedCorpus(
        name="demo",
        title="The demo corpus",
        description=(
            "352 notices, reports and letters of an imaginary local newspaper, with title and body "
            "in twelve overlapping categories, some of them hard cases and some in none; written "
            "for postil and shipped with it, with a fixed train and test split."
        ),
        terms="Part of postil and under its licence (MIT).",
        distribution=None,
        sizes=frozenset({352}),
        opener=jsonl_corpus,
    ),
    _reuters(
        "modapte",
        "ModApte",
        "9,603 training and 3,299 test stories: those whose indexer considered topics. 118 "
        "topics occur, 90 of them in both parts.",
        12_902,
    ),
    _reuters(
        "modlewis",
        "ModLewis",
        "13,625 training and 6,188 test stories: like ModApte, with the stories that were given "
        "no topics at all.",
        19_813,
    ),
    _reuters(
        "modhayes",
        "ModHayes",
        "20,856 training and 722 test stories: the test set of the CONSTRUE experiments.",
        21_578,
    ),
    NamedCorpus(
        name="20news-bydate",
        title="20 Newsgroups, sorted by date",
        description=(
            "Usenet articles of 20 groups, 11,314 for training and 7,532 later ones for testing, "
            "without cross-posts and without the headers that name the group. One label each."
        ),
        terms=_NEWS_TERMS,
        distribution=distributions.NEWS_BYDATE,
        sizes=frozenset({18_846}),
        opener=partial(newsgroups, by_date=True),
        options=_NEWS_OPTIONS,
    ),
    NamedCorpus(
        name="20news-19997",
        title="20 Newsgroups, the original",
        description=(
            "19,997 Usenet articles, about 1,000 from each of 20 groups, cross-posts included "
            "and with all headers, which name the group (they are stripped unless asked for). "
            "One label each, no split."
        ),
        terms=_NEWS_TERMS,
        distribution=distributions.NEWS_19997,
        sizes=frozenset({19_997}),
        opener=partial(newsgroups, by_date=False),
        options=_NEWS_OPTIONS,
    ),
    NamedCorpus(
        name="webkb",
        title="WebKB, the 4 Universities data set",
        description=(
            "8,282 web pages of computer science departments, collected in January 1997 by the "
            "World Wide Knowledge Base project at Carnegie Mellon University, in seven classes: "
            "student, faculty, staff, course, project, department, other. One label each."
        ),
        terms=(
            "Web pages under their authors' copyright; the collection states no licence and is "
            "in general use for research. Cite Craven et al. 1998."
        ),
        distribution=distributions.WEBKB,
        # Copies are about that lack one page of other/wisconsin.
        sizes=frozenset({8_281, 8_282}),
        opener=webkb,
        options=(
            Choice(
                "test_university",
                "test on the pages of this university, train on all others",
                (NO_UNIVERSITY, *UNIVERSITIES),
                NO_UNIVERSITY,
            ),
        ),
    ),
    NamedCorpus(
        name="arxiv-120k",
        title="arXiv titles and abstracts, a sample",
        description=(
            "120,000 papers of 1993 to 2019 with title and abstract (as body), labelled with all "
            "their arXiv categories, 176 in all and about 1.9 a paper: 100,000 before 6 August "
            "2018 for training, 20,000 since for testing. A seeded sample of the metadata that "
            "Geiger archived; the sample itself has no public address."
        ),
        terms="arXiv metadata are CC0. Cite Geiger 2020, doi 10.5281/zenodo.1463242.",
        distribution=distributions.ARXIV_120K,
        sizes=frozenset({120_000}),
        opener=jsonl_corpus,
    ),
    *LARGE_CORPORA,
)

NAMES: dict[str, NamedCorpus] = {corpus.name: corpus for corpus in _CORPORA}

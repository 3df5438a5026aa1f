"""The table of the corpora that postil knows by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from postil.corpus.corpus import Corpus, DocumentSource
from postil.corpus.files.streams import Source
from postil.corpus.named.entry import Distribution, NamedCorpus
from postil.corpus.named.newsgroups import NEWSGROUPS
from postil.corpus.named.ohsumed import OHSUMED
from postil.corpus.named.rcv1 import RCV1
from postil.corpus.named.reuters import REUTERS
from postil.corpus.named.webkb import WEBKB
from postil.corpus.options import ReadOptions, flag
from postil.errors import UsageError


def _read_jsonl(path: Path) -> DocumentSource:
    """Read a file with the keys id, title, body, labels and split, and perhaps others."""
    from postil.corpus.formats import jsonl

    columns = ReadOptions(
        id_column="id",
        text_columns={"title": "title", "body": "body"},
        label_column="labels",
        split_column="split",
    )
    return jsonl.read(Source(path), columns).documents


DEMO = NamedCorpus(
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
    reader=_read_jsonl,
)

ARXIV = NamedCorpus(
    name="arxiv-120k",
    title="arXiv titles and abstracts, a sample",
    description=(
        "120,000 papers of 1993 to 2019 with title and abstract (as body), labelled with all "
        "their arXiv categories, 176 in all and about 1.9 a paper: 100,000 before 6 August "
        "2018 for training, 20,000 since for testing. A seeded sample of the metadata that "
        "Geiger archived; the sample itself has no public address."
    ),
    terms="arXiv metadata are CC0. Cite Geiger 2020, doi 10.5281/zenodo.1463242.",
    distribution=Distribution(
        file_name="arxiv-120k.jsonl.zst",
        other_names=("arxiv-120k.jsonl", "arxiv-120k.jsonl.gz"),
        homepage="https://doi.org/10.5281/zenodo.1463242",
        sha256="50a3fa3ff8c5d7d544be3a446daf45a7191c48b2f35431da88a27ce7565f5119",
    ),
    sizes=frozenset({120_000}),
    reader=_read_jsonl,
)

NAMES: dict[str, NamedCorpus] = {
    corpus.name: corpus for corpus in (DEMO, *REUTERS, *NEWSGROUPS, WEBKB, ARXIV, *RCV1, OHSUMED)
}


def open_named(
    name: str,
    options: ReadOptions | None = None,
    choices: Mapping[str, object] | None = None,
    *,
    path: Path | None = None,
) -> Corpus:
    """Open a corpus by its name, from ``path`` or else from a data folder.

    Parameters
    ----------
    name : str
        A key of ``NAMES``.
    options : ReadOptions, optional
        Only ``on_error`` may be set, since the layout of the corpus is known.
    choices : mapping of str to object, optional
        Values of the corpus's own options; words (``"yes"``) are accepted too.
    path : Path, optional
        A copy at another place.
    """
    corpus = named(name)
    options = options or ReadOptions()
    strange = sorted(options.given() | ({"format"} if options.format else set()))
    if strange:
        own = ", ".join(option.name for option in corpus.options) or "none"
        raise UsageError(
            f"{', '.join(map(flag, strange))} means nothing for {name}, whose layout is known; "
            f"its options: {own}"
        )
    return corpus.open(path if path is not None else corpus.find(), choices, options.on_error)


def named(name: str) -> NamedCorpus:
    """Return the corpus with this name."""
    if name not in NAMES:
        raise UsageError(f"there is no corpus called {name!r}; there are: {', '.join(NAMES)}")
    return NAMES[name]

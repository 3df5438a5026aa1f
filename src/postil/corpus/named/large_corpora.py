"""The entries of RCV1-v2 and OHSUMED, the larger collections of genkin-lewis-madigan-2004."""

from __future__ import annotations

from functools import partial

from postil.corpus.named import distributions
from postil.corpus.named.choices import Choice
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.ohsumed import CATEGORIES, ohsumed
from postil.corpus.named.rcv1 import rcv1
from postil.corpus.named.rcv1_sample import SIZE

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

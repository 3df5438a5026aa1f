"""Raw text to TFxIDF, against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.contest import Contender, contest
from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.harness import Line, Settings, benchmark
from postil import TextVectorizer

REFERENCE = Contender("scikit-learn", TfidfVectorizer)
OURS = (
    Contender("postil, 1 thread", partial(TextVectorizer, n_jobs=1), "≥ 12 × scikit-learn"),
    Contender("postil, 2 threads", partial(TextVectorizer, n_jobs=2)),
)


@benchmark("tfidf", "raw text to a TFxIDF matrix: TextVectorizer against TfidfVectorizer")
def run(settings: Settings) -> Iterator[Line]:
    """Both with their defaults, which mean the same tokens and weights."""
    return on_each_corpus(settings, _measure)


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    return contest(texts, settings, REFERENCE, OURS)

"""Raw text to TFxIDF, against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.contest import Contender, contest
from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.registry import Line, benchmark
from benchmarks.settings import Settings
from benchmarks.spread import digits
from benchmarks.unshared_work import gain_of_two_threads
from postil import TextVectorizer

REFERENCE = Contender("scikit-learn", TfidfVectorizer)
OURS = (
    Contender("postil, 1 thread", partial(TextVectorizer, n_jobs=1), "≥ 12 × scikit-learn"),
    Contender("postil, 2 threads", partial(TextVectorizer, n_jobs=2), "≥ 1.7 × 1 thread"),
)


@benchmark("tfidf", "raw text to a TFxIDF matrix: TextVectorizer against TfidfVectorizer")
def run(settings: Settings) -> Iterator[Line]:
    """Both with their defaults, which mean the same tokens and weights."""
    yield from on_each_corpus(settings, _measure)
    gain = gain_of_two_threads(settings.rounds)
    yield (
        f"Two threads that share nothing at all (each hashes a text of its own) are {gain} × one "
        f"on this machine in this run: {digits(1.7 / gain.median, 2)} of that is the goal of 1.7."
    )


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    return contest(texts, settings, REFERENCE, OURS)

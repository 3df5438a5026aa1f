"""Raw text to TFxIDF of Porter stems, against scikit-learn with PyStemmer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import Stemmer
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.contest import Contender, contest
from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.harness import Line, Settings, benchmark
from postil import TextVectorizer

OUR_SPEC = "words(python) lower min(2) stem(porter)"


class StemmingAnalyzer:
    """The analyzer a careful user of TfidfVectorizer would write: one call for all words."""

    def __init__(self) -> None:
        self._find_words = re.compile(r"(?u)\b\w\w+\b").findall
        self._stem_words = Stemmer.Stemmer("porter").stemWords

    def __call__(self, text: str) -> list[str]:
        """Stem the words of a text."""
        stems: list[str] = self._stem_words(self._find_words(text.lower()))
        return stems


def _scikit_learn() -> TfidfVectorizer:
    return TfidfVectorizer(analyzer=StemmingAnalyzer())


REFERENCE = Contender("scikit-learn + PyStemmer", _scikit_learn)
OURS = (
    Contender(
        "postil, 1 thread",
        partial(TextVectorizer, analyzer=OUR_SPEC, n_jobs=1),
        "≥ 8 × scikit-learn",
    ),
    Contender("postil, 2 threads", partial(TextVectorizer, analyzer=OUR_SPEC, n_jobs=2)),
)


@benchmark("stemming", "the same with Porter stems: against TfidfVectorizer with PyStemmer")
def run(settings: Settings) -> Iterator[Line]:
    """Both through PyStemmer, so that stems are the same."""
    return on_each_corpus(settings, _measure)


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    return contest(texts, settings, REFERENCE, OURS)

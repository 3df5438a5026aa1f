"""The time from one text to its vector, once everything is warm."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.corpora import REUTERS, texts_of
from benchmarks.harness import (
    CALLS_IN_A_TURN,
    Cell,
    Line,
    Settings,
    Spread,
    benchmark,
    check_equal,
    latencies,
)
from postil import TextVectorizer
from postil.errors import CorpusError

REFERENCE = "scikit-learn"
OURS = "postil TextVectorizer"


@benchmark("one-document", "transform of one Reuters story of median length, microseconds")
def run(settings: Settings) -> Iterator[Line]:
    """Contenders take turns of a hundred calls; p50 and p99 are over single calls."""
    try:
        texts = texts_of(REUTERS, settings.documents).held
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    story = sorted(texts, key=len)[len(texts) // 2]
    theirs, ours = TfidfVectorizer().fit(texts), TextVectorizer().fit(texts)
    check_equal(
        (ours.transform([story]), ours.get_feature_names_out()),
        (theirs.transform([story]), theirs.get_feature_names_out()),
    )
    contenders = {
        REFERENCE: partial(theirs.transform, [story]),
        OURS: partial(ours.transform, [story]),
    }
    turns = 10 if settings.quick else 50
    microseconds = latencies(contenders, turns)
    medians = {name: np.median(times, axis=1) for name, times in microseconds.items()}
    for name, times in microseconds.items():
        row: dict[str, Cell] = {
            "contender": name,
            "p50 µs": float(np.median(times)),
            "p99 µs": float(np.percentile(times, 99)),
            "p50 of a turn, µs": Spread.of(medians[name].tolist()),
        }
        if name != REFERENCE:
            row[f"× {REFERENCE}"] = Spread.of_ratios(
                medians[REFERENCE].tolist(), medians[name].tolist()
            )
            row["goal"] = "p50 < 50 µs"
        yield row
    yield f"The story has {len(story)} characters; {turns} turns of {CALLS_IN_A_TURN} calls."

"""Two threads against one, on the road from raw text to TFxIDF."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.registry import Line, benchmark
from benchmarks.settings import Settings
from benchmarks.spread import Spread
from benchmarks.timing import interleaved
from benchmarks.unshared_work import UnsharedWork
from postil import TextVectorizer

# A turn takes some hundredths of a second, and the machine's other guests disturb many of them.
TURNS_A_ROUND = 8


@benchmark("threads", "raw text to a TFxIDF matrix: two threads against one")
def run(settings: Settings) -> Iterator[Line]:
    """Both in turns, and beside them in the same turns two threads that share nothing at all."""
    yield from on_each_corpus(settings, _measure)
    yield (
        "Unshared are two threads that share nothing at all: each hashes a text of its own, in its "
        "core's own cache."
    )


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    with UnsharedWork() as unshared:
        seconds = interleaved(
            {
                "one": partial(_vectorize, texts, 1),
                "two": partial(_vectorize, texts, 2),
                "unshared, one": unshared.one_after_the_other,
                "unshared, two": unshared.side_by_side,
            },
            settings.rounds * TURNS_A_ROUND,
        )
    yield {
        "corpus": f"{texts.title}, {texts.megabytes:.1f} MB",
        "turns": str(len(seconds["one"])),
        "1 thread, seconds": Spread.of(seconds["one"]),
        "2 threads, seconds": Spread.of(seconds["two"]),
        "× 1 thread": Spread.of_ratios(seconds["one"], seconds["two"]),
        "unshared × 1 thread": Spread.of_ratios(seconds["unshared, one"], seconds["unshared, two"]),
        "goal": "≥ 1.7 × 1 thread",
    }


def _vectorize(texts: Texts, threads: int) -> object:
    return TextVectorizer(n_jobs=threads).fit_transform(texts.held)

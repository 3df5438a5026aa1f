"""Two threads against one, on the road from raw text to TFxIDF."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.harness import Line, Settings, Spread, benchmark, interleaved
from benchmarks.lone_workers import LoneWorkers
from postil import TextVectorizer

# A turn takes some hundredths of a second, and the machine's other guests disturb many of them:
# medians of a third as many turns differed by 0.07 from run to run.
TURNS_A_ROUND = 24


@benchmark("threads", "raw text to a TFxIDF matrix: two threads against one")
def run(settings: Settings) -> Iterator[Line]:
    """Both in turns, and beside them in the same turns two processes that share nothing at all."""
    yield from on_each_corpus(settings, _measure)
    yield (
        "Two processes make a matrix each, on one thread: how much more they do than one of them "
        "alone in the same time is what the machine gives to two threads that neither wait for "
        "each other nor do anything twice."
    )


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    with LoneWorkers(_on_one_thread, texts.held) as workers:
        seconds = interleaved(
            {
                "one": partial(_vectorize, 1, texts.held),
                "two": partial(_vectorize, 2, texts.held),
                "alone": workers.alone,
                "side by side": workers.side_by_side,
            },
            settings.rounds * TURNS_A_ROUND,
        )
    yield {
        "corpus": f"{texts.title}, {texts.megabytes:.1f} MB",
        "turns": str(len(seconds["one"])),
        "1 thread, seconds": Spread.of(seconds["one"]),
        "2 threads, seconds": Spread.of(seconds["two"]),
        "× 1 thread": Spread.of_ratios(seconds["one"], seconds["two"]),
        "2 processes × 1": Spread.of_ratios(
            [2 * alone for alone in seconds["alone"]], seconds["side by side"]
        ),
        "goal": "≥ 1.7 × 1 thread",
    }


def _vectorize(threads: int, texts: list[str]) -> object:
    return TextVectorizer(n_jobs=threads).fit_transform(texts)


_on_one_thread = partial(_vectorize, 1)

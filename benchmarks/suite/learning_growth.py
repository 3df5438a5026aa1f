"""Growth of the training time with documents and categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import liblinear_peer
from benchmarks.growth_plot import Curve, plot
from benchmarks.harness import Image, Line, Settings, Spread, Task, benchmark, digits, interleaved
from benchmarks.learning import Aim, Lesson, learn, reuters_lesson
from benchmarks.liblinear_peer import ALGORITHMS, Liblinear
from benchmarks.suite.growth import slope
from postil.errors import CorpusError
from postil.learn.job import Design

FILE = "learning-growth.svg"
SHARES = (0.125, 0.25, 0.5, 1.0)
LOSS = "modified-squared"
TOLERANCE = 1e-3
ROUNDS = 5
ROUNDS_WHEN_QUICK = 2


@dataclass(frozen=True, slots=True)
class Sweep:
    """One quantity that grows while the other stays: how to take a share, how to read it."""

    axis: str
    share: Callable[[Lesson, float], Lesson]
    size: Callable[[Lesson], int]


def _documents(lesson: Lesson, share: float) -> Lesson:
    kept = slice(0, int(share * lesson.matrix.shape[0]))
    # Only categories that stay learnable, so that their number is the same for every share.
    least = slice(0, int(SHARES[0] * lesson.matrix.shape[0]))
    present = np.flatnonzero(np.asarray(lesson.labels.members[least].sum(axis=0)).ravel())
    return lesson.of(kept, present)


def _categories(lesson: Lesson, share: float) -> Lesson:
    # Every eighth by size, every fourth, …: large and small ones alike.
    by_size = np.argsort(-lesson.labels.sizes(), kind="stable")
    return lesson.of(slice(None), by_size[:: round(1 / share)])


SWEEPS = (
    Sweep("documents", _documents, lambda lesson: int(lesson.matrix.shape[0])),
    Sweep("categories", _categories, lambda lesson: len(lesson.labels)),
)


@benchmark("learning-growth", "how the time of learning grows with documents and categories")
def run(settings: Settings) -> Iterator[Line]:
    """Shares of Reuters; the slope in double logarithms is the exponent."""
    try:
        lesson = reuters_lesson(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    curves = []
    for sweep in SWEEPS:
        sizes: list[int] = []
        medians: dict[str, list[float]] = {}
        for share in SHARES:
            part = sweep.share(lesson, share)
            rounds = ROUNDS_WHEN_QUICK if settings.quick else ROUNDS
            seconds = interleaved(_tasks(part), rounds)
            sizes.append(sweep.size(part))
            for name, own in seconds.items():
                medians.setdefault(name, []).append(Spread.of(own).median)
            yield {
                "growing": sweep.axis,
                "documents": int(part.matrix.shape[0]),
                "categories": len(part.labels),
                "non-zeros": int(part.matrix.nnz),
                **{f"{name}, seconds": Spread.of(own) for name, own in seconds.items()},
            }
        slopes = {name: slope(sizes, seconds) for name, seconds in medians.items()}
        yield (
            f"Slope in {sweep.axis}, double logarithms: "
            + ", ".join(f"{name} {digits(value)}" for name, value in slopes.items())
            + "."
        )
        curves.append(Curve(sweep.axis, sizes, medians, slopes))
    yield (
        f"Loss {LOSS}, dual solvers on one thread, each with its own form of the matrix made "
        f"before; LIBLINEAR at its default tolerance, postil at {TOLERANCE:g}, about where both "
        "reach the same objective. A slope of 1 is linear."
    )
    if settings.plots is not None:
        caption = "Time of learning against size, double logarithms"
        yield Image(plot(curves, settings.plots, FILE), caption)


def _tasks(lesson: Lesson) -> dict[str, Task]:
    design, aim = Design(lesson.matrix), Aim(LOSS)
    tasks: dict[str, Task] = {}
    if liblinear_peer.is_installed():
        peer, signs = Liblinear(lesson.matrix), lesson.signs()
        tasks["LIBLINEAR"] = lambda: peer.learn(signs, ALGORITHMS[LOSS, "dual"])
    tasks["postil"] = lambda: learn(design, lesson.labels, aim, "dual-coordinate", TOLERANCE)
    return tasks

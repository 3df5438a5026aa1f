"""Growth of the time from text to TFxIDF with documents, tokens and vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.growth_plot import Curve, plot
from benchmarks.harness import Image, Line, Settings, Spread, Task, benchmark, digits, interleaved
from benchmarks.zipf import Shape, zipf_texts
from postil import TextVectorizer

MIDDLE = Shape(documents=8_000, length=200, dictionary=50_000)
MIDDLE_WHEN_QUICK = Shape(documents=400, length=100, dictionary=5_000)
FACTORS = (0.25, 0.5, 1, 2, 4)
ROUNDS = 5
ROUNDS_WHEN_QUICK = 2


@dataclass(frozen=True, slots=True)
class Sweep:
    """One quantity that grows while the others stay: how to scale it, how to read it."""

    axis: str
    scaled: Callable[[Shape, float], Shape]
    size: Callable[[Shape, int], int]


SWEEPS = (
    Sweep(
        "documents",
        lambda shape, by: replace(shape, documents=int(shape.documents * by)),
        lambda shape, _: shape.documents,
    ),
    Sweep(
        "tokens in a document",
        lambda shape, by: replace(shape, length=int(shape.length * by)),
        lambda shape, _: shape.length,
    ),
    Sweep(
        "terms in the vocabulary",
        # Zipf's law leaves most of a large dictionary undrawn: it takes wider steps.
        lambda shape, by: replace(shape, dictionary=int(shape.dictionary * by * by)),
        lambda _, terms: terms,
    ),
)

CONTENDERS: Mapping[str, Callable[[], TextVectorizer | TfidfVectorizer]] = {
    "scikit-learn": TfidfVectorizer,
    "postil": lambda: TextVectorizer(n_jobs=1),
}


@benchmark("growth", "how time grows with documents, tokens and vocabulary; text made up by Zipf")
def run(settings: Settings) -> Iterator[Line]:
    """Sweep one quantity at a time; the slope in double logarithms is the exponent."""
    curves = []
    for sweep in SWEEPS:
        sizes: list[int] = []
        medians: dict[str, list[float]] = {name: [] for name in CONTENDERS}
        for factor in FACTORS:
            shape = sweep.scaled(MIDDLE_WHEN_QUICK if settings.quick else MIDDLE, factor)
            terms, seconds = _measure(shape, settings)
            sizes.append(sweep.size(shape, terms))
            for name, spread in seconds.items():
                medians[name].append(spread.median)
            yield {
                "growing": sweep.axis,
                "documents": shape.documents,
                "tokens": shape.documents * shape.length,
                "terms": terms,
                **{f"{name}, seconds": spread for name, spread in seconds.items()},
            }
        slopes = {name: slope(sizes, seconds) for name, seconds in medians.items()}
        yield (
            f"Slope in {sweep.axis}, double logarithms: "
            + ", ".join(f"{name} {digits(value)}" for name, value in slopes.items())
            + "."
        )
        curves.append(Curve(sweep.axis, sizes, medians, slopes))
    yield (
        "A slope of 1 is linear. Where the vocabulary grows, tokens stay as many: a slope "
        "between 0 and 1 is what distinct terms cost beyond their tokens. Both on one thread."
    )
    if settings.plots is not None:
        yield Image(plot(curves, settings.plots), "Time against size, double logarithms")


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fit the exponent b of seconds = a · sizeᵇ by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _measure(shape: Shape, settings: Settings) -> tuple[int, dict[str, Spread]]:
    texts = zipf_texts(shape)
    terms = TextVectorizer().fit_transform(texts).shape[1]
    tasks = {name: _task(make, texts) for name, make in CONTENDERS.items()}
    rounds = ROUNDS_WHEN_QUICK if settings.quick else ROUNDS
    seconds = interleaved(tasks, rounds)
    return terms, {name: Spread.of(times) for name, times in seconds.items()}


def _task(make: Callable[[], TextVectorizer | TfidfVectorizer], texts: list[str]) -> Task:
    return lambda: make().fit_transform(texts)

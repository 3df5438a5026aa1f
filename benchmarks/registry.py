"""What a benchmark is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.settings import Settings
from benchmarks.spread import Spread

Cell = str | int | float | Spread
Row = Mapping[str, Cell]
"""A line of the table; the keys are its headings, units included."""


@dataclass(frozen=True, slots=True)
class Image:
    """A plot that belongs to the table."""

    path: Path
    caption: str


Line = Row | Image | str
"""What a benchmark yields: rows, plots, and remarks that stand below the table."""

Run = Callable[[Settings], Iterator[Line]]


class UnequalError(AssertionError):
    """Contenders that should agree do not: their times cannot be compared."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A comparison with a name."""

    name: str
    summary: str
    run: Run


BENCHMARKS: dict[str, Benchmark] = {}


def benchmark(name: str, summary: str) -> Callable[[Run], Run]:
    """Put a function into the list of benchmarks."""

    def register(run: Run) -> Run:
        BENCHMARKS[name] = Benchmark(name, summary, run)
        return run

    return register

"""The parts that benchmarks share: registry, settings, timing, memory and spreads."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that the command line gives to every benchmark.

    ``quick`` shows in seconds that everything works; its numbers mean little. ``plots`` is the
    folder plots are written to, if any.
    """

    quick: bool = False
    plots: Path | None = None

    @property
    def rounds(self) -> int:
        """The number of turns of each contender."""
        return 3 if self.quick else 9

    @property
    def processes(self) -> int:
        """The number of fresh processes of a memory measurement."""
        return 1 if self.quick else 3

    @property
    def documents(self) -> int | None:
        """The number of documents of a corpus to use; None for all."""
        return 1000 if self.quick else None


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of repeated measurements, with the least and the greatest."""

    median: float
    least: float
    greatest: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise measurements."""
        return cls(median(values), min(values), max(values), len(values))

    @classmethod
    def of_ratios(cls, above: Sequence[float], below: Sequence[float]) -> Spread:
        """Summarise above/below, round by round: drift of the machine cancels out."""
        return cls.of([a / b for a, b in zip(above, below, strict=True)])

    def as_dict(self) -> dict[str, float | int]:
        """Return the numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        if self.runs == 1:
            return digits(self.median)
        return f"{digits(self.median)} ({digits(self.least)}–{digits(self.greatest)})"


def digits(number: float, significant: int = 3) -> str:
    """Write a number with three significant digits, without an exponent."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = significant - 1 - math.floor(math.log10(abs(number)))
    return f"{round(number, decimals):,.{max(0, decimals)}f}"


Cell = str | int | float | Spread
Row = Mapping[str, Cell]
"""A line of the table; the keys are its headings, units included."""


@dataclass(frozen=True, slots=True)
class Image:
    """A plot that belongs to the table."""

    path: Path
    caption: str


Line = Row | Image | str
"""A benchmark yields rows, plots, and remarks that follow the table."""

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


Task = Callable[[], object]


def interleaved(tasks: Mapping[str, Task], rounds: int) -> dict[str, list[float]]:
    """Run every task once a round, A B A B …, and return the seconds of each.

    Garbage is collected before each turn, so nobody cleans up after another; what a task
    returns is let go after its clock has stopped.
    """
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            seconds[name].append(seconds_of(task))
    return seconds


def seconds_of(task: Task) -> float:
    """Run a task once and return the seconds it took."""
    gc.collect()
    begin = perf_counter()
    result = task()
    end = perf_counter()
    del result
    return end - begin


CALLS_IN_A_TURN = 100
WARM_UP_TURNS = 3


def latencies(
    tasks: Mapping[str, Task], turns: int, calls: int = CALLS_IN_A_TURN
) -> dict[str, NDArray[np.float64]]:
    """The microseconds of every call, turns × calls, once everything is warm."""
    times: dict[str, list[list[float]]] = {name: [] for name in tasks}
    for _ in range(WARM_UP_TURNS + turns):
        for name, task in tasks.items():
            times[name].append(_turn(task, calls))
    return {name: np.asarray(turn[WARM_UP_TURNS:]) for name, turn in times.items()}


def _turn(task: Task, calls: int) -> list[float]:
    microseconds = []
    for _ in range(calls):
        begin = perf_counter_ns()
        task()
        microseconds.append((perf_counter_ns() - begin) / 1e3)
    return microseconds


def run_module(name: str, arguments: list[str]) -> bytes:
    """Run ``python -m name`` and return what it prints."""
    finished = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return finished.stdout


def environment() -> dict[str, str]:
    """Return an environment in which a process finds the same modules as this one."""
    search = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": search}


_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def start_memory() -> int:
    """Forget the peak so far and return the bytes held now.

    Where the system cannot forget a peak (all but Linux) this is the peak so far: growth is
    then understated by whatever was let go before.
    """
    gc.collect()
    _give_back_free_memory()
    try:
        _CLEAR.write_text(_RESET_PEAK, encoding="ascii")
    except OSError:
        return peak_memory()
    return _from_status("VmRSS")


def peak_memory() -> int:
    """Return the largest number of bytes held since the start."""
    return _from_status("VmHWM") if _STATUS.exists() else _from_usage()


def _from_status(key: str) -> int:
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return _from_usage()


def _from_usage() -> int:
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def _give_back_free_memory() -> None:
    # Memory that the allocator keeps for later would hide growth that fits into it.
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


TOLERANCE = 1e-6


Named = tuple[Any, Iterable[str]]
"""A matrix and the names of its columns."""


def check_equal(ours: Named, theirs: Named) -> float:
    """Return the largest difference of two matrices, at most ``TOLERANCE``."""
    (our_matrix, our_names), (their_matrix, their_names) = ours, theirs
    their_names = list(their_names)
    column_of = {name: column for column, name in enumerate(our_names)}
    if column_of.keys() != set(their_names):
        only_ours = _some(column_of.keys() - set(their_names))
        only_theirs = _some(set(their_names) - column_of.keys())
        raise UnequalError(f"terms differ: only ours {only_ours}, only theirs {only_theirs}")
    if our_matrix.shape != their_matrix.shape:
        raise UnequalError(f"shapes differ: {our_matrix.shape} and {their_matrix.shape}")
    reordered = our_matrix[:, np.asarray([column_of[name] for name in their_names])]
    difference = float(abs(reordered - their_matrix).max())
    if not difference <= TOLERANCE:
        raise UnequalError(f"weights differ by {difference:.2g}, more than {TOLERANCE:g}")
    return difference


def _some(terms: Iterable[str]) -> str:
    return ", ".join(map(repr, islice(sorted(terms), 5))) or "none"

"""The time of single calls: contenders take turns of many calls each."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Task

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

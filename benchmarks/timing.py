"""Contenders that take turns."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

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

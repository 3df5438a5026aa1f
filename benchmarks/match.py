"""Solvers that reach the same objective, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.harness import Cell, Spread, Task, UnequalError
from benchmarks.learning import Aim, Floats

AGREEMENT = 1e-6


@dataclass
class Match:
    """One thing to minimise: what the reference reaches, and everybody's turn.

    ``heading`` is what the rows begin with, ``goal`` the objectives that the others are to reach.
    """

    heading: Mapping[str, Cell]
    aim: Aim
    reference: str
    optimum: Floats
    goal: Floats
    tasks: dict[str, Task] = field(default_factory=dict)
    reached: dict[str, tuple[str, Floats]] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse a reference that is below what should be the minimum."""
        if (self.goal < self.optimum * (1 - AGREEMENT)).any():
            raise UnequalError(f"{self.aim.loss}: {self.reference} is below a certified minimum")

    def enter(self, name: str, task: Task, tolerance: str, objectives: Floats) -> None:
        """Let somebody take part."""
        self.tasks[name] = task
        self.reached[name] = (tolerance, objectives)

    def row(self, name: str, seconds: Sequence[float]) -> dict[str, Cell]:
        """Return a contender's tolerance, what it reached, and the seconds of its turns."""
        tolerance, objectives = self.reached[name]
        excess = objectives / self.optimum - 1
        return {
            **self.heading,
            "contender": name,
            "tolerance": tolerance,
            "excess": f"{objectives.sum() / self.optimum.sum() - 1:.0e}",
            "median": f"{np.median(excess):.0e}",
            "worst": f"{excess.max():.0e}",
            "seconds": Spread.of(seconds),
        }

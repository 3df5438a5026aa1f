"""The tolerance at which a solver reaches what another one has reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning import Aim, Floats, Lesson, learn, weights_of
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Labels

LADDER = tuple(10.0 ** (-step / 4) for step in range(1, 33))
"""Tolerances from 0.6 to 1e-8, four to a power of ten."""
LOOSENESS = {"newton-coordinate": 1e4}
USUAL_LOOSENESS = 300.0
"""No solver is further below its tolerance than this; looser tolerances need no trial."""

Lagging = Callable[[Floats, Floats], NDArray[np.bool_]]
"""Return the categories that must improve, from the objectives reached and their goals."""


def total(reached: Floats, goal: Floats) -> NDArray[np.bool_]:
    """All of them, while their sum is above the goals' sum: one tolerance for all."""
    return np.full(len(goal), reached.sum() > goal.sum())


def each(reached: Floats, goal: Floats) -> NDArray[np.bool_]:
    """Return the categories above their own goals: each has its own tolerance."""
    return reached > goal


def first_rungs(
    goal: Floats, optimum: Floats, lagging: Lagging, looseness: float
) -> NDArray[np.int64]:
    """Return the first rung of each category, by how far its goal is above the optimum."""
    excess = goal / optimum - 1
    if lagging is total:
        excess = np.full(len(goal), goal.sum() / optimum.sum() - 1)
    within = np.asarray(LADDER)[:, None] > looseness * excess
    rungs: NDArray[np.int64] = np.minimum(within.sum(axis=0), len(LADDER) - 1)
    return rungs


def loosest(reach: Callable[[float], Floats], goal: float) -> tuple[float, Floats] | None:
    """The loosest tolerance of the ladder at which the sum of objectives is not above the goal.

    For a peer whose fits take their time: by halving, so that a tighter tolerance is trusted to
    reach no more. ``reach`` gives the objectives at a tolerance. Also what is reached then.
    """
    found: tuple[float, Floats] | None = None
    low, high = 0, len(LADDER)
    while low < high:
        middle = (low + high) // 2
        reached = reach(LADDER[middle])
        if reached.sum() <= goal:
            found, high = (LADDER[middle], reached), middle
        else:
            low = middle + 1
    return found


@dataclass(frozen=True)
class Learner:
    """A solver of postil at work on a lesson."""

    lesson: Lesson
    design: Design
    aim: Aim
    solver: str

    def weights(self, plan: Plan) -> Floats:
        """Categories × terms, the intercept last."""
        weights = np.zeros((len(self.lesson.labels), self.design.terms + 1))
        for found, (_, chosen, _) in zip(self.learn(plan), plan.groups, strict=True):
            weights[chosen] = weights_of(found)
        return weights

    def learn(self, plan: Plan, threads: int = 1) -> list[LinearFit]:
        """Learn all categories, those that share a tolerance in one call."""
        return [
            learn(self.design, labels, self.aim, self.solver, tolerance, threads)
            for tolerance, _, labels in plan.groups
        ]

    def plan_to_reach(
        self, goal: Floats, optimum: Floats, lagging: Lagging
    ) -> tuple[Plan, Floats] | None:
        """Step down the ladder until nobody lags; also what is reached then."""
        looseness = LOOSENESS.get(self.solver, USUAL_LOOSENESS)
        rungs = first_rungs(goal, optimum, lagging, looseness)
        while rungs.max() < len(LADDER):
            plan = Plan.of(rungs, self.lesson.labels)
            reached = self.lesson.objectives(self.aim, self.weights(plan))
            behind = lagging(reached, goal)
            if not behind.any():
                return plan, reached
            rungs = rungs + behind
        return None


@dataclass(frozen=True)
class Plan:
    """Tolerances, with the places of the categories that share one, and their labels."""

    groups: list[tuple[float, NDArray[np.int64], Labels]]

    @classmethod
    def of(cls, rungs: NDArray[np.int64], labels: Labels) -> Plan:
        """A plan by each category's place on the ladder."""
        groups = []
        for rung in np.unique(rungs):
            chosen = np.flatnonzero(rungs == rung)
            names = tuple(labels.names[category] for category in chosen)
            groups.append((LADDER[rung], chosen, Labels(names, labels.members[:, chosen])))
        return cls(groups)

    def __str__(self) -> str:
        loosest, tightest = self.groups[0][0], self.groups[-1][0]
        return f"{tightest:.1g}" if tightest == loosest else f"{loosest:.1g} to {tightest:.1g}"

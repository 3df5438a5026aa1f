"""Thresholds, one per category, tuned to the scores of training documents.

What a category gets whose scores are too poor to tune on (SCut.fbr, Yang 2001).

Of a rare category's few members most score like the crowd, and the cut that looks best among
them may accept half of all documents. Where the best F1 any cut reaches is below the floor
``fbr``, no cut is trusted. Accepting everything has an F1 of 2π/(1 + π) for a category with the
share π of the documents, so with a floor of 0.3 only categories under 18 % can fall back.

The best F1 judges the category also where something else is tuned for: it says how far the
scores can be trusted, whatever the wish. A stated precision that no cut reaches falls back at
any floor; a stated recall is not kept for a category that falls back.

``few`` looks at the number of members alone: learners that train for a measure put the threshold
of a rare category where few members say more than a cut of their scores would.

Thresholds of all categories, tuned together for the F-beta of their counts added up.

With F the best value there is, the cuts that reach it have the most
``(1 + β²)·found - F·(accepted + β²·members)``, and that is a sum over categories: each is cut for
itself, with the same price ``F / (1 + β² - F)`` of a document wrongly accepted. F is found from
below: cut by the F so far, take the F of these cuts, and again until it rises no more (Dinkelbach's
way with ratios). A handful of rounds does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.decide.calibrators import State
from postil.decide.cuts import HIGHEST_NET, Cuts, Objective
from postil.decide.evidence import TrainingSet


@dataclass(frozen=True, slots=True)
class FallbackKind:
    """When a category falls back, by its number, and to which threshold."""

    meaning: str
    least: float
    most: float
    distrusts: Callable[[Cuts, float], bool]
    threshold: Callable[[Cuts], float]
    whole: bool = False


def _is_poor(cuts: Cuts, floor: float) -> bool:
    return float(cuts.f1.max()) < floor


def _has_few(cuts: Cuts, enough: float) -> bool:
    return cuts.members < enough


def _infinite(cuts: Cuts) -> float:  # noqa: ARG001 - whatever the cuts are
    return float(np.inf)


def _highest_score(cuts: Cuts) -> float:
    return float(cuts.levels[0])


def _untuned(cuts: Cuts) -> float:  # noqa: ARG001
    return 0.0


FALLBACKS: dict[str, FallbackKind] = {
    # SCutFBR.0: the category is never given.
    "fbr.0": FallbackKind("the floor of F1", 0, 1, _is_poor, _infinite),
    # SCutFBR.1: only to a document that scores as high as the highest seen out of fold.
    "fbr.1": FallbackKind("the floor of F1", 0, 1, _is_poor, _highest_score),
    # A category of so few members keeps the threshold it was trained for.
    "few": FallbackKind("a number of members", 1, 2**31 - 1, _has_few, _untuned, whole=True),
}
DEFAULT_FLOOR = 0.3


@dataclass(frozen=True, slots=True)
class Fallback:
    """A kind of ``FALLBACKS`` and its number; an F1 floor of 0 trusts every category."""

    kind: str = "fbr.1"
    floor: float = DEFAULT_FLOOR

    def distrusts(self, cuts: Cuts) -> bool:
        """Say whether the category is not to be tuned."""
        return FALLBACKS[self.kind].distrusts(cuts, self.floor)

    def threshold(self, cuts: Cuts) -> float:
        """Give the threshold in place of a tuned one."""
        return FALLBACKS[self.kind].threshold(cuts)


States = NDArray[np.uint8]
# What a category without members, or without others, gets: never, always.
CONSTANT_THRESHOLDS = {State.NO_MEMBERS: np.inf, State.ALL_MEMBERS: -np.inf}


def constant_categories(training: TrainingSet) -> States:
    """Find the categories that no document, or every document, is in; the rest is FITTED."""
    sizes = np.diff(training.truth.indptr)
    states = np.full(training.categories, State.FITTED, dtype=np.uint8)
    states[sizes == len(training.weights)] = State.ALL_MEMBERS
    # With no documents at all, a category has no members either.
    states[sizes == 0] = State.NO_MEMBERS
    return states


def constant_thresholds(states: States, otherwise: float = 0.0) -> Floats:
    """Give +inf and -inf to the constant categories and ``otherwise`` to the others."""
    thresholds = np.full(len(states), otherwise)
    for state, value in CONSTANT_THRESHOLDS.items():
        thresholds[states == state] = value
    return thresholds


def tuned_thresholds(
    training: TrainingSet, objective: Objective, target: float, fallback: Fallback | None
) -> tuple[Floats, States]:
    """Tune each category for itself; O(n log n) for each category of n documents.

    Memory beyond the scores is a few arrays of n.
    """
    states = constant_categories(training)
    thresholds = constant_thresholds(states)
    for category in np.flatnonzero(states == State.FITTED).tolist():
        cuts = Cuts.of(
            training.scores[:, category].copy(), training.members(category), training.weights
        )
        thresholds[category], states[category] = _tuned(cuts, objective, target, fallback)
    return thresholds, states


def _tuned(
    cuts: Cuts, objective: Objective, target: float, fallback: Fallback | None
) -> tuple[float, State]:
    best = objective.best_cut(cuts, target)
    if fallback is not None and (best is None or fallback.distrusts(cuts)):
        return fallback.threshold(cuts), State.FALLBACK
    # Without a fallback the objective always has a best cut: only a stated precision may not.
    assert best is not None
    return cuts.threshold(best), State.FITTED


MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The cuts of a category that may be best: nothing, and those that end with a member."""

    found: Floats
    accepted: Floats
    members: float

    @classmethod
    def of(cls, cuts: Cuts, fallback: Fallback | None) -> _Candidates:
        if fallback is not None and fallback.distrusts(cuts):
            level = fallback.threshold(cuts)
            last = int(np.count_nonzero(cuts.levels >= level))
            chosen = np.array([last])
        else:
            chosen = np.flatnonzero(np.diff(cuts.found, prepend=-1.0) > 0)
        return cls(cuts.found[chosen], cuts.accepted[chosen], cuts.members)

    def best(self, price: float) -> tuple[float, float]:
        """What the best of them finds, and accepts."""
        place = int(np.argmax(self.found - price * (self.accepted - self.found)))
        return float(self.found[place]), float(self.accepted[place])


def pooled_thresholds(
    training: TrainingSet, beta: float, fallback: Fallback | None
) -> tuple[Floats, States]:
    """Tune all categories together; O(n log n) for each category of n documents, twice.

    Memory beyond the scores is two numbers for each membership. Categories that fall back, and
    those that every document is in, are counted as they will be decided.
    """
    price = _best_price(_candidates(training, fallback), beta)
    return tuned_thresholds(training, HIGHEST_NET, price, fallback)


def _candidates(training: TrainingSet, fallback: Fallback | None) -> list[_Candidates]:
    states = constant_categories(training)
    found = []
    for category in np.flatnonzero(states != State.NO_MEMBERS).tolist():
        inside = training.members(category)
        if states[category] == State.ALL_MEMBERS:
            everything = np.array([training.weights.sum()])
            found.append(_Candidates(everything, everything, float(everything[0])))
            continue
        cuts = Cuts.of(training.scores[:, category].copy(), inside, training.weights)
        found.append(_Candidates.of(cuts, fallback))
    return found


def _best_price(categories: Sequence[_Candidates], beta: float) -> float:
    square = beta * beta
    members = sum(each.members for each in categories)
    highest = 0.0
    for _ in range(MOST_ROUNDS):
        price = highest / (1 + square - highest)
        taken = [each.best(price) for each in categories]
        below = sum(accepted for _, accepted in taken) + square * members
        reached = (1 + square) * sum(found for found, _ in taken) / below if below > 0 else 0.0
        if reached <= highest:
            break
        highest = reached
    return highest / (1 + square - highest)

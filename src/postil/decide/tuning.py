"""Thresholds, one per category, tuned to the scores of training documents.

A category whose scores are too poor to tune on gets a fallback (SCut.fbr, Yang 2001): where the
best F1 of any cut is below a floor, no cut is trusted. Rules for other measures use the best F1,
too, because it shows how far the scores can be trusted. A stated precision that
no cut reaches falls back at any floor; a stated recall is not kept for a category that falls back.
The fallback ``few`` looks at the number of members alone. docs/deciding.md has the reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from postil.common.types import Floats
from postil.decide.cuts import HIGHEST_NET, Cuts, Objective
from postil.decide.decision import Acceptance, State, States, Thresholds
from postil.decide.scores import TrainingSet

Fitted: TypeAlias = tuple[Acceptance, States]


@dataclass(frozen=True, slots=True)
class Parameter:
    """The number in the parentheses of a rule or fallback; without a default it must be given."""

    meaning: str
    least: float
    most: float
    default: float | None = None
    whole: bool = False
    above_least: bool = False

    def allows(self, number: float) -> bool:
        """Return True if the number is in range."""
        whole = not self.whole or number == int(number)
        inside = self.least <= number <= self.most and np.isfinite(number)
        return bool(inside and whole and not (self.above_least and number == self.least))

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        if self.least == -np.inf:
            return noun
        start = f"above {self.least:g}" if self.above_least else f"from {self.least:g}"
        return f"{noun} {start}" + (f" to {self.most:g}" if self.most < np.inf else " up")


class FallbackKind(NamedTuple):
    """A condition on a category's cuts and a number, and the threshold where it holds."""

    parameter: Parameter
    applies: Callable[[Cuts, float], bool]
    threshold: Callable[[Cuts], float]


def _is_poor(cuts: Cuts, floor: float) -> bool:
    return float(cuts.f1.max()) < floor


def _highest(cuts: Cuts) -> float:
    """Return the highest score; infinity if more documents have it than the category has members.

    Many have it where nothing was learned, so that a score tells documents of a fold apart from
    those of another, and no more.
    """
    return float(cuts.levels[0]) if cuts.accepted[1] <= cuts.members else float(np.inf)


_FLOOR = Parameter("the floor of F1", 0, 1)
_ENOUGH = Parameter("a number of members", 1, 2**31 - 1, whole=True)
FALLBACKS: dict[str, FallbackKind] = {
    # SCutFBR.0: the category is never given.
    "fbr.0": FallbackKind(_FLOOR, _is_poor, lambda _: float(np.inf)),
    # SCutFBR.1: only to a document that scores as high as the highest seen out of fold.
    "fbr.1": FallbackKind(_FLOOR, _is_poor, _highest),
    # A category with fewer members keeps the threshold it was trained for.
    "few": FallbackKind(_ENOUGH, lambda cuts, enough: cuts.members < enough, lambda _: 0.0),
}


@dataclass(frozen=True, slots=True)
class Fallback:
    """A kind of ``FALLBACKS`` and its number; an F1 floor of 0 trusts every category."""

    kind: str = "fbr.1"
    floor: float = 0.3

    def applies(self, cuts: Cuts) -> bool:
        """Return True if the category is not to be tuned."""
        return FALLBACKS[self.kind].applies(cuts, self.floor)

    def threshold(self, cuts: Cuts) -> float:
        """Return the threshold that replaces a tuned one."""
        return FALLBACKS[self.kind].threshold(cuts)


# Thresholds of a category without members, and of one without others: never given, always given.
CONSTANT_THRESHOLDS = {State.NO_MEMBERS: np.inf, State.ALL_MEMBERS: -np.inf}


def constant_categories(training: TrainingSet) -> States:
    """Return the states of the categories: NO_MEMBERS, ALL_MEMBERS, or FITTED for all others."""
    sizes = np.diff(training.truth.indptr)
    states = np.full(training.categories, State.FITTED, dtype=np.uint8)
    states[training.are_all_members()] = State.ALL_MEMBERS
    # With no documents at all, a category has no members either.
    states[sizes == 0] = State.NO_MEMBERS
    return states


def constant_thresholds(states: States, otherwise: float = 0.0) -> Floats:
    """Return +inf and -inf for the constant categories and ``otherwise`` for the others."""
    thresholds = np.full(len(states), otherwise)
    for state, value in CONSTANT_THRESHOLDS.items():
        thresholds[states == state] = value
    return thresholds


def tuned(
    training: TrainingSet, objective: Objective, target: float, fallback: Fallback | None
) -> Fitted:
    """Tune each category by itself; return the thresholds and their states.

    O(n log n) for each category of n documents; memory beyond the scores is a few arrays of n.

    Parameters
    ----------
    training:
        Scores, truth and weights of the training documents.
    objective:
        The value of a cut that is to be highest.
    target:
        The rule's parameter, which the objective takes.
    fallback:
        The fallback of categories with poor scores, or None to trust every category.
    """
    states = constant_categories(training)
    thresholds = constant_thresholds(states)
    for category in np.flatnonzero(states == State.FITTED).tolist():
        cuts = cuts_of_category(training, category)
        best = objective.best_cut(cuts, target)
        if fallback is not None and (best is None or fallback.applies(cuts)):
            thresholds[category], states[category] = fallback.threshold(cuts), State.FALLBACK
            continue
        # Without a fallback the objective always has a best cut: only a stated precision may not.
        assert best is not None
        thresholds[category] = cuts.threshold(best)
    return Thresholds(thresholds), states


def cuts_of_category(training: TrainingSet, category: int) -> Cuts:
    """Return the cuts of one category of the training documents."""
    scores, inside, weights = training.of_category(category)
    return Cuts.of(scores.copy(), inside, weights)


MOST_ROUNDS = 100


def tuned_together(training: TrainingSet, beta: float, fallback: Fallback | None) -> Fitted:
    """Tune all categories together for the F-beta of their counts added up.

    With F the best value, the cuts that reach it maximise ``(1 + β²)·found - F·(accepted +
    β²·members)``, a sum over categories: each is cut by itself, with the same price
    ``F / (1 + β² - F)`` of a document wrongly accepted. Dinkelbach's method finds F from below: cut
    by the F so far, take the F of these cuts, and repeat until it no longer rises.

    Categories that fall back, and those that every document is in, are counted as they will be
    decided. O(n log n) for each category of n documents, twice; memory beyond the scores is two
    numbers for each membership.
    """
    candidates = _candidates(training, fallback)
    square = beta * beta
    members = sum(each for _, _, each in candidates)
    highest = 0.0
    for _ in range(MOST_ROUNDS):
        price = highest / (1 + square - highest)
        taken = []
        for found, accepted, _ in candidates:
            best = np.argmax(found - price * (accepted - found))
            taken.append((float(found[best]), float(accepted[best])))
        below = sum(accepted for _, accepted in taken) + square * members
        reached = (1 + square) * sum(found for found, _ in taken) / below if below > 0 else 0.0
        if reached <= highest:
            break
        highest = reached
    return tuned(training, HIGHEST_NET, highest / (1 + square - highest), fallback)


def _candidates(
    training: TrainingSet, fallback: Fallback | None
) -> list[tuple[Floats, Floats, float]]:
    """Return what the cuts of each category find and accept, and the weight of its members.

    Only those cuts that may be best: the empty one, and those that end with a member.
    """
    states = constant_categories(training)
    candidates = []
    for category in np.flatnonzero(states != State.NO_MEMBERS).tolist():
        if states[category] == State.ALL_MEMBERS:
            everything = np.array([training.weights_of(category).sum()])
            candidates.append((everything, everything, float(everything[0])))
            continue
        cuts = cuts_of_category(training, category)
        chosen = np.flatnonzero(np.diff(cuts.found, prepend=-1.0) > 0)
        if fallback is not None and fallback.applies(cuts):
            chosen = np.array([np.count_nonzero(cuts.levels >= fallback.threshold(cuts))])
        candidates.append((cuts.found[chosen], cuts.accepted[chosen], cuts.members))
    return candidates

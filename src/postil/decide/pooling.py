"""Thresholds of all categories, tuned together for the F-beta of their counts added up.

With F the best value there is, the cuts that reach it have the most
``(1 + β²)·found - F·(accepted + β²·members)``, and that is a sum over categories: each is cut for
itself, with the same price ``F / (1 + β² - F)`` of a document wrongly accepted. F is found from
below: cut by the F so far, take the F of these cuts, and again until it rises no more (Dinkelbach's
way with ratios). A handful of rounds does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postil.decide.cuts import Cuts
from postil.decide.evidence import TrainingSet
from postil.decide.fallback import Fallback
from postil.decide.inputs import Floats
from postil.decide.objectives import HIGHEST_NET
from postil.decide.states import State
from postil.decide.tuning import States, constant_categories, tuned_thresholds

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

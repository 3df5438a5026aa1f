"""Thresholds, one per category, tuned to the scores of training documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postil.decide.cuts import Cuts
from postil.decide.evidence import TrainingSet
from postil.decide.fallback import Fallback
from postil.decide.inputs import Floats
from postil.decide.objectives import Objective
from postil.decide.states import State

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

"""Thresholds that keep a floor of precision or recall with a confidence of 95 %.

A share of documents out of fold is only an estimate. What is promised is its lower bound by Clopper
and Pearson (1934). Recall never falls when a threshold is lowered, so that the strictest cut whose
bound reaches the floor is safe. Precision may rise and fall, and the best of many cuts is partly
luck: each cut has to pass at 97 %, so that the chosen one holds at about 95 %. The test simulates
it: with scores as they usually are the floor fails less often, and more often only where the
precision stays just below the floor over thousands of documents.
"""

from __future__ import annotations

import numpy as np

from postil.common.types import Flags, Floats
from postil.decide.cuts import Cuts
from postil.decide.decision import State, Thresholds
from postil.decide.scores import TrainingSet
from postil.decide.shared_calibration import Hierarchical
from postil.decide.tuning import (
    Fitted,
    constant_categories,
    constant_thresholds,
    cuts_of_category,
)

CONFIDENCE = 0.95
OF_EACH_CUT = 0.97
"""The confidence of a cut that is one of many."""
PARTS = 5


def lower_bound(successes: Floats, trials: Floats, confidence: float) -> Floats:
    """Return the lower confidence bound of shares by Clopper and Pearson."""
    from scipy.special import betaincinv

    failures = np.maximum(trials - successes, 0.0)
    bound = betaincinv(np.maximum(successes, 1e-12), failures + 1.0, 1.0 - confidence)
    return np.where(successes > 0, bound, 0.0).astype(np.float64)


def keep_precision(right: Floats, given: Floats, floor: float) -> Flags:
    """Flag the cuts, of many to choose from, whose precision is at least the floor."""
    return lower_bound(right, given, OF_EACH_CUT) >= floor


def tuned_floor(training: TrainingSet, floor: float, *, of_precision: bool) -> Fitted:
    """Tune thresholds so that precision, or recall, has a floor with a confidence of 95 %.

    Of the cuts that keep the floor the one with the highest recall, or precision, is taken. The
    categories that are too small or too poor for any such cut share one probability
    (``Hierarchical``) that keeps the floor for all of them together. If there is none, precision is
    kept by giving none of them, and recall by giving all that a member has reached.
    """
    states = constant_categories(training)
    thresholds = constant_thresholds(states)
    small = []
    for category in np.flatnonzero(states == State.FITTED).tolist():
        cuts = cuts_of_category(training, category)
        cut = _best_cut(cuts, floor, of_precision)
        if cut is None:
            small.append(category)
        else:
            thresholds[category] = cuts.threshold(cut)
    if small:
        states[small] = State.FALLBACK
        calibration, chances = Hierarchical.fit(training), _chances(training)[:, small]
        inside = np.stack([training.members(category) for category in small], axis=1)
        weights = np.stack([training.weights_of(category) for category in small], axis=1).ravel()
        cuts = Cuts.of(chances.ravel(), inside.ravel(), weights)
        cut = _best_cut(cuts, floor, of_precision)
        if cut is not None:
            thresholds[small] = calibration.thresholds(cuts.threshold(cut))[small]
        elif of_precision:
            thresholds[small] = np.inf
        else:
            reached = float(chances[inside].min()) * (1 - 1e-9)  # its score must not be missed
            thresholds[small] = calibration.thresholds(reached)[small]
    return Thresholds(thresholds), states


def _chances(training: TrainingSet) -> Floats:
    """Return probabilities by calibrations of other documents: their own would flatter them."""
    part = np.arange(len(training.weights)) % PARTS
    chances = np.empty(training.scores.shape)
    for each in np.unique(part).tolist():
        rest = part != each
        others = training.of_documents(rest)
        chances[~rest] = Hierarchical.fit(others).probabilities(training.scores[~rest])
    return chances


def _best_cut(cuts: Cuts, floor: float, of_precision: bool) -> int | None:
    """Return the best of the cuts that keep the floor; None if there is none."""
    ends = np.flatnonzero(np.diff(cuts.found, prepend=0.0) > 0)  # cuts that end with a member
    found = cuts.found[ends]
    if of_precision:
        allowed = ends[keep_precision(found, cuts.accepted[ends], floor)]
        return int(allowed[-1]) if len(allowed) else None
    members = np.full(len(ends), cuts.members)
    allowed = ends[lower_bound(found, members, CONFIDENCE) >= floor]
    return int(allowed[cuts.precision[allowed].argmax()]) if len(allowed) else None

"""Training documents as models that had not seen them decide: decisions and probabilities.

The scores are out of fold. A rule or a calibration that is tuned on such scores is tuned anew for
each fold, on the scores of the other folds, so that no document is decided by a threshold that was
tuned on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from postil.common.types import Flags, Floats, Ints
from postil.decide.calibration import (
    Calibration,
    fit_calibration,
    needs_variances,
    probabilities_of,
    rankings_of,
)
from postil.decide.decision import DecisionRule
from postil.decide.rules import fit_rule, parse_rule
from postil.decide.scores import Csr, Needs, OutOfFoldScores


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Memberships, decisions, rankings and probabilities of training documents, out of fold.

    All are documents × categories; ``probabilities`` is None if there are none out of fold.
    ``seen`` is True if the rule was tuned on the scores of documents that the model had learned
    from, which flatters the decisions. ``known`` is False for memberships of which nothing is
    known, and None if all are known.
    """

    truth: Csr
    decisions: Csr
    rankings: Floats
    probabilities: Floats | None
    folds: int
    seen: bool
    known: Flags | None = None


def held_out(
    scores: OutOfFoldScores, truth: Csr, rule: DecisionRule, calibration: Calibration | None
) -> HeldOut:
    """Decide on every training document out of fold.

    Cost: the tuning of the rule and of the calibration for each fold.

    Parameters
    ----------
    scores : OutOfFoldScores
        The scores of the training documents.
    truth : sparse matrix
        Their memberships.
    rule, calibration
        Those of the model. They serve where they are not tuned out of fold.
    """
    import scipy.sparse as sp

    needs = parse_rule(rule.spec).needs
    tuned = needs is Needs.OUT_OF_FOLD
    decisions = (
        decided_out_of_fold(scores, truth, rule.spec) if tuned else rule.decide(scores.values)
    )
    probabilities = None
    # The fits of the folds keep no variances of their weights.
    if calibration is not None and not needs_variances(calibration):
        probabilities = probabilities_of(calibration, rule, scores.values)
        if calibration.needs is Needs.OUT_OF_FOLD:
            for rows, weights in _folds(scores):
                fitted = fit_calibration(calibration.kind, scores, truth, weights)
                probabilities[rows] = probabilities_of(fitted, rule, scores.values[rows])
    if scores.known is not None:
        decisions = sp.csr_matrix(decisions.multiply(scores.known))
    rankings = rankings_of(calibration, scores.values)
    seen = needs is Needs.TRAINING
    known, folds = scores.known, len(scores.folds)
    return HeldOut(truth, decisions, rankings, probabilities, folds, seen, known)


def decided_out_of_fold(scores: OutOfFoldScores, truth: Csr, spec: str) -> Csr:
    """Decide on each fold by a rule that is tuned on the other folds."""
    import scipy.sparse as sp

    accepted = np.zeros(scores.values.shape, dtype=np.bool_)
    for rows, weights in _folds(scores):
        accepted[rows] = fit_rule(spec, scores, truth, weights).accept(scores.values[rows])
    decisions: Csr = sp.csr_matrix(accepted)
    return decisions


def _folds(scores: OutOfFoldScores) -> Iterator[tuple[Ints, Floats]]:
    """Yield the documents of each fold, and sample weights that leave them out."""
    for rest, rows in scores.folds:
        weights = np.zeros(len(scores.values))
        weights[rest] = 1.0
        yield rows, weights

"""Fit a decision rule to training documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postil.decide.decision import DecisionRule
from postil.decide.evidence import Scores, TrainingSet
from postil.decide.inputs import Sparse
from postil.decide.spec import RuleSpec, parse_rule


def fit_rule(
    spec: str | RuleSpec,
    scores: Scores | None,
    truth: Sparse,
    weights: NDArray[np.float64] | None = None,
) -> DecisionRule:
    """Fit the rule a spec describes; ``parse_rule(spec).needs`` says which scores it takes.

    ``scores`` are the ``TrainingScores`` or ``OutOfFoldScores`` of the training documents, or
    None for a rule that needs none; ``truth`` says which training document is in which
    category; ``weights`` count a document more or less (0: not at all). A category that no
    training document is in gets a threshold of +inf, one that all are in -inf, whatever the
    rule; ``DecisionRule.notes`` names them.

    Tuned rules take O(n log n) for each category of n documents, the others O(memberships).
    """
    parsed = spec if isinstance(spec, RuleSpec) else parse_rule(spec)
    training = TrainingSet.of(f"decision rule {parsed}", parsed.needs, scores, truth, weights)
    fitted = parsed.rule.fit(training, parsed.parameter, parsed.fallback)
    return DecisionRule(
        str(parsed), fitted.acceptance, fitted.states, parsed.at_least, parsed.at_most
    )

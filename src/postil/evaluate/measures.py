"""Measures of decisions: a function of the four counts each, undefined where it is 0/0.

Accuracy: documents whose categories were decided without an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from postil.common.types import Flags, Floats
from postil.errors import UsageError
from postil.evaluate.counts import Counts, difference, per_document, ratio
from postil.evaluate.inputs import checked_indicator, checked_pair
from postil.features.inputs import Sparse


@dataclass(frozen=True)
class Measure:
    """A measure by name: its formula, and whether more of it is better."""

    name: str
    summary: str
    formula: Callable[[Counts], Floats]
    more_is_better: bool = True


def precision(counts: Counts) -> Floats:
    """``TP / (TP + FP)``: undefined where nothing was accepted."""
    return ratio(counts.true_positives, counts.accepted)


def recall(counts: Counts) -> Floats:
    """``TP / (TP + FN)``: undefined where there is no member."""
    return ratio(counts.true_positives, counts.members)


def f_beta(counts: Counts, beta: float) -> Floats:
    """``(1 + β²)TP / ((1 + β²)TP + β²FN + FP)``: recall weighs β times as much as precision.

    Where precision and recall are both defined and not both 0 this is van Rijsbergen's
    ``(1 + β²)PR / (β²P + R)``. Written over counts it is 0, not undefined, where members were
    missed and nothing was accepted; it is undefined only where TP = FP = FN = 0 (and, as
    precision is, for β = 0 where nothing was accepted).
    """
    weight = _checked_beta(beta) ** 2
    found = (1 + weight) * counts.true_positives
    return ratio(found, found + weight * counts.false_negatives + counts.false_positives)


def _checked_beta(beta: float) -> float:
    if not 0 <= beta < math.inf:
        raise UsageError(f"F-beta needs a finite beta of at least 0, got {beta}")
    return beta


def f1(counts: Counts) -> Floats:
    """``2TP / (2TP + FP + FN)`` (genkin-lewis-madigan-2004, 34)."""
    return f_beta(counts, 1.0)


def error(counts: Counts) -> Floats:
    """``(FP + FN) / n`` (genkin-lewis-madigan-2004, 33): undefined where n = 0."""
    return ratio(counts.errors, counts.cases)


def f_beta_measure(beta: float) -> Measure:
    """F-beta as a measure with a name, ``f0.5`` for example."""
    _checked_beta(beta)
    return Measure(f"f{beta:g}", f"F with beta {beta:g}", lambda counts: f_beta(counts, beta=beta))


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("precision", "share of the accepted that are members", precision),
        Measure("recall", "share of the members that are accepted", recall),
        Measure("f1", "harmonic mean of precision and recall", f1),
        Measure("error", "share of the decisions that are wrong", error, more_is_better=False),
    )
}


def measure_named(name: str) -> Measure:
    """Look up a registered measure."""
    if name not in MEASURES:
        raise UsageError(f"no measure is called {name!r}; there are: {', '.join(MEASURES)}")
    return MEASURES[name]


def is_single_label(truth: Sparse) -> bool:
    """Whether every document has exactly one category (so has a truth without documents)."""
    return bool((per_document(checked_indicator(truth, "truth")) == 1).all())


def decided_rightly(truth: Sparse, decisions: Sparse) -> Flags:
    """Find the documents whose decided categories are the true ones, all and no other.

    Costs the non-zeros of both matrices and the documents.
    """
    members, decided = checked_pair(truth, decisions)
    return np.asarray(per_document(difference(members, decided)) == 0)


def exact_match(truth: Sparse, decisions: Sparse) -> float:
    """The share of documents decided rightly; undefined without documents."""
    right = decided_rightly(truth, decisions)
    return float(ratio(right.sum(), len(right)))


def single_label_accuracy(truth: Sparse, decisions: Sparse) -> float:
    """The share of documents decided rightly, where each belongs to exactly one category.

    A document for which no category or more than one was decided is decided wrongly.
    """
    if not is_single_label(truth):
        raise UsageError(
            "accuracy is for single-label data, but some documents of truth have no category or "
            "more than one: use exact_match, or measures per category"
        )
    return exact_match(truth, decisions)

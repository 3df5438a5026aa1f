"""Accuracy: documents whose categories were decided without an error."""

from __future__ import annotations

import numpy as np

from postil.errors import UsageError
from postil.evaluate.counts import difference, per_document
from postil.evaluate.inputs import Flags, checked_indicator, checked_pair
from postil.evaluate.undefined import ratio
from postil.features.inputs import Sparse


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

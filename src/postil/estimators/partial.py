"""Rows that come in several calls: their classes, and where learning goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from postil.common.types import Floats
from postil.errors import UsageError
from postil.estimators.targets import (
    ManyLabels,
    Target,
    indicator_target,
    labels_of_codes,
    target_of_classes,
)
from postil.learn.fit import FitReport
from postil.learn.job import Labels
from postil.learn.method import Method
from postil.learn.resume import depends_on_number, document_strengths, exponents
from postil.learn.strength import Strengths


def first_target(y: Any, classes: ArrayLike | None) -> Target:  # noqa: ANN401 - whatever scikit-learn takes
    """What kind of classes there are and will be, as the first call says."""
    check_classification_targets(y)
    if type_of_target(y, input_name="y") == "multilabel-indicator":
        target, _ = indicator_target(y)
        if classes is not None and not np.array_equal(np.unique(classes), target.classes):
            raise UsageError(
                f"classes of an indicator are its columns, 0 to {len(target.classes) - 1}: "
                "leave them out"
            )
        return target
    if classes is None:
        raise UsageError("classes must be passed on the first call to partial_fit.")
    return target_of_classes(np.unique(classes))


def check_same_classes(target: Target, classes: ArrayLike | None) -> None:
    """Refuse other classes than those of the calls before."""
    if classes is not None and not np.array_equal(np.unique(classes), target.classes):
        raise UsageError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
            f"{target.classes!r}"
        )


def labels_for(target: Target, y: Any) -> Labels:  # noqa: ANN401 - whatever scikit-learn takes
    """The rows of ``y`` as members of the target's categories; costs the memberships."""
    check_classification_targets(y)
    is_indicator = type_of_target(y, input_name="y") == "multilabel-indicator"
    if isinstance(target, ManyLabels) != is_indicator:
        raise UsageError("y is an indicator in all calls of partial_fit, or in none")
    if isinstance(target, ManyLabels):
        other, labels = indicator_target(y)
        if len(other.classes) != len(target.classes):
            raise UsageError(
                f"y has {len(other.classes)} columns, and had {len(target.classes)} before"
            )
        return labels
    rows = column_or_1d(y, warn=True)
    strange = np.setdiff1d(rows, target.classes)
    if len(strange):
        raise UsageError(
            f"y has the class {strange.tolist()[0]!r}, which is none of those of the first call: "
            f"{target.classes.tolist()!r}"
        )
    return labels_of_codes(target.classes, np.searchsorted(target.classes, rows))


def resume_exponents(
    method: Method,
    weights: Any,  # noqa: ANN401 - dense or sparse
    intercepts: Floats,
    units: Floats | None,
    reports: tuple[FitReport, ...],
) -> list[Floats]:
    """Where each category goes on; one that was constant has learned nothing yet."""
    dense = sp.csr_matrix(weights).toarray()
    found = []
    for category, row in enumerate(dense):
        if reports[category].stopped == "constant":
            found.append(np.zeros(len(row) + 1))
            continue
        unit = None if units is None else float(units[category])
        found.append(exponents(method, row, float(intercepts[category]), unit))
    return found


def row_strengths(method: Method, reports: tuple[FitReport, ...], rows: float) -> Strengths | None:
    """C of each category after a fit to so many rows, where the method says a λ for all of them."""
    if not method.can_resume or not depends_on_number(method):
        return None
    return document_strengths(method, [report.lam for report in reports], rows)


def refuse_balanced(class_weight: Any) -> None:  # noqa: ANN401 - whatever was given
    """Refuse weights that only all rows together can tell."""
    if isinstance(class_weight, str):
        raise UsageError(
            f"class_weight={class_weight!r} needs all rows at once, and partial_fit sees some: "
            "give a mapping of classes to weights"
        )

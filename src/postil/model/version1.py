"""Format version 1: which part of a model stands where in the file.

The metadata of the container holds ``format``, ``format_version``, the ``manifest`` (JSON, keys
sorted) and its ``checksum``. The manifest holds ``checksums`` (a CRC-32 for each tensor) and the
settings of each part; the tensors are:

=========================  =============  ====================================================
``vocabulary.bytes``       U8             the terms in UTF-8, one after another
``vocabulary.ends``        U8 to U64      where each ends
``vocabulary.spaces``      U8             the field of each, where fields are apart
``vocabulary.documents``   U8 to U64      how many training documents hold each
``vocabulary.occurrences`` U8 to U64      how often each occurs in them
``vectorizer.idf``         F64            by term or bucket, where the weighting has an idf
``weights.values``         F32            sparse: by row; dense: rows × entries
``weights.indices``        U8 to U32      sparse: the entry of each value
``weights.starts``         U8 to U64      sparse: where each row begins, and the end
``intercepts``             F64            by category
``variances.values``       F32            of the weights' values, in their order; if there are any
``variances.intercepts``   F64            by category, with them
``units``                  F64            by category, of weights learned by factors
``selection.terms``        U8 to U32      those each category may use, if it may be updated
``selection.starts``       U8 to U64      where each category's begin, and the end
``decision.*``             F64, U8        what the decision rule keeps, by category
``calibration.*``          F64, I64       what the calibration keeps, where there is one
``training.members``       U8 to U64      how many training documents each category has
=========================  =============  ====================================================

Another layout or another meaning needs another version, with a reader of its own; this one
stays, so that old files keep loading. A tensor that may be absent needs none: files without it are
what they were, and a reader that does not know it refuses it by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from postil.decide.calibration import Calibration, calibration_from_parts, calibration_to_parts
from postil.decide.decision import DecisionRule
from postil.errors import InputError
from postil.learn.combining import Combination
from postil.model.model import Model, TrainingFingerprint
from postil.model.parts import (
    check_categories,
    selection_from,
    units_from,
    update_arrays,
    vectorizer_from_parts,
    vectorizer_to_parts,
)
from postil.model.settings import NONE, Kinds, check_kind, checked, texts
from postil.model.tensors import Arrays, Parts, Tensors, prefixed
from postil.model.weights import (
    variances_from_tensors,
    variances_to_arrays,
    weights_from_parts,
    weights_to_parts,
)
from postil.vectors.projection import Projection

INTERCEPTS = "intercepts"

SCHEMA: dict[str, Kinds] = {
    "calibration": (dict, NONE),
    "created": (str, NONE),
    "created_by": str,
    "decision": dict,
    "evaluation": (dict, NONE),
    "method": dict,
    "names": list,
    "recipe": dict,
    "reports": list,
    "training": dict,
    "vectorizer": dict,
    "weights": dict,
}


def to_parts(model: Model) -> Parts:
    """Take a model apart; arrays are copied only where they are stored narrower."""
    vectorizer = vectorizer_to_parts(model.vectorizer)
    weights = weights_to_parts(model.weights)
    decision, decision_arrays = model.decision.to_parts()
    training = model.training.to_parts()
    arrays: Arrays = {
        **vectorizer.arrays,
        **weights.arrays,
        INTERCEPTS: model.intercepts,
        **variances_to_arrays(model),
        **update_arrays(model),
        **prefixed("decision", decision_arrays),
        **training.arrays,
    }
    calibration = None
    if model.calibration is not None:
        calibration, calibration_arrays = calibration_to_parts(model.calibration)
        arrays |= prefixed("calibration", calibration_arrays)
    settings = {
        "calibration": calibration,
        "created": model.created,
        "created_by": model.created_by,
        "decision": decision,
        "evaluation": model.evaluation,
        "method": model.method,
        "names": list(model.names),
        "recipe": model.recipe,
        "reports": list(model.reports),
        "training": training.settings,
        "vectorizer": vectorizer.settings,
        "weights": weights.settings,
    }
    return Parts(settings, arrays)


def from_parts(settings: dict[str, Any], arrays: Arrays, threads: int) -> Model:
    """Put a model together; whatever does not fit is refused with what and why."""
    found = checked(settings, SCHEMA, "the manifest")
    return put_together(found, Tensors(arrays), threads)


def put_together(
    found: dict[str, Any],
    tensors: Tensors,
    threads: int,
    *,
    combination: Combination | None = None,
    projection_of: Callable[[int], Projection | None] = lambda _: None,
) -> Model:
    """Put together what versions share; ``projection_of`` takes the vectorizer's columns."""
    for at, report in enumerate(found["reports"]):
        check_kind(report, dict, f"reports[{at}]")
    names = texts(found["names"], "names")
    rows = len(names)
    if combination is not None:
        # Before the rows: those of rivals are a number, and an array without columns has any.
        check_categories(combination, len(names))
        rows = combination.rows
    vectorizer = vectorizer_from_parts(found["vectorizer"], tensors, threads)
    shape = (rows, vectorizer.columns)
    weights = weights_from_parts(found["weights"], tensors, shape)
    variances, intercept_variances = variances_from_tensors(tensors, weights)
    model = Model(
        vectorizer=vectorizer,
        names=names,
        weights=weights,
        intercepts=tensors.take(INTERCEPTS, "f8", rows),
        projection=projection_of(vectorizer.columns),
        combination=combination,
        variances=variances,
        intercept_variances=intercept_variances,
        units=units_from(tensors, len(names)),
        selection=selection_from(tensors, len(names), vectorizer.columns),
        decision=_decision(found["decision"], tensors),
        training=TrainingFingerprint.from_parts(found["training"], tensors, len(names)),
        calibration=_calibration(found["calibration"], tensors),
        recipe=found["recipe"],
        method=found["method"],
        reports=found["reports"],
        evaluation=found["evaluation"],
        created_by=found["created_by"],
        created=found["created"],
    )
    tensors.finish()
    return model


def _decision(settings: dict[str, Any], tensors: Tensors) -> DecisionRule:
    arrays = tensors.group("decision")
    rule = DecisionRule.from_parts(settings, arrays)
    _check_whole("decision", Parts(settings, arrays), Parts(*rule.to_parts()))
    return rule


def _calibration(settings: dict[str, Any] | None, tensors: Tensors) -> Calibration | None:
    if settings is None:
        return None
    arrays = tensors.group("calibration")
    calibration = calibration_from_parts(settings, arrays)
    _check_whole("calibration", Parts(settings, arrays), Parts(*calibration_to_parts(calibration)))
    return calibration


def _check_whole(what: str, stored: Parts, restored: Parts) -> None:
    """Refuse what was restored from less than is stored: the rest may mean something."""
    if stored.settings != restored.settings or stored.arrays.keys() != restored.arrays.keys():
        raise InputError(f"{what} holds more, or other things, than is known")

"""Find the least probability of a label that keeps a precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from postil.decide.floors import CONFIDENCE, keep_precision
from postil.decide.held_out import HeldOut
from postil.errors import UsageError
from postil.evaluate.coverage import CoverageCurve, coverage_curve
from postil.learn.merit.figures import RecallAtPrecision
from postil.learn.merit.naming import figure_named

LOWER = np.arange(0.99, 0.0, -0.01)  # floors to try if the one that is asked for cannot be kept


def found_route(asked: str, found: HeldOut) -> dict[str, Any]:
    """Return the lowest probability at which labels keep a precision, and what it gives.

    Decisions and probabilities are out of fold. The ``precision`` found is an estimate; the
    ``floor`` holds with ``confidence`` (:mod:`postil.decide.floors`). If no probability keeps the
    floor, ``min_probability`` is None and ``highest`` is the highest floor in whole % that one
    keeps, or None.

    Parameters
    ----------
    asked : str
        The precision, such as ``"precision>=0.98"``.
    found : HeldOut
        The decisions on the training documents.
    """
    figure = figure_named(asked)
    assert isinstance(figure, RecallAtPrecision)
    if found.probabilities is None:
        raise UsageError(
            "a route needs probabilities out of fold, and the model has none; train it with "
            "--calibration auto"
        )
    rows = np.arange(found.truth.shape[0])
    if found.known is not None:  # what else a document should be given is not known
        rows = np.flatnonzero(found.known.all(axis=1))
        if not len(rows):
            raise UsageError(
                "a route needs training documents that were judged for every category, and there "
                "is none: leave their known-negative labels out, or train without --route"
            )
    curve = coverage_curve(found.truth[rows], found.decisions[rows], found.probabilities[rows])
    facts: dict[str, Any] = {
        "asked": figure.name,
        "floor": float(figure.floor),
        "confidence": CONFIDENCE,
    }
    place = _lowest(curve, figure.floor)
    if place is None:
        able = (round(float(each), 2) for each in LOWER if each < figure.floor)
        highest = next((each for each in able if _lowest(curve, each) is not None), None)
        return facts | {"min_probability": None, "highest": highest}
    return facts | {
        "min_probability": float(curve.thresholds[place]),
        "precision": float(curve.precision[place]),
        "coverage": float(curve.coverage[place]),
    }


def _lowest(curve: CoverageCurve, floor: float) -> int | None:
    """Return the place of the lowest probability that keeps a floor."""
    right, given = curve.right.astype(np.float64), curve.labels_given.astype(np.float64)
    kept = np.flatnonzero(keep_precision(right, given, floor))
    return int(kept[-1]) if len(kept) else None

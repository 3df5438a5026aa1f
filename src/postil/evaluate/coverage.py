"""Coverage against precision: how many documents can be decided, and how reliably.

Of the labels that a model gives, only those whose probability reaches a minimum are given; a
document without any goes to a person. A higher minimum gives a higher precision and a smaller
coverage, as a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from postil.common.types import Floats, Ints
from postil.decide.scores import Csr, Sparse
from postil.errors import InputError, UsageError
from postil.evaluate.counts import UNDEFINED, checked_pair, per_document, ratio
from postil.evaluate.curves import thinned
from postil.evaluate.headline import Estimate, wilson

PRECISIONS: Final = (0.90, 0.95, 0.98, 0.99)
"""The precisions for which a report shows the coverage."""


@dataclass(frozen=True)
class Routed:
    """Precision and coverage of the labels with a minimum probability.

    ``precision`` is the share of the ``labels_given`` that are right, with Wilson's interval;
    ``coverage`` is the share of documents with such a label. The others are referred to a person.
    """

    min_probability: float
    precision: Estimate
    coverage: float
    labels_given: int


@dataclass(frozen=True)
class CoverageCurve:
    """Precision and coverage at every minimum probability, the minimum falling.

    At each of ``thresholds`` the labels with a probability of at least that much are given:
    ``labels_given`` of them, ``right`` of which are true. ``precision`` is right / labels given,
    ``coverage`` the share of documents with at least one label. The arrays are empty if the model
    gives no label.
    """

    thresholds: Floats
    precision: Floats
    coverage: Floats
    labels_given: Ints
    right: Ints

    def at(self, precision: float) -> float | None:
        """Return the largest coverage with at least this precision; None if there is none."""
        place = self._lowest(precision)
        return None if place is None else float(self.coverage[place])

    def threshold_at(self, precision: float) -> float | None:
        """Return the lowest minimum probability with at least this precision, or None."""
        place = self._lowest(precision)
        return None if place is None else float(self.thresholds[place])

    def from_probability(self, least: float) -> Routed:
        """Return precision and coverage of the labels with a minimum probability."""
        place = int(np.searchsorted(-self.thresholds, -least, side="right")) - 1
        if place < 0:
            return Routed(least, wilson(UNDEFINED, 0), 0.0, 0)
        given = int(self.labels_given[place])
        precision = wilson(float(self.precision[place]), given)
        return Routed(least, precision, float(self.coverage[place]), given)

    def _lowest(self, precision: float) -> int | None:
        reached = np.flatnonzero(self.precision >= precision)
        return int(reached[-1]) if len(reached) else None

    def to_dict(self, points: int | None = None, least: float | None = None) -> dict[str, Any]:
        """Return the coverage at some precisions and the curve as plain values for JSON.

        With a minimum probability ``least``, ``route`` is what that gives.
        """
        at = [
            {"precision": each, "coverage": self.at(each), "threshold": self.threshold_at(each)}
            for each in PRECISIONS
        ]
        route = {} if least is None else {"route": self.from_probability(least)}
        return {"at": at, **route, "curve": self.points(points)}

    def points(self, most: int | None = None) -> dict[str, list[float]]:
        """Return the columns of the curve, about ``most`` points of it at most."""
        kept = thinned(self.coverage, self.precision, most)
        return {name: values[kept].tolist() for name, values in vars(self).items()}


def coverage_curve(truth: Sparse, decisions: Sparse, probabilities: Floats) -> CoverageCurve:
    """Return precision and coverage at every minimum probability of the given labels.

    Sorts the labels that the decisions give; only their probabilities are read and copied.

    Parameters
    ----------
    truth, decisions:
        Sparse indicators of documents × categories. For single-label data the decisions hold the
        best category of each document.
    probabilities:
        Array of documents × categories.
    """
    members, decided = checked_pair(truth, decisions)
    if probabilities.shape != decided.shape:
        raise UsageError(
            f"probabilities have the shape {probabilities.shape} and decisions {decided.shape}: "
            "both need the same documents and categories"
        )
    documents = int(decided.shape[0])
    rows = np.repeat(np.arange(documents), per_document(decided))
    given = probabilities[rows, decided.indices].astype(np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise InputError(
            "probabilities of given labels must be from 0 to 1; calibrate the scores first"
        )
    right = np.isin(_places(decided), _places(members), assume_unique=True)
    best = np.zeros(documents)
    np.maximum.at(best, rows, given)
    best = np.sort(best[np.unique(rows)])
    order = np.argsort(-given, kind="stable")
    ranked = given[order]
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)])
    found = np.cumsum(right[order], dtype=np.int64)[ends]
    thresholds, labels = ranked[ends], (ends + 1).astype(np.int64)
    covered = len(best) - np.searchsorted(best, thresholds, side="left")
    return CoverageCurve(thresholds, ratio(found, labels), ratio(covered, documents), labels, found)


def _places(indicator: Csr) -> Ints:
    """Return the number of each True entry, counted row by row."""
    rows = np.repeat(np.arange(indicator.shape[0], dtype=np.int64), per_document(indicator))
    return rows * int(indicator.shape[1]) + indicator.indices

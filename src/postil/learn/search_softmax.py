"""What a search over one model for all classes can go by.

As with :mod:`postil.learn.search_measures`, what is counted may be added up over folds and classes.
A document counts for its own class: the sums of all classes are those of all documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from postil.errors import UsageError
from postil.learn.class_task import NEVER
from postil.learn.parts import Part, registry
from postil.learn.search_measures import confusion, f1_of, search_measure, share_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutClasses:
    """Documents a fit has not seen: scores and memberships, documents × classes.

    Each has exactly one class. ``weights`` are the documents' own.
    """

    scores: Floats
    members: Flags
    weights: Floats

    def by_class(self, values: Floats, weights: Floats) -> Floats:
        """Σ weight × value of each class's documents, and Σ weight."""
        return self.members.T.astype(np.float64) @ np.stack([weights * values, weights], axis=-1)


@dataclass(frozen=True, slots=True)
class SoftmaxMeasure(Part):
    """A measure of scores that are compared with each other."""

    tally: Callable[[HeldOutClasses], Floats]
    value: Callable[[Floats], Floats]
    higher_is_better: bool = True


def softmax_measure(name: str) -> SoftmaxMeasure:
    """The measure of that name, refused where it wants thresholds."""
    known = search_measure(name).name
    if known not in SOFTMAX_MEASURES:
        raise UsageError(
            f"the measure {name} needs a threshold for each category, and scores of one model for "
            f"all are compared with each other: use {', '.join(SOFTMAX_MEASURES)}"
        )
    return SOFTMAX_MEASURES[known]


def _log_likelihoods(held: HeldOutClasses) -> Floats:
    """Σ ln P(own class), P = exp(score) over the sum of all classes' exp.

    Documents of a class that the fit has seen no member of are left out: their probability is 0,
    whatever the strength.
    """
    learned = ~(held.scores == NEVER).all(axis=0)
    own = log_softmax(held.scores, axis=1)[held.members]
    return held.by_class(own, held.weights * (held.members @ learned))


def _losses(held: HeldOutClasses) -> Floats:
    """The polychotomous loss is the negative logarithm of the likelihood."""
    return _log_likelihoods(held) * (-1.0, 1.0)


def _best(held: HeldOutClasses) -> Flags:
    """The decision: the class of the highest score."""
    best = np.zeros_like(held.members)
    best[np.arange(len(best)), held.scores.argmax(axis=1)] = True
    return best


def _errors(held: HeldOutClasses) -> Floats:
    """The weight of documents whose class is not found, and of all."""
    found = (held.members & _best(held)).any(axis=1)
    return held.by_class(np.where(found, 0.0, 1.0), held.weights)


def _counts(held: HeldOutClasses) -> Floats:
    """TP, FP and FN of each class."""
    return confusion(held.weights, held.members, _best(held))


_NONE: frozenset[str] = frozenset()

SOFTMAX_MEASURES: Mapping[str, SoftmaxMeasure] = MappingProxyType(
    registry(
        SoftmaxMeasure(
            "log-likelihood", "average ln P of the own class", _NONE, _log_likelihoods, share_of
        ),
        SoftmaxMeasure("loss", "its negative", _NONE, _losses, share_of, False),
        SoftmaxMeasure("error", "share of documents not found", _NONE, _errors, share_of, False),
        SoftmaxMeasure("f1", "F1 of the best class; micro over classes", _NONE, _counts, f1_of),
    )
)

"""Scores to probabilities: one rising function per category, or one for all together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.suggest import advice
from postil.common.types import Floats
from postil.decide.calibrators import Logistic, Moderated, Probit, Softmax
from postil.decide.evidence import Needs, Scores, TrainingSet
from postil.decide.inputs import Sparse
from postil.decide.isotonic import Isotonic
from postil.decide.platt import Platt
from postil.errors import InputError, SpecError


class Calibration(Protocol):
    """A fitted calibration; it cannot be changed."""

    kind: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[Needs]

    @property
    def categories(self) -> int:
        """How many categories are calibrated."""
        ...

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores into numbers from 0 to 1 that do not fall as the score rises."""
        ...

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything a model file must hold to restore it."""
        ...

    def renewed(self, categories: int, shares: Mapping[int, float]) -> Calibration:
        """The same for so many categories, as many as there are or more.

        A category with a share has nothing it could be fitted to: its probability is the share,
        however it scores. All others, which were there before, stay as they are.
        """
        ...


Kind: TypeAlias = (
    type[Logistic] | type[Platt] | type[Isotonic] | type[Moderated] | type[Softmax] | type[Probit]
)

CALIBRATIONS: dict[str, Kind] = {
    calibration.kind: calibration
    for calibration in (Logistic, Platt, Isotonic, Moderated, Softmax, Probit)
}


def calibration_needs(kind: str) -> Needs:
    """Say which scores a kind of calibration is fitted to."""
    return _named(kind).needs


def fit_calibration(
    kind: str,
    scores: Scores | None,
    truth: Sparse,
    weights: NDArray[np.float64] | None = None,
) -> Calibration:
    """Fit a calibration of ``CALIBRATIONS`` for all categories.

    ``scores`` are the ``OutOfFoldScores`` of the training documents (``logistic``, ``moderated``
    and ``softmax`` need none), ``truth`` says which training document is in which category,
    ``weights`` count a document more or less. Cost grows with documents × categories, times the
    logarithm of documents for ``isotonic`` and a few Newton steps for ``platt``.
    """
    calibration = _named(kind)
    training = TrainingSet.of(f"calibration {kind}", calibration.needs, scores, truth, weights)
    return calibration.fit(training)


def calibration_to_parts(
    calibration: Calibration,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a calibration apart for a file: settings that JSON can hold, and arrays."""
    settings = {"kind": calibration.kind, "categories": calibration.categories}
    return settings, calibration.to_arrays()


def calibration_from_parts(
    settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Calibration:
    """Restore what :func:`calibration_to_parts` gave; parts that do not fit are refused."""
    kind, categories = settings.get("kind"), settings.get("categories")
    known = isinstance(kind, str) and kind in CALIBRATIONS
    if not known or not isinstance(categories, int) or categories < 0:
        raise InputError(
            f"the stored calibration is damaged or newer: kind {kind!r} for {categories!r} "
            f"categories; known kinds: {', '.join(CALIBRATIONS)}"
        )
    return CALIBRATIONS[str(kind)].from_arrays(arrays, categories)


def _named(kind: str) -> Kind:
    if not isinstance(kind, str) or kind not in CALIBRATIONS:
        raise SpecError(f"no calibration is called {kind!r}{advice(str(kind), CALIBRATIONS)}")
    return CALIBRATIONS[kind]

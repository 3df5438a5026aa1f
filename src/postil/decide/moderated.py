"""Probabilities that know how uncertain a score is (MacKay 1992, "The evidence framework")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from postil.decide.inputs import Floats, checked_scores
from postil.decide.logistic import Logistic
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.decide.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Moderated(Logistic):
    """``1 / (1 + exp(-s))`` of moderated scores s, which :func:`moderated_scores` makes."""

    kind: ClassVar[str] = "moderated"
    help: ClassVar[str] = "as logistic, drawn to 1/2 where the weights of a text are uncertain"


def needs_variances(calibration: Calibration | None) -> bool:
    """Whether a calibration is asked with moderated scores."""
    return calibration is not None and calibration.kind == Moderated.kind


def moderated_scores(scores: ArrayLike, variances: ArrayLike | None) -> Floats:
    """Scores drawn to 0 by how uncertain they are; both are documents × categories.

    Where a score is a Gaussian of mean s and variance v, the mean of 1/(1 + exp(-score)) is near
    1/(1 + exp(-κ s)), κ = 1/√(1 + π v/8) (MacKay 1992). The sign stays, the order may change.
    """
    if variances is None:
        raise UsageError(
            "moderated probabilities need the variances of the scores: ask the predictor for them"
        )
    values = checked_scores(scores)
    spread = checked_scores(variances, "variances of scores")
    if spread.shape != values.shape or (spread < 0).any():
        raise UsageError(
            f"variances of scores are numbers of 0 or more, one for each of "
            f"{' × '.join(map(str, values.shape))} scores"
        )
    moderated: Floats = values / np.sqrt(1.0 + np.pi / 8.0 * spread)
    return moderated

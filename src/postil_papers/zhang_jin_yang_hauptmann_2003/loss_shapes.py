"""Figure 1: the smoothed losses beside the SVM's; they are formulas, and need no documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from postil.common.types import Floats
from postil_papers.cache import code_fingerprint
from postil_papers.experiment import CellValues, Experiment, Fill, Settings, by_name
from postil_papers.paper import axis_column

Shape: TypeAlias = Callable[[Floats], Floats]

GAMMAS = (1, 2, 5, 10)
PLACES = tuple(float(z) for z in range(-3, 4))


def svm_loss(z: Floats) -> Floats:
    """``g_svm(z) = max(0, 1 - z)``."""
    return np.maximum(0.0, 1 - z)


def smoothed_loss(gamma: float, z: Floats) -> Floats:
    """``g_γ(z) = ln(1 + exp(-γ(z - 1)))/γ`` (equation 1), without overflow."""
    return np.logaddexp(0.0, gamma * (1 - z)) / gamma


# By the names of the series, the sharpest last.
LOSSES: dict[str, Shape] = {
    "SVM": svm_loss,
    **{f"γ = {gamma}": partial(smoothed_loss, float(gamma)) for gamma in GAMMAS},
}


def run_losses(_: Settings) -> CellValues:
    """The losses at whole margins."""
    z = np.array(PLACES)
    return {
        ("figure1", name, axis_column(place)): float(value)
        for name, loss in LOSSES.items()
        for place, value in zip(PLACES, loss(z), strict=True)
    }


EXPERIMENTS = by_name(
    Experiment(
        name="losses",
        run=run_losses,
        fills=(Fill("figure1", tuple(LOSSES), tuple(axis_column(z) for z in PLACES)),),
        code=code_fingerprint(__name__),
    )
)

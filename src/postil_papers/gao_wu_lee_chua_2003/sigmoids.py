"""Figure 2: the class loss (eq. 4.7) with three α and β; a formula, and no documents."""

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

FIGURE = "figure2"
PLACES = tuple(float(d) for d in range(-6, 7))
# The first is named in the text; of the others it tells what α and β do.
SETTINGS = ((1.0, 0.0), (5.0, 0.0), (1.0, 2.0))


def class_loss(alpha: float, beta: float, d: Floats) -> Floats:
    """``l(d) = 1 / (1 + exp(-α(d + β)))``, without overflow."""
    return np.exp(-np.logaddexp(0.0, -alpha * (d + beta)))


SHAPES: dict[str, Shape] = {
    f"α = {alpha:g}, β = {beta:g}": partial(class_loss, alpha, beta) for alpha, beta in SETTINGS
}


def run_shapes(_: Settings) -> CellValues:
    """The losses at whole d."""
    d = np.array(PLACES)
    return {
        (FIGURE, name, axis_column(place)): float(value)
        for name, shape in SHAPES.items()
        for place, value in zip(PLACES, shape(d), strict=True)
    }


EXPERIMENTS = by_name(
    Experiment(
        name="sigmoids",
        run=run_shapes,
        fills=(Fill(FIGURE, tuple(SHAPES), tuple(axis_column(d) for d in PLACES)),),
        code=code_fingerprint(__name__),
    )
)

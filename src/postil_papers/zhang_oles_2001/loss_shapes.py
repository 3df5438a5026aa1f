"""Figure 4: the losses at places along the margin; they are formulas, and need no documents."""

from __future__ import annotations

import numpy as np

from postil_papers.cache import code_fingerprint
from postil_papers.experiment import CellValues, Experiment, Fill, Settings, by_name
from postil_papers.paper import axis_column
from postil_papers.zhang_oles_2001.figures import LOSSES

NAMES = ("g(z)", "ln(1 + exp(-z))", "ln(1 + exp(3(1 - z)))/3")
PLACES = tuple(float(z) for z in range(-3, 4))


def run_losses(_: Settings) -> CellValues:
    """The three losses at whole margins."""
    z = np.array(PLACES)
    return {
        ("figure4", name, axis_column(place)): float(value)
        for name, loss in zip(NAMES, LOSSES, strict=True)
        for place, value in zip(PLACES, loss(z), strict=True)
    }


EXPERIMENTS = by_name(
    Experiment(
        name="losses",
        run=run_losses,
        fills=(Fill("figure4", NAMES, tuple(axis_column(z) for z in PLACES)),),
        code=code_fingerprint(__name__, "postil_papers.zhang_oles_2001.figures"),
    )
)

"""Figure 1: micro-averaged precision against recall on the ten largest categories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.paper import axis_column
from postil_papers.zhang_2000.methods import RECIPES, Load, with_selection
from postil_papers.zhang_2000.runs import experiment, facts_of

FIGURE = "figure1"
METHODS = ("SVM", "LM-NWin", "Perceptron")


def run_curve(method: str, settings: Settings) -> CellValues:
    """The curve of one method: precision by recall, in percent."""
    recalls = cast("Sequence[float]", settings["recalls"])
    precision = facts_of(settings, method).precision
    return {
        (FIGURE, method, axis_column(recall)): value
        for recall, value in zip(recalls, precision, strict=True)
    }


def experiments(load: Load) -> list[Experiment]:
    """A curve each, of table 1's runs."""
    return [
        experiment(
            f"curve of {method}",
            {method: with_selection(load(RECIPES[method]))},
            partial(run_curve, method),
            (Fill(FIGURE, rows=(method,)),),
            __name__,
        )
        for method in METHODS
    ]

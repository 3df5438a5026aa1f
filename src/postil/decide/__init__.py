"""Decisions from scores: thresholds, ranks and proportions, and calibration to probabilities.

Names are loaded when first used, so that importing the package costs nothing; the modules have
more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.decide.calibration import CALIBRATIONS as CALIBRATIONS
    from postil.decide.folds import Folds as Folds
    from postil.decide.rules import RULES as RULES
    from postil.decide.rules import fit_rule as fit_rule
    from postil.decide.rules import parse_rule as parse_rule
    from postil.decide.scores import OutOfFoldScores as OutOfFoldScores
    from postil.decide.scores import TrainingScores as TrainingScores

_HOMES = {
    "calibration": ("CALIBRATIONS",),
    "folds": ("Folds",),
    "rules": ("RULES", "fit_rule", "parse_rule"),
    "scores": ("OutOfFoldScores", "TrainingScores"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

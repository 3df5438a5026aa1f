"""Decisions from scores: thresholds, ranks and proportions, and calibration to probabilities.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.decide.calibration import (
        CALIBRATIONS,
        Calibration,
        calibration_from_parts,
        calibration_needs,
        calibration_to_parts,
        fit_calibration,
    )
    from postil.decide.decision import DecisionRule, State
    from postil.decide.folds import Folds, make_folds, out_of_fold_scores
    from postil.decide.rules import RULES, RuleSpec, fit_rule, parse_rule
    from postil.decide.scores import Needs, OutOfFoldScores, TrainingScores

__all__ = [
    "CALIBRATIONS",
    "RULES",
    "Calibration",
    "DecisionRule",
    "Folds",
    "Needs",
    "OutOfFoldScores",
    "RuleSpec",
    "State",
    "TrainingScores",
    "calibration_from_parts",
    "calibration_needs",
    "calibration_to_parts",
    "fit_calibration",
    "fit_rule",
    "make_folds",
    "out_of_fold_scores",
    "parse_rule",
]

_HOMES = {
    "CALIBRATIONS": "calibration",
    "Calibration": "calibration",
    "DecisionRule": "decision",
    "Folds": "folds",
    "Needs": "scores",
    "OutOfFoldScores": "scores",
    "RULES": "rules",
    "RuleSpec": "rules",
    "State": "decision",
    "TrainingScores": "scores",
    "calibration_from_parts": "calibration",
    "calibration_needs": "calibration",
    "calibration_to_parts": "calibration",
    "fit_calibration": "calibration",
    "fit_rule": "rules",
    "make_folds": "folds",
    "out_of_fold_scores": "folds",
    "parse_rule": "rules",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

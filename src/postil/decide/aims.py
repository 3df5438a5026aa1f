"""The decision rule whose thresholds are tuned for a figure of merit.

Floors hold with 95 % confidence, in each category that is large enough and in all others together.
A pooled floor has the rule of single categories: a recall or precision that each category keeps is
kept by all together. Costs are kept for every category, however poor its scores: their rule has a
fallback floor of 0 (``fbr.1(0)``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from postil.common.types import Floats
from postil.decide.cuts import Cuts, Objective
from postil.decide.rules import RULES, out_of_fold_rule
from postil.errors import UsageError
from postil.learn.merit.figures import (
    BalancedError,
    FBeta,
    Figure,
    PlainError,
    PrecisionAtRecall,
    RecallAtPrecision,
    SmoothCounts,
    Utility,
    written,
)
from postil.learn.merit.naming import OwnFigure

TRUSTING = "fbr.1(0)"


def rule_for(figure: Figure) -> str:
    """Return the text of the decision rule that tunes thresholds, out of fold, for a figure."""
    return _RULES[type(figure)](figure)


def _f_beta(figure: FBeta) -> str:
    together = "micro-" if figure.pooled else ""
    if figure.beta == 1:
        return f"{together}f1"
    return f"{together}f-beta({written(figure.beta)})"


def _own(figure: OwnFigure) -> str:
    """Register a rule for a user's own figure, by the figure's name, and return that name."""
    taken = RULES.get(figure.name)
    if taken is not None and not taken.help.startswith(_OWN_HELP):
        raise UsageError(
            f"the figure {figure.name!r} has the name of a decision rule: give it another name"
        )
    RULES[figure.name] = out_of_fold_rule(
        figure.name, f"{_OWN_HELP} {figure.name}, out of fold", Objective(_value_of(figure))
    )
    return figure.name


_OWN_HELP = "highest value of a user's own figure"


def _value_of(figure: OwnFigure) -> Callable[[Cuts, float], Floats]:
    def value(cuts: Cuts, target: float) -> Floats:  # noqa: ARG001
        members = np.full_like(cuts.found, cuts.members)
        others = np.full_like(cuts.found, cuts.total - cuts.members)
        # Each cut is a problem by itself, whether or not the figure pools categories.
        values = figure.attained(SmoothCounts(cuts.found, cuts.wrong, members, others)).values
        return np.nan_to_num(values, nan=0.0)

    return value


_RULES: Mapping[type, Callable[[Any], str]] = MappingProxyType(
    {
        FBeta: _f_beta,
        PlainError: lambda _: "error",
        BalancedError: lambda _: "balanced-error",
        PrecisionAtRecall: lambda figure: f"sure-recall({written(figure.floor)})",
        RecallAtPrecision: lambda figure: f"sure-precision({written(figure.floor)})",
        Utility: lambda figure: f"cost({written(figure.price)}) {TRUSTING}",
        OwnFigure: _own,
    }
)

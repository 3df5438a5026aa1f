"""Measures, curves, significance tests and reports of decisions and scores.

``measure_run`` measures everything about one run and returns a ``Report``; ``compare_runs`` tests
two runs against each other. The other parts are in the modules of this package. Names are loaded
when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.evaluate.bootstrap import Plan
    from postil.evaluate.break_even import DEFINITIONS, break_even_points
    from postil.evaluate.comparisons import RunComparison, compare_runs
    from postil.evaluate.counts import count
    from postil.evaluate.curves import (
        cuts_of,
        cuts_of_categories,
        precision_recall_curve,
        roc_curve,
    )
    from postil.evaluate.measures import macro, macro_over_top, micro
    from postil.evaluate.report import Options, Provenance, Report, measure_run

__all__ = [
    "DEFINITIONS",
    "Options",
    "Plan",
    "Provenance",
    "Report",
    "RunComparison",
    "break_even_points",
    "compare_runs",
    "count",
    "cuts_of",
    "cuts_of_categories",
    "macro",
    "macro_over_top",
    "measure_run",
    "micro",
    "precision_recall_curve",
    "roc_curve",
]

_HOMES = {
    "DEFINITIONS": "break_even",
    "Options": "report",
    "Plan": "bootstrap",
    "Provenance": "report",
    "Report": "report",
    "RunComparison": "comparisons",
    "break_even_points": "break_even",
    "compare_runs": "comparisons",
    "count": "counts",
    "cuts_of": "curves",
    "cuts_of_categories": "curves",
    "macro": "measures",
    "macro_over_top": "measures",
    "measure_run": "report",
    "micro": "measures",
    "precision_recall_curve": "curves",
    "roc_curve": "curves",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

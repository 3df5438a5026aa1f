"""Measures, curves, significance tests and reports of decisions and scores.

``measure_run`` measures everything about one run and returns a ``Report``; ``compare_runs`` tests
two runs against each other. Names are loaded when first used, so that importing the package costs
nothing; the modules have more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.evaluate.bootstrap import Plan as Plan
    from postil.evaluate.break_even import DEFINITIONS as DEFINITIONS
    from postil.evaluate.break_even import break_even_points as break_even_points
    from postil.evaluate.comparisons import compare_runs as compare_runs
    from postil.evaluate.counts import Counted as Counted
    from postil.evaluate.coverage import CoverageCurve as CoverageCurve
    from postil.evaluate.coverage import coverage_curve as coverage_curve
    from postil.evaluate.curves import cuts_of as cuts_of
    from postil.evaluate.curves import precision_recall_curve as precision_recall_curve
    from postil.evaluate.curves import roc_curve as roc_curve
    from postil.evaluate.options import Options as Options
    from postil.evaluate.options import Provenance as Provenance
    from postil.evaluate.report import Report as Report
    from postil.evaluate.report import measure_run as measure_run
    from postil.evaluate.suggestions import measure_suggestions as measure_suggestions

_HOMES = {
    "bootstrap": ("Plan",),
    "break_even": ("DEFINITIONS", "break_even_points"),
    "comparisons": ("compare_runs",),
    "counts": ("Counted",),
    "coverage": ("CoverageCurve", "coverage_curve"),
    "curves": ("cuts_of", "precision_recall_curve", "roc_curve"),
    "options": ("Options", "Provenance"),
    "report": ("Report", "measure_run"),
    "suggestions": ("measure_suggestions",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Decisions and scores to measures, curves, significance tests, reports.

``measure_run`` measures everything about one run and returns a ``Report``; ``compare_runs``
tests two runs against each other. The parts they are made of are here too. Names are loaded when
first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.evaluate.averages import (
        Average,
        Statistic,
        f1_of_means,
        macro,
        macro_f1_of_means,
        macro_over_top,
        macro_statistic,
        mean_over_categories,
        micro,
        micro_statistic,
        top_categories,
    )
    from postil.evaluate.bootstrap import (
        Difference,
        Interval,
        Plan,
        bootstrap_difference,
        bootstrap_documents,
        bootstrap_intervals,
        bootstrap_mean,
    )
    from postil.evaluate.breakeven import DEFINITIONS, BreakEvenPoints, break_even_points
    from postil.evaluate.calibration import (
        BINNINGS,
        Calibration,
        calibration_of,
        calibration_of_categories,
        pooled_calibration,
    )
    from postil.evaluate.comparisons import (
        Comparison,
        Discordance,
        discordant_decisions,
        discordant_documents,
        mcnemar,
        micro_sign_test,
        wilcoxon,
    )
    from postil.evaluate.counts import RULES, Counts, count
    from postil.evaluate.curves import (
        Cuts,
        PrecisionRecallCurve,
        RocCurve,
        average_precision,
        cuts_of,
        cuts_of_categories,
        precision_recall_curve,
        roc_area,
        roc_curve,
    )
    from postil.evaluate.measures import (
        MEASURES,
        Measure,
        exact_match,
        f_beta,
        f_beta_measure,
        is_single_label,
        single_label_accuracy,
    )
    from postil.evaluate.measuring import RunComparison, compare_runs, measure_run, run_statistics
    from postil.evaluate.ranking import AVERAGINGS, Ranking, micro_cuts, rank_categories
    from postil.evaluate.report import Options, Provenance, Report


__all__ = [
    "AVERAGINGS",
    "BINNINGS",
    "DEFINITIONS",
    "MEASURES",
    "RULES",
    "Average",
    "BreakEvenPoints",
    "Calibration",
    "Comparison",
    "Counts",
    "Cuts",
    "Difference",
    "Discordance",
    "Interval",
    "Measure",
    "Options",
    "Plan",
    "PrecisionRecallCurve",
    "Provenance",
    "Ranking",
    "Report",
    "RocCurve",
    "RunComparison",
    "Statistic",
    "average_precision",
    "bootstrap_difference",
    "bootstrap_documents",
    "bootstrap_intervals",
    "bootstrap_mean",
    "break_even_points",
    "calibration_of",
    "calibration_of_categories",
    "compare_runs",
    "count",
    "cuts_of",
    "cuts_of_categories",
    "discordant_decisions",
    "discordant_documents",
    "exact_match",
    "f1_of_means",
    "f_beta",
    "f_beta_measure",
    "is_single_label",
    "macro",
    "macro_f1_of_means",
    "macro_over_top",
    "macro_statistic",
    "mcnemar",
    "mean_over_categories",
    "measure_run",
    "micro",
    "micro_cuts",
    "micro_sign_test",
    "micro_statistic",
    "pooled_calibration",
    "precision_recall_curve",
    "rank_categories",
    "roc_area",
    "roc_curve",
    "run_statistics",
    "single_label_accuracy",
    "top_categories",
    "wilcoxon",
]

_HOMES = {
    "exact_match": "measures",
    "is_single_label": "measures",
    "single_label_accuracy": "measures",
    "Average": "averages",
    "Statistic": "averages",
    "f1_of_means": "averages",
    "macro": "averages",
    "macro_f1_of_means": "averages",
    "macro_over_top": "averages",
    "macro_statistic": "averages",
    "mean_over_categories": "averages",
    "micro": "averages",
    "micro_statistic": "averages",
    "top_categories": "averages",
    "Difference": "bootstrap",
    "Interval": "bootstrap",
    "Plan": "bootstrap",
    "bootstrap_difference": "bootstrap",
    "bootstrap_documents": "bootstrap",
    "bootstrap_intervals": "bootstrap",
    "bootstrap_mean": "bootstrap",
    "DEFINITIONS": "breakeven",
    "BreakEvenPoints": "breakeven",
    "break_even_points": "breakeven",
    "BINNINGS": "calibration",
    "Calibration": "calibration",
    "calibration_of": "calibration",
    "calibration_of_categories": "calibration",
    "pooled_calibration": "calibration",
    "RunComparison": "measuring",
    "compare_runs": "measuring",
    "Comparison": "comparisons",
    "Discordance": "comparisons",
    "discordant_decisions": "comparisons",
    "discordant_documents": "comparisons",
    "mcnemar": "comparisons",
    "micro_sign_test": "comparisons",
    "wilcoxon": "comparisons",
    "Counts": "counts",
    "count": "counts",
    "PrecisionRecallCurve": "curves",
    "RocCurve": "curves",
    "average_precision": "curves",
    "precision_recall_curve": "curves",
    "roc_area": "curves",
    "roc_curve": "curves",
    "Cuts": "curves",
    "cuts_of": "curves",
    "cuts_of_categories": "curves",
    "MEASURES": "measures",
    "Measure": "measures",
    "f_beta": "measures",
    "f_beta_measure": "measures",
    "measure_run": "measuring",
    "run_statistics": "measuring",
    "AVERAGINGS": "ranking",
    "micro_cuts": "ranking",
    "Ranking": "ranking",
    "rank_categories": "ranking",
    "Options": "report",
    "Provenance": "report",
    "Report": "report",
    "RULES": "counts",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

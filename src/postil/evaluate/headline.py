"""The numbers that a reader wants first, with their intervals.

For single-label data these are accuracy and macro-F1, else micro-F1 and macro-F1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from postil.decide.scores import Csr
from postil.evaluate.bootstrap import Interval, Plan, bootstrap_intervals
from postil.evaluate.counts import UNDEFINED
from postil.evaluate.measures import macro_resampled, micro_statistic

if TYPE_CHECKING:
    from postil.evaluate.report import Report

FEWEST, MOST = 200, 1000  # resamples
WORK = 60_000_000  # drawn documents and labels in about half a second


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, and the method of the interval."""

    value: float
    low: float
    high: float
    level: float
    method: str


def headline(report: Report) -> dict[str, Estimate]:
    """Return the numbers that a reader wants first, by name.

    The interval of accuracy is Wilson's; the others are bootstrap intervals over documents, by the
    plan of the report or as many of 200 to 1000 resamples as take about half a second.
    """
    plan = report.options.plan or quick_plan(report.members, report.decided)
    statistics = {"macro_f1": macro_resampled("f1", report.options.undefined, report.counts)}
    first: dict[str, Estimate] = {}
    if report.accuracy is None:
        statistics = {"micro_f1": micro_statistic("f1"), **statistics}
    else:
        first["accuracy"] = wilson(report.accuracy, report.members.shape[0], plan.level)
    intervals = bootstrap_intervals(
        report.members, report.decided, statistics, plan, report.counted
    )
    return first | {name: _estimate(each) for name, each in intervals.items()}


def wilson(share: float, cases: int, level: float = 0.95) -> Estimate:
    """Return the share of cases with Wilson's score interval; undefined without cases."""
    if not cases:
        return Estimate(UNDEFINED, UNDEFINED, UNDEFINED, level, "wilson")
    from scipy import stats

    found = stats.binomtest(round(share * cases), cases)
    interval = found.proportion_ci(level, method="wilson")
    return Estimate(share, float(interval.low), float(interval.high), level, "wilson")


def quick_plan(members: Csr, decided: Csr) -> Plan:
    """Return a plan of as many resamples as are cheap for the size of the data."""
    size = sum(members.shape) + members.nnz + decided.nnz
    return Plan(int(np.clip(WORK // max(size, 1), FEWEST, MOST)))


def _estimate(interval: Interval) -> Estimate:
    return Estimate(interval.value, interval.low, interval.high, interval.level, "bootstrap")

"""The measures to take of a run, their rules, and the origin of the run."""

from __future__ import annotations

from dataclasses import dataclass

from postil.errors import UsageError
from postil.evaluate.bootstrap import Plan
from postil.evaluate.counts import Counts, rule_named
from postil.evaluate.measures import (
    MEASURES,
    Measure,
    Statistic,
    f1_of_means,
    f_beta_measure,
    macro_resampled,
    macro_statistic,
    micro_statistic,
)
from postil.evaluate.suggestions import RANKS, checked_ranks
from postil.learn.merit.naming import figure_named


@dataclass(frozen=True)
class Provenance:
    """The origin of the numbers: corpus, split, method, decision rule, and notes.

    ``folds`` is the number of folds if the numbers are out of fold.
    """

    corpus: str | None = None
    split: str | None = None
    method: str | None = None
    decision_rule: str | None = None
    notes: tuple[str, ...] = ()
    folds: int | None = None


@dataclass(frozen=True)
class Options:
    """The measures to take, and their rules.

    Parameters
    ----------
    undefined:
        Name of the rule for undefined values in macro-averages.
    betas:
        Betas of further F-beta measures.
    top:
        Numbers k of largest categories to average over; the average over all is always there.
    at:
        Numbers k of first labels to measure as suggestions; by default 1, 3 and 5, or those of
        them that are no more than the categories.
    bins, binning:
        Number and kind of calibration bins.
    plan:
        Bootstrap intervals to compute, or None.
    curve_points:
        Number of points of a curve in JSON.
    aim:
        Measure that the model was trained for, as
        :func:`postil.learn.merit.naming.figure_named` reads it.
    min_probability:
        Minimum probability of a label at which to show precision and coverage. By default that of
        the model's route; 0 shows none.
    """

    undefined: str = "zero"
    betas: tuple[float, ...] = ()
    top: tuple[int, ...] = (5, 10, 20, 40, 60, 80, 100)
    at: tuple[int, ...] | None = None
    bins: int = 10
    binning: str = "width"
    plan: Plan | None = None
    curve_points: int | None = 201
    aim: str | None = None
    min_probability: float | None = None

    def __post_init__(self) -> None:
        rule_named(self.undefined)
        self.measures()
        if self.aim is not None:
            figure_named(self.aim)
        if min(self.top, default=1) < 1:
            raise UsageError(f"top: each number of categories must be at least 1, got {self.top}")

        checked_ranks(self.at or ())

    def ranks(self, categories: int) -> tuple[int, ...]:
        """Return the numbers of first labels to measure as suggestions."""
        return tuple(k for k in RANKS if k <= categories) if self.at is None else self.at

    def measures(self) -> dict[str, Measure]:
        """Return the measures of decisions to take, by name."""
        return {**MEASURES, **{m.name: m for m in map(f_beta_measure, self.betas)}}


def run_statistics(options: Options, observed: Counts | None = None) -> dict[str, Statistic]:
    """Return the measures of counts that intervals and comparisons take, by name.

    With the ``observed`` counts of a run, macro-averages leave out the categories that a resample
    leaves without a document; see :func:`postil.evaluate.measures.macro_resampled`.
    """
    rule = options.undefined
    statistics: dict[str, Statistic] = {}
    for name, measure in options.measures().items():
        statistics[f"micro_{name}"] = micro_statistic(measure)
        statistics[f"macro_{name}"] = (
            macro_statistic(measure, rule)
            if observed is None
            else macro_resampled(measure, rule, observed)
        )
    statistics["macro_f1_of_means"] = lambda counts: f1_of_means(counts, rule)
    return statistics

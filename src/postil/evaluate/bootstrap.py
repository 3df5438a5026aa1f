"""Bootstrap intervals: the spread of a number over other documents of the same kind.

Documents are drawn with replacement, as many as there are and with all their categories; each draw
is measured anew, and an interval holds the middle share of the results (percentile bootstrap). The
draws depend only on the number of documents and the plan, so that every measure and every run get
the same draws and the interval of a difference is a paired one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from postil.common.types import Floats, Indices, Ints
from postil.decide.scores import Sparse
from postil.errors import UsageError
from postil.evaluate.counts import (
    EVERYTHING,
    UNDEFINED,
    Counted,
    Counts,
    checked_pair,
    count,
    intersection,
)
from postil.evaluate.measures import Statistic

BLOCK = 1 << 22


@dataclass(frozen=True)
class Plan:
    """The number of resamples, their seed, and the level of an interval."""

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.resamples < 1 or not 0 < self.level < 1:
            raise UsageError(
                "bootstrap: needs at least 1 resample and a level between 0 and 1, got "
                f"{self.resamples} and {self.level}"
            )

    def draws(self, documents: int, width: int = 1) -> Iterator[Indices]:
        """Yield draws of documents, a block of resamples (rows) at a time.

        A block is at most 32 MB of numbers, for documents as for ``width`` (the categories), or
        one resample. The blocks do not change the draws.
        """
        generator = np.random.default_rng(self.seed)
        rows = max(1, BLOCK // max(documents, width, 1))
        for start in range(0, self.resamples, rows):
            size = (min(rows, self.resamples - start), documents)
            yield generator.integers(0, max(documents, 1), size)


@dataclass(frozen=True)
class Interval:
    """A value and its bootstrap interval.

    ``undefined`` counts the resamples in which the measure was undefined; the interval is over the
    others, and is undefined without any.
    """

    value: float
    low: float
    high: float
    level: float
    resamples: int
    seed: int
    undefined: int


@dataclass(frozen=True)
class Difference(Interval):
    """Left minus right with its interval, and a two-sided p-value for no difference.

    ``p_value`` is twice the smaller of the shares of resamples (the one observed included) at or
    below 0 and at or above 0, at most 1.
    """

    p_value: float


def bootstrap_intervals(
    truth: Sparse,
    decisions: Sparse,
    statistics: Mapping[str, Statistic],
    plan: Plan | None = None,
    counted: Counted = EVERYTHING,
) -> dict[str, Interval]:
    """Return intervals of measures that are functions of counts, all from the same draws.

    Costs resamples × (non-zeros + documents + categories); nothing grows with documents ×
    categories.

    Parameters
    ----------
    truth, decisions:
        Sparse indicators of documents × categories.
    statistics:
        Functions of counts, by name.
    plan:
        Resamples, seed and level.
    counted:
        Weights of documents and known memberships.
    """
    plan = plan or Plan()
    drawn = _drawn(truth, decisions, statistics, plan, counted)
    observed = count(truth, decisions, counted)
    return {
        name: _interval(float(statistics[name](observed)), values, plan)
        for name, values in drawn.items()
    }


def bootstrap_difference(
    truth: Sparse,
    left: Sparse,
    right: Sparse,
    statistics: Mapping[str, Statistic],
    plan: Plan | None = None,
) -> dict[str, Difference]:
    """Return intervals of the difference of two runs on the same documents, draw by draw."""
    plan = plan or Plan()
    first, second = (_drawn(truth, run, statistics, plan) for run in (left, right))
    counts = count(truth, left), count(truth, right)
    differences = {}
    for name, statistic in statistics.items():
        observed = float(statistic(counts[0])) - float(statistic(counts[1]))
        values = first[name] - second[name]
        interval = _interval(observed, values, plan)
        differences[name] = Difference(**vars(interval), p_value=_no_difference(observed, values))
    return differences


def bootstrap_mean(values: Floats, plan: Plan | None = None) -> Interval:
    """Return an interval of the mean of a value per document, such as right or wrong."""
    plan = plan or Plan()
    if len(values) == 0:
        return _interval(UNDEFINED, np.full(plan.resamples, UNDEFINED), plan)
    means = [values[draws].mean(axis=1) for draws in plan.draws(len(values))]
    return _interval(float(values.mean()), np.concatenate(means), plan)


def _drawn(
    truth: Sparse,
    decisions: Sparse,
    statistics: Mapping[str, Statistic],
    plan: Plan,
    counted: Counted = EVERYTHING,
) -> dict[str, Floats]:
    """Return the statistics of every resample."""
    members, decided = checked_pair(truth, decisions)
    both = intersection(members, decided)
    values: dict[str, list[Floats]] = {name: [] for name in statistics}
    for draws in plan.draws(*members.shape):
        times = _times(draws)
        found, accepted, belonging = (
            counted.sums(part, times) for part in (both, decided, members)
        )
        cases = counted.cases(int(members.shape[0]), times)
        counts = Counts(found, accepted - found, belonging - found, cases)
        for name, statistic in statistics.items():
            values[name].append(np.asarray(statistic(counts), np.float64))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def _times(draws: Indices) -> Ints:
    """Count the draws of each document: documents × resamples."""
    resamples, documents = draws.shape
    places = draws * resamples + np.arange(resamples)[:, None]
    drawn = np.bincount(places.ravel(), minlength=documents * resamples)
    return drawn.reshape(documents, resamples).astype(np.int64)


def _interval(value: float, drawn: Floats, plan: Plan) -> Interval:
    defined = drawn[~np.isnan(drawn)]
    low = high = UNDEFINED
    if len(defined) and not np.isnan(value):
        tail = (1 - plan.level) / 2
        low, high = (float(end) for end in np.quantile(defined, [tail, 1 - tail]))
    undefined = len(drawn) - len(defined)
    return Interval(value, low, high, plan.level, plan.resamples, plan.seed, undefined)


def _no_difference(observed: float, drawn: Floats) -> float:
    defined = drawn[~np.isnan(drawn)]
    if np.isnan(observed) or not len(defined):
        return UNDEFINED
    below = 1 + int((defined <= 0).sum())
    above = 1 + int((defined >= 0).sum())
    return min(1.0, 2 * min(below, above) / (len(defined) + 1))

"""How far a number would move if other documents of the same kind had been tested.

Documents are drawn with replacement, as many as there are; each draw is measured anew, and an
interval holds the middle share of what came out (percentile bootstrap). Documents are drawn
whole, with all their categories, so that what one document does to several categories is kept
together. The draws depend on the number of documents, the number of resamples and the seed
alone: the same plan gives every measure and every run the same draws, which is what makes the
interval of a difference a paired one.

A rare category has no member in many of the draws, and its measures are undefined there. Under
the rule ``zero`` a macro-average is therefore lower in the draws than on the documents as they
are, and its interval may lie below its value; ``skip`` avoids that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.evaluate.averages import Statistic
from postil.evaluate.counts import UNDEFINED, Counts, count, intersection, plain, plain_fields
from postil.evaluate.inputs import checked_pair
from postil.features.inputs import Csr, Indices, Sparse

BLOCK = 1 << 22


@dataclass(frozen=True)
class Plan:
    """How many resamples, from which seed, and how wide an interval."""

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
        """Draw documents, a block of resamples (rows) at a time.

        A block is at most 32 MB of numbers, for documents as for ``width`` (the categories), or
        one resample; how the resamples are cut into blocks does not change them.
        """
        generator = np.random.default_rng(self.seed)
        rows = max(1, BLOCK // max(documents, width, 1))
        for start in range(0, self.resamples, rows):
            size = (min(rows, self.resamples - start), documents)
            yield generator.integers(0, max(documents, 1), size)


@dataclass(frozen=True)
class Interval:
    """A value and its bootstrap interval.

    ``undefined`` counts resamples in which the measure was undefined; the interval is over the
    others, and undefined if there are none.
    """

    value: float
    low: float
    high: float
    level: float
    resamples: int
    seed: int
    undefined: int

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields(vars(self))


@dataclass(frozen=True)
class Difference:
    """Left minus right with its interval, and a two-sided p-value for no difference.

    ``p_value`` is twice the smaller of the shares of resamples (the one observed included) at or
    below 0 and at or above 0, at most 1.
    """

    interval: Interval
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return {**self.interval.to_dict(), "p_value": plain(self.p_value)}


def bootstrap_intervals(
    truth: Sparse, decisions: Sparse, statistics: Mapping[str, Statistic], plan: Plan | None = None
) -> dict[str, Interval]:
    """Intervals for measures that are functions of counts, all from the same draws.

    Costs resamples × (non-zeros + documents + categories); nothing grows with documents ×
    categories.
    """
    plan = plan or Plan()
    drawn = _drawn(truth, decisions, statistics, plan)
    observed = count(truth, decisions)
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
    """Intervals for the difference of two runs on the same documents, draw by draw."""
    plan = plan or Plan()
    first, second = (_drawn(truth, run, statistics, plan) for run in (left, right))
    counts = count(truth, left), count(truth, right)
    differences = {}
    for name, statistic in statistics.items():
        observed = float(statistic(counts[0])) - float(statistic(counts[1]))
        values = first[name] - second[name]
        differences[name] = Difference(
            _interval(observed, values, plan), _no_difference(observed, values)
        )
    return differences


def bootstrap_mean(values: Floats, plan: Plan | None = None) -> Interval:
    """An interval for the mean of a value per document, such as accuracy's right or wrong."""
    plan = plan or Plan()
    if len(values) == 0:
        return _interval(UNDEFINED, np.full(plan.resamples, UNDEFINED), plan)
    means = [values[draws].mean(axis=1) for draws in plan.draws(len(values))]
    return _interval(float(values.mean()), np.concatenate(means), plan)


def bootstrap_documents(
    measure: Callable[[Indices], float], documents: int, plan: Plan | None = None
) -> Interval:
    """An interval for any measure whatever, called with the row numbers of each resample.

    For measures of scores, such as break-even points. Costs one call of ``measure`` for each
    resample.
    """
    plan = plan or Plan()
    values = [measure(rows) for draws in plan.draws(documents) for rows in draws]
    return _interval(measure(np.arange(documents)), np.array(values, np.float64), plan)


def _drawn(
    truth: Sparse, decisions: Sparse, statistics: Mapping[str, Statistic], plan: Plan
) -> dict[str, Floats]:
    """The statistics of every resample."""
    members, decided = checked_pair(truth, decisions)
    both = intersection(members, decided)
    values: dict[str, list[Floats]] = {name: [] for name in statistics}
    for draws in plan.draws(*members.shape):
        times = _times(draws)
        found, accepted, belonging = (_summed(part, times) for part in (both, decided, members))
        counts = Counts(found, accepted - found, belonging - found, int(members.shape[0]))
        for name, statistic in statistics.items():
            values[name].append(np.asarray(statistic(counts), np.float64))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def _times(draws: Indices) -> Ints:
    """How often each document was drawn: documents × resamples."""
    resamples, documents = draws.shape
    places = draws * resamples + np.arange(resamples)[:, None]
    drawn = np.bincount(places.ravel(), minlength=documents * resamples)
    return drawn.reshape(documents, resamples).astype(np.int64)


def _summed(indicator: Csr, times: Ints) -> Ints:
    """Count the True entries of each category in each resample: resamples × categories."""
    sums = indicator.T.astype(np.int64) @ times
    return np.asarray(sums, np.int64).T


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

"""Strengths that were tried, and what the documents held out say of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.learn.search_choice import choose, jackknife
from postil.learn.search_problems import Measure

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Strengths by category, the strongest first, with their tallies.

    ``tried``, ``known`` and ``unfinished`` are points × categories, ``counts`` is rounds × points ×
    categories × what the measure counts. Where a strength is not ``known`` it was not tried: its
    counts are those of the point before, which only sums over categories look at.
    """

    measure: Measure
    tried: Floats
    counts: Floats
    known: Flags
    unfinished: NDArray[np.int64]

    def together(self) -> tuple[Floats, Floats]:
        """The measure of all categories together at each point, and its standard error."""
        pooled = self.counts.sum(axis=2)
        return self.measure.value(pooled.sum(axis=0)), jackknife(pooled, self.measure.value)

    def by_category(self) -> tuple[Floats, Floats]:
        """The same for each category, points × categories; undefined where not known."""
        values = self.measure.value(self.counts.sum(axis=0))
        errors = jackknife(self.counts, self.measure.value)
        return np.where(self.known, values, np.nan), np.where(self.known, errors, np.nan)

    def worth(self, values: Floats) -> Floats:
        """Values of which more is better."""
        return values if self.measure.higher_is_better else -values

    def choice(self, values: Floats, errors: Floats, *, one_standard_error: bool) -> int:
        """The point of the best value, or the strongest within a standard error of it."""
        return choose(self.worth(values), errors if one_standard_error else None)

    def at(self, picks: Rows) -> Floats:
        """The strength of each category at the point picked for it."""
        result: Floats = np.take_along_axis(self.tried, picks[None, :], axis=0)[0]
        return result

    def head(self, points: int) -> Measured:
        """The first points."""
        return Measured(
            self.measure,
            self.tried[:points],
            self.counts[:, :points],
            self.known[:points],
            self.unfinished[:points],
        )

    def sorted(self, order: Rows) -> Measured:
        """The same with each category's points in an order of its own, points × categories."""
        return Measured(
            self.measure,
            np.take_along_axis(self.tried, order, axis=0),
            np.take_along_axis(self.counts, order[None, :, :, None], axis=1),
            np.take_along_axis(self.known, order, axis=0),
            np.take_along_axis(self.unfinished, order, axis=0),
        )


def all_equal(values: Floats) -> Flags:
    """Categories whose measure says nothing of the strength: the same or undefined at each."""
    known = np.where(np.isnan(values), -np.inf, values)
    equal: Flags = (len(values) > 1) & (known == known[0]).all(axis=0)
    return equal

"""The terms a category never uses, best first, without looking at all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.features.evidence import Basis
from postil.features.inputs import Floats, Indices
from postil.features.measures import Measure

FIRST_STRETCH = 1024


class AbsentTerms:
    """Absent terms in the orders their measure declares, shared by all categories.

    Built once: sorting costs ``terms·log(terms)``. Asking for the best k of a category that
    touches t terms costs ``k + t``.
    """

    def __init__(
        self,
        measure: Measure[Any],
        basis: Basis[Any],
        tie_order: NDArray[np.intp],
        eligible: NDArray[np.bool_],
    ) -> None:
        self._measure = measure
        self._basis = basis
        self._orders = [
            _filtered(np.lexsort((tie_order, -key(basis))), eligible) for key in measure.absent
        ]
        self._taken = np.zeros(len(eligible), dtype=np.bool_)

    def best(self, count: int, touched: Indices, category: float) -> tuple[Indices, Floats]:
        """Find a set with the best ``count`` absent terms of the category, and their scores."""
        reach = count + len(touched)
        return self._collect([order[:reach] for order in self._orders], count, touched, category)

    def above(self, threshold: float, touched: Indices, category: float) -> tuple[Indices, Floats]:
        """Find a set with every absent term that scores ``threshold`` or more, and the scores."""
        stretches = [order[: self._reach(order, threshold, category)] for order in self._orders]
        return self._collect(stretches, len(self._taken), touched, category)

    def _reach(self, order: Indices, threshold: float, category: float) -> int:
        """How far into ``order`` scores stay at or over the threshold; stretches double."""
        reached = 0
        for start, stop in _doubling(len(order)):
            over = self._scores(order[start:stop], category) >= threshold
            reached = start + int(np.argmin(over)) if not over.all() else stop
            if reached < stop:
                break
        return reached

    def _collect(
        self, stretches: Sequence[Indices], count: int, touched: Indices, category: float
    ) -> tuple[Indices, Floats]:
        self._taken[touched] = True
        kept: list[Indices] = []
        for stretch in stretches:
            kept.append(stretch[~self._taken[stretch]][:count])
            self._taken[kept[-1]] = True
        terms = np.concatenate(kept)
        self._taken[touched] = False
        self._taken[terms] = False
        return terms, self._scores(terms, category)

    def _scores(self, terms: Indices, category: float) -> Floats:
        table = self._basis.table(terms, np.full(len(terms), category), np.zeros(len(terms)))
        return self._measure.strength(self._measure.formula(table))


def _filtered(order: NDArray[np.intp], eligible: NDArray[np.bool_]) -> NDArray[np.intp]:
    return order[eligible[order]]


def _doubling(length: int) -> Iterator[tuple[int, int]]:
    start, stop = 0, FIRST_STRETCH
    while start < length:
        yield start, min(stop, length)
        start, stop = stop, 2 * stop

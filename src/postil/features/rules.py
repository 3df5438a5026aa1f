"""How many terms a category keeps: its best k, all that score high enough, or above a bar.

The terms a category never uses, best first, without looking at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.evidence import Basis
from postil.features.inputs import Indices
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


class Rule(Protocol):
    """What a category keeps of its candidates, and how many absent terms are candidates."""

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find the absent terms that may have to be kept, with their scores."""
        ...

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:
        """Keep some of the candidates, in any order."""
        ...


@dataclass(frozen=True)
class Best:
    """The ``k`` terms that score highest; of equal scores those first in ``tie_order``."""

    k: int

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find the best k absent terms."""
        return terms.best(self.k, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:
        """Keep the best k; linear in the candidates, sorting only the ties for the last places."""
        spare = len(terms) - self.k
        if spare <= 0:
            return terms
        if self.k == 0:
            return terms[:0]
        last = np.partition(scores, spare)[spare]
        sure = terms[scores > last]
        tied = terms[scores == last]
        places = self.k - len(sure)
        return np.concatenate([sure, tied[np.argsort(tie_order[tied])[:places]]])


@dataclass(frozen=True)
class AtLeast:
    """Every term whose score reaches ``threshold``."""

    threshold: float

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find all absent terms at or over the threshold."""
        return terms.above(self.threshold, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:  # noqa: ARG002
        """Keep those at or over the threshold."""
        return terms[scores >= self.threshold]


@dataclass(frozen=True)
class Above:
    """Every term whose score is above ``bar``."""

    bar: float

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find all absent terms at or over the bar."""
        return terms.above(self.bar, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:  # noqa: ARG002
        """Keep those above it."""
        return terms[scores > self.bar]


def rule_for(k: int | None, threshold: float | None) -> Rule:
    """Make the rule a caller asks for with exactly one of ``k`` and ``threshold``."""
    if k is not None and threshold is None:
        if k < 0:
            raise UsageError(f"k is how many terms a category keeps, 0 or more, got {k!r}")
        return Best(k)
    if threshold is not None and k is None:
        if np.isnan(threshold):
            raise UsageError("the threshold is not a number: give the lowest score to keep")
        return AtLeast(threshold)
    raise UsageError(f"say exactly one of k and threshold, got k={k!r} and threshold={threshold!r}")

"""The regularization path of one category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.learn.path_rows import point_rows, weight_rows
from postil.learn.report import FitReport
from postil.learn.strength import Way

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Entry:
    """A term that enters a path: where, with what weight, and what weight it ends with."""

    term: int
    point: int
    weight: float
    last: float


@dataclass(frozen=True, slots=True, eq=False)
class CategoryPath:
    """The path of one category, from strong to weak.

    ``values`` are the strengths as they were given, in the way ``way``; ``lambdas``, ``costs`` (C)
    and ``variances`` say them in each of the three. ``weights`` is points × terms.
    """

    name: str
    way: Way
    values: Floats
    lambdas: Floats
    costs: Floats
    variances: Floats
    weights: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def objectives(self) -> Floats:
        """The least value of the objective at each point."""
        return np.array([report.objective for report in self.reports])

    @property
    def certificates(self) -> Floats:
        """How near each fit is to the least value; see ``FitReport``."""
        return np.array([report.certificate for report in self.reports])

    @property
    def nonzeros(self) -> NDArray[np.int64]:
        """How many terms have a weight at each point."""
        return np.diff(self.weights.indptr).astype(np.int64)

    def entries(self) -> tuple[Entry, ...]:
        """The terms in the order in which they enter; at one point the largest weight first.

        Cost: sorting the weights that are not 0.
        """
        points = np.repeat(np.arange(len(self)), self.nonzeros)
        terms, weights = self.weights.indices, self.weights.data
        order = np.lexsort((points, terms))
        is_first = np.append(True, np.diff(terms[order]) > 0)[: len(order)]
        first = order[is_first]
        first = first[np.lexsort((terms[first], -np.abs(weights[first]), points[first]))]
        last = self.weights[[len(self) - 1]].toarray()[0] if len(self) else np.zeros(0)
        return tuple(
            Entry(int(terms[at]), int(points[at]), float(weights[at]), float(last[terms[at]]))
            for at in first
        )

    def to_rows(self, terms: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """A row for each weight that is not 0, and for the constant, point by point."""
        return weight_rows(self, terms)

    def to_points(self) -> list[dict[str, Any]]:
        """A row for each point: its strength in three ways, how many terms, how it was found."""
        return point_rows(self)

    def plot(
        self,
        axes: Axes | None = None,
        *,
        terms: Sequence[str] | None = None,
        over: Way | None = None,
        top: int = 8,
    ) -> Axes:
        """Draw weights against the logarithm of the strength, by matplotlib.

        The ``top`` terms of largest weight are drawn, over the way in which strengths were given
        unless ``over`` says another.
        """
        from postil.learn.path_plot import plot_path

        return plot_path(self, axes, terms, over or self.way, top)

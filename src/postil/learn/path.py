"""The regularization path: the fits of a category with one strength after the other.

See figures 2 and 3 of genkin-lewis-madigan-2004.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.escaping import escaped_json
from postil.common.suggest import advice
from postil.common.types import Floats
from postil.errors import MissingExtraError, UsageError
from postil.learn.fit import FitReport
from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.one_vs_rest import paths as one_vs_rest_paths
from postil.learn.search.auto import usual_ratio
from postil.learn.search.grids import (
    check_spacing,
    checked_grid,
    of_lambda,
    spaced,
    strong_first,
    weaker,
)
from postil.learn.strength import Strengths, Way

if TYPE_CHECKING:
    from matplotlib.axes import Axes


POINTS = 20
CONSTANT = "(constant)"
HEADER = ("category", "point", "lam", "C", "prior_variance", "terms", "term", "weight")
AXES: dict[Way, str] = {
    "lam": "λ, the strength of regularization",
    "C": "C, the weight of errors",
    "prior_variance": "prior variance",
}
REPORTED = ("objective", "certificate", "iterations", "stopped")
_COLUMNS: dict[Way, str] = {"lam": "lambdas", "C": "costs", "prior_variance": "variances"}


class Entry(NamedTuple):
    """A term that enters a path: the point, its weight there, and its weight at the last point."""

    term: int
    point: int
    weight: float
    last: float


class WeightCurve(NamedTuple):
    """The weight of one term along a path, by rising strength number."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CategoryPath:
    """The path of one category, from strong to weak.

    Attributes
    ----------
    name : str
        The category.
    way, values : str, array
        The strengths as they were given, and the way they were given in.
    lambdas, costs, variances : array
        The strengths as λ, as C and as prior variances.
    weights : sparse matrix
        Points × terms.
    intercepts : array
        The constant's score at each point.
    reports : tuple of FitReport
        The report of each point.
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
    def nonzeros(self) -> NDArray[np.int64]:
        """The number of terms with a weight at each point."""
        return np.diff(self.weights.indptr).astype(np.int64)

    def entries(self) -> tuple[Entry, ...]:
        """Return the terms in the order of entry; at one point the largest weight first.

        Costs a sort of the non-zero weights.
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
        """Yield a row for the constant and for each non-zero weight, point by point."""
        for point, count in enumerate(self.nonzeros.tolist()):
            head = {"category": self.name, **self._strength(point), "terms": count}
            yield {**head, "term": CONSTANT, "weight": float(self.intercepts[point])}
            for term, weight in self._weights(point, terms):
                yield {**head, "term": term, "weight": weight}

    def to_points(self) -> list[dict[str, Any]]:
        """Return a row for each point: its strength in three ways, its terms, and its report."""
        return [
            {
                **self._strength(point),
                "terms": int(count),
                "intercept": float(self.intercepts[point]),
                **{name: getattr(report, name) for name in REPORTED},
            }
            for point, (count, report) in enumerate(zip(self.nonzeros, self.reports, strict=True))
        ]

    def to_dict(self, terms: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the points with their weights, and the terms in the order of entry."""
        return {
            "category": self.name,
            "over": self.way,
            "points": [
                row | {"weights": dict(self._weights(row["point"], terms))}
                for row in self.to_points()
            ],
            "order": [
                {"term": _name(entry.term, terms), "point": entry.point, "weight": entry.weight}
                for entry in self.entries()
            ],
        }

    def weight_curves(self, terms: Sequence[str] | None, over: Way, top: int) -> list[WeightCurve]:
        """Return the curves of the ``top`` terms of largest weight on the path, largest first.

        Costs one pass over the non-zero weights, and the drawn columns.
        """
        size = abs(self.weights).max(axis=0).toarray().ravel()
        order = np.argsort(-size, kind="stable")[:top]
        chosen = order[size[order] > 0]
        along = getattr(self, _COLUMNS[over])
        rising = np.argsort(along, kind="stable")
        columns = self.weights[:, chosen].toarray()[rising]
        x = tuple(along[rising].tolist())
        return [
            WeightCurve(_name(int(term), terms), x, tuple(columns[:, at].tolist()))
            for at, term in enumerate(chosen)
        ]

    def plot(
        self,
        axes: Axes | None = None,
        *,
        terms: Sequence[str] | None = None,
        over: Way | None = None,
        top: int = 8,
    ) -> Axes:
        """Draw weights against the logarithm of the strength with matplotlib.

        Parameters
        ----------
        axes : matplotlib Axes or None
            Where to draw; None for new axes.
        terms : sequence of str or None
            The names of terms; None for their numbers.
        over : str or None
            The way of the strengths; None for the way in which they were given.
        top : int
            The number of terms to draw, those of largest weight.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtraError("drawing a path", "matplotlib", "plots") from error
        if axes is None:
            axes = Figure(layout="constrained").subplots()
        over = over or self.way
        for curve in self.weight_curves(terms, over, top):
            axes.plot(curve.x, curve.y, label=curve.name)
        axes.set_xscale("log")
        axes.set_xlabel(AXES[over])
        axes.set_ylabel("weight")
        axes.set_title(self.name)
        if axes.get_lines():
            axes.legend()
        return axes

    def _strength(self, point: int) -> dict[str, Any]:
        return {
            "point": point,
            **{way: float(getattr(self, name)[point]) for way, name in _COLUMNS.items()},
        }

    def _weights(self, point: int, terms: Sequence[str] | None) -> Iterator[tuple[str, float]]:
        cells = slice(*self.weights.indptr[point : point + 2])
        columns, weights = self.weights.indices[cells], self.weights.data[cells]
        for term, weight in zip(columns.tolist(), weights.tolist(), strict=True):
            yield _name(term, terms), weight


def _name(term: int, terms: Sequence[str] | None) -> str:
    return str(term) if terms is None else terms[term]


@dataclass(frozen=True, slots=True, eq=False)
class RegularizationPath:
    """The paths of some categories, each from its own strongest strength or all from one.

    The properties are arrays of points × categories; ``path["grain"]`` is the path of one category.
    """

    categories: tuple[CategoryPath, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(path.name for path in self.categories)

    @property
    def lambdas(self) -> Floats:
        """The strengths as λ."""
        return self._columns("lambdas")

    @property
    def costs(self) -> Floats:
        """The strengths as C."""
        return self._columns("costs")

    @property
    def variances(self) -> Floats:
        """The strengths as prior variances."""
        return self._columns("variances")

    def _columns(self, name: str) -> Floats:
        return np.stack([getattr(path, name) for path in self.categories], axis=1)

    def __iter__(self) -> Iterator[CategoryPath]:
        return iter(self.categories)

    def __getitem__(self, name: str) -> CategoryPath:
        if name not in self.names:
            raise UsageError(f"there is no category {name!r}{advice(name, sorted(self.names))}")
        return self.categories[self.names.index(name)]

    def to_csv(self, terms: Sequence[str] | None = None) -> str:
        """Return the rows of all categories as comma-separated values; ``terms`` are names."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, HEADER, lineterminator="\n")
        writer.writeheader()
        for path in self.categories:
            writer.writerows(path.to_rows(terms))
        return buffer.getvalue()

    def to_json(self, terms: Sequence[str] | None = None) -> str:
        """Return each category's points, and its terms in the order of entry, as JSON."""
        paths = [path.to_dict(terms) for path in self.categories]
        return escaped_json(json.dumps(paths, ensure_ascii=False, indent=1)) + "\n"


def regularization_path(
    job: Job,
    method: Method,
    *,
    way: Way = "lam",
    points: int = POINTS,
    ratio: float | None = None,
    strengths: Strengths | Sequence[float] | None = None,
) -> RegularizationPath:
    """Fit every category with one strength after the other, from strong to weak.

    The cost is that of a native path of all categories, every fit starting from the one before;
    memory is some 12 bytes for each non-zero weight, twice while the last are gathered.

    Parameters
    ----------
    job : Job
        The documents and categories; its own strengths are not used.
    method : Method
        The loss, the prior and the solver.
    way : str
        The way of the strengths: ``lam``, ``C`` or ``prior_variance``.
    points : int
        The number of strengths without ``strengths``: evenly spaced by their logarithms, from the
        strongest useful one (:func:`postil.learn.search.strongest.strongest`: with a Laplace prior,
        or an elastic net, the one at which every weight is still 0).
    ratio : float or None
        The weakest λ as a share of the strongest; None for 10^-4, or 10^-5 with a Gaussian prior.
    strengths : Strengths or sequence of float
        Numbers of the way for all categories, or :class:`Strengths` of points × categories.
    """
    if not len(job.labels):
        raise UsageError("a path needs a category, and the labels have none")
    job = replace(job, term_priors=method.term_priors(job))
    way, values = _values(job, method, way, points, ratio, strengths)
    total, share = float(job.document_weights().sum()), method.share
    paths: list[CategoryPath] = []
    job = replace(job, strengths=Strengths(way, values))
    for block, fits in one_vs_rest_paths(job, method):
        for at, category in enumerate(range(*block.indices(len(job.labels)))):
            own = values[:, category]
            pairs = Strengths(way, own).pairs(total, share)
            lambdas: Floats = pairs[:, 0] / share if share > 0 else pairs[:, 1]
            path = CategoryPath(
                name=fits[0].names[at],
                way=way,
                values=own,
                lambdas=lambdas,
                costs=of_lambda(lambdas, "C", total, share),
                variances=of_lambda(lambdas, "prior_variance", total, share),
                weights=sp.csr_matrix(sp.vstack([fit.weights[[at]] for fit in fits])),
                intercepts=np.array([fit.intercepts[at] for fit in fits]),
                reports=tuple(fit.reports[at] for fit in fits),
            )
            paths.append(path)
    return RegularizationPath(tuple(paths))


def _values(
    job: Job,
    method: Method,
    way: Way,
    points: int,
    ratio: float | None,
    strengths: Strengths | Sequence[float] | None,
) -> tuple[Way, Floats]:
    """Return the way, and strengths of points × categories, the strongest first."""
    if isinstance(strengths, Strengths):
        if strengths.values.ndim != 2:
            raise UsageError(
                "the strengths of a path must be points × categories; give a list of numbers for "
                "the same strengths in all categories"
            )
        return strengths.way, strong_first(strengths.values, strengths.way)
    share = method.share
    if strengths is not None:
        column = strong_first(np.array(checked_grid(strengths)), way)
        return way, np.repeat(column[:, None], len(job.labels), axis=1)
    check_spacing(points, ratio)
    factors = spaced(points, usual_ratio(share) if ratio is None else ratio)
    return way, weaker(method.strongest(job, way)[None, :], factors[:, None], way, share)

"""The regularization path: what is learned with one strength after the other.

genkin-lewis-madigan-2004, figures 2 and 3.

A regularization path as rows, for files and tables.

The regularization path of one category.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.escaping import escaped_json
from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.fit import FitReport, LinearFit
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.search.auto import usual_ratio
from postil.learn.search.grids import (
    check_spacing,
    checked_grid,
    of_lambda,
    spaced,
    strong_first,
    weaker,
)
from postil.learn.search.one_vs_rest import Problems
from postil.learn.search.strongest import strongest
from postil.learn.strength import Strengths, Way
from postil.learn.term_priors.priors import TermPriors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CONSTANT = "(constant)"
HEADER = ("category", "point", "lam", "C", "prior_variance", "terms", "term", "weight")


def name_of(term: int, terms: Sequence[str] | None) -> str:
    """A term's name, or its number where terms have none."""
    return str(term) if terms is None else terms[term]


def point_rows(path: CategoryPath) -> list[dict[str, Any]]:
    """A row for each point."""
    return [
        {
            **_strength(path, point),
            "terms": int(count),
            "intercept": float(path.intercepts[point]),
            "objective": report.objective,
            "certificate": report.certificate,
            "iterations": report.iterations,
            "stopped": report.stopped,
        }
        for point, (count, report) in enumerate(zip(path.nonzeros, path.reports, strict=True))
    ]


def weight_rows(path: CategoryPath, terms: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """A row for the constant and for each weight that is not 0, point by point."""
    for point, count in enumerate(path.nonzeros.tolist()):
        head = {"category": path.name, **_strength(path, point), "terms": count}
        yield {**head, "term": CONSTANT, "weight": float(path.intercepts[point])}
        for term, weight in _weights(path, point):
            yield {**head, "term": name_of(term, terms), "weight": weight}


def to_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Rows of weights as values between commas."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def to_json(paths: Sequence[CategoryPath], terms: Sequence[str] | None) -> str:
    """Each category with its points, their weights, and its terms in the order of entry."""
    told = [
        {
            "category": path.name,
            "over": path.way,
            "points": [
                row | {"weights": {name_of(t, terms): w for t, w in _weights(path, row["point"])}}
                for row in point_rows(path)
            ],
            "order": [
                {"term": name_of(entry.term, terms), "point": entry.point, "weight": entry.weight}
                for entry in path.entries()
            ],
        }
        for path in paths
    ]
    return escaped_json(json.dumps(told, ensure_ascii=False, indent=1)) + "\n"


def _strength(path: CategoryPath, point: int) -> dict[str, Any]:
    return {
        "point": point,
        "lam": float(path.lambdas[point]),
        "C": float(path.costs[point]),
        "prior_variance": float(path.variances[point]),
    }


def _weights(path: CategoryPath, point: int) -> Iterator[tuple[int, float]]:
    start, end = path.weights.indptr[point : point + 2]
    terms, weights = path.weights.indices[start:end], path.weights.data[start:end]
    yield from zip(terms.tolist(), weights.tolist(), strict=True)


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


__all__ = ["CategoryPath", "Entry", "RegularizationPath", "regularization_path"]


POINTS = 20


@dataclass(frozen=True, slots=True, eq=False)
class RegularizationPath:
    """The paths of some categories, each from its own strongest strength or all from one.

    Numbers of points are points × categories; ``path["grain"]`` is the path of one of them.
    """

    categories: tuple[CategoryPath, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The categories."""
        return tuple(path.name for path in self.categories)

    @property
    def strengths(self) -> Strengths:
        """The strengths as they were given."""
        return Strengths(self.categories[0].way, self._columns("values"))

    @property
    def lambdas(self) -> Floats:
        """λ."""
        return self._columns("lambdas")

    @property
    def costs(self) -> Floats:
        """C."""
        return self._columns("costs")

    @property
    def variances(self) -> Floats:
        """The prior variance."""
        return self._columns("variances")

    @property
    def intercepts(self) -> Floats:
        """The constant's score."""
        return self._columns("intercepts")

    @property
    def objectives(self) -> Floats:
        """The least value of the objective."""
        return self._columns("objectives")

    @property
    def certificates(self) -> Floats:
        """How near each fit is to it."""
        return self._columns("certificates")

    @property
    def nonzeros(self) -> NDArray[np.int64]:
        """How many terms have a weight."""
        return np.stack([path.nonzeros for path in self.categories], axis=1)

    def _columns(self, name: str) -> Floats:
        return np.stack([getattr(path, name) for path in self.categories], axis=1)

    def __iter__(self) -> Iterator[CategoryPath]:
        return iter(self.categories)

    def __getitem__(self, name: str) -> CategoryPath:
        for path in self.categories:
            if path.name == name:
                return path
        raise UsageError(f"there is no category {name!r}{advice(name, sorted(self.names))}")

    def to_rows(self, terms: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """A row for each category, point and weight that is not 0; ``terms`` are their names."""
        for path in self.categories:
            yield from path.to_rows(terms)

    def to_csv(self, terms: Sequence[str] | None = None) -> str:
        """The same rows as a file of values between commas."""
        return to_csv(self.to_rows(terms))

    def to_json(self, terms: Sequence[str] | None = None) -> str:
        """Points with their weights, and terms in the order in which they enter."""
        return to_json(self.categories, terms)


def regularization_path(
    design: Design,
    labels: Labels,
    method: Method,
    *,
    way: Way = "lam",
    points: int = POINTS,
    ratio: float | None = None,
    strengths: Strengths | Sequence[float] | None = None,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegularizationPath:
    """Learn every category with one strength after the other, from strong to weak.

    Without ``strengths``, each path has so many ``points``, evenly spaced by their logarithms,
    from the strongest useful strength (:func:`postil.learn.search.strongest.strongest`: with a
    Laplace prior, or an elastic net, the one at which every term still rests) down to ``ratio``
    times its λ: 10^-4, or 10^-5 with a Gaussian prior. ``strengths`` are numbers of the way for
    all categories, or :class:`Strengths`, points × categories.

    Cost: a native path of all categories, every fit starting from the one before. Memory: some 12
    bytes for each weight that is not 0, twice while the last are gathered.
    """
    if not len(labels):
        raise UsageError("there is no category to learn a path of")
    given = Problems(
        design, labels, method, sample_weights or SampleWeights(), selection, priors, threads
    )
    way, values = _values(given, way, points, ratio, strengths)
    total = float(given.sample_weights.of_documents(design.documents).sum())
    paths: list[CategoryPath] = []
    for block, fits in given.paths(way, values, progress):
        for at, category in enumerate(range(*block.indices(len(labels)))):
            paths.append(_of_category(fits, at, way, values[:, category], total, method.share))
    return RegularizationPath(tuple(paths))


def _of_category(
    fits: tuple[LinearFit, ...], at: int, way: Way, values: Floats, documents: float, share: float
) -> CategoryPath:
    """The path of the category at a place of these fits."""
    pairs = Strengths(way, values).pairs(documents, share)
    lambdas: Floats = pairs[:, 0] / share if share > 0 else pairs[:, 1]
    return CategoryPath(
        name=fits[0].names[at],
        way=way,
        values=values,
        lambdas=lambdas,
        costs=of_lambda(lambdas, "C", documents, share),
        variances=of_lambda(lambdas, "prior_variance", documents, share),
        weights=sp.csr_matrix(sp.vstack([fit.weights[[at]] for fit in fits])),
        intercepts=np.array([fit.intercepts[at] for fit in fits]),
        reports=tuple(fit.reports[at] for fit in fits),
    )


def _values(
    problems: Problems,
    way: Way,
    points: int,
    ratio: float | None,
    strengths: Strengths | Sequence[float] | None,
) -> tuple[Way, Floats]:
    """The way, and points × categories strengths, the strongest first."""
    if isinstance(strengths, Strengths):
        if strengths.values.ndim != 2:
            raise UsageError(
                "the strengths of a path are points × categories; for all categories alike give a "
                "list of numbers"
            )
        return strengths.way, strong_first(strengths.values, strengths.way)
    share = problems.method.share
    if strengths is not None:
        column = strong_first(np.array(checked_grid(strengths)), way)
        return way, np.repeat(column[:, None], len(problems.labels), axis=1)
    check_spacing(points, ratio)
    factors = spaced(points, usual_ratio(share) if ratio is None else ratio)
    return way, weaker(strongest(problems, way)[None, :], factors[:, None], way, share)

"""The regularization path: what is learned with one strength after the other.

genkin-lewis-madigan-2004, figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.method import Method
from postil.learn.path_category import CategoryPath, Entry
from postil.learn.path_rows import to_csv, to_json
from postil.learn.search_auto import usual_ratio
from postil.learn.search_blocks import Problems
from postil.learn.search_grids import (
    check_spacing,
    checked_grid,
    of_lambda,
    spaced,
    strong_first,
    weaker,
)
from postil.learn.search_strongest import strongest
from postil.learn.strength import Strengths, Way
from postil.learn.term_priors import TermPriors
from postil.text.suggest import advice

__all__ = ["CategoryPath", "Entry", "RegularizationPath", "regularization_path"]

Floats = NDArray[np.float64]

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
    emphasis: Emphasis | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegularizationPath:
    """Learn every category with one strength after the other, from strong to weak.

    Without ``strengths``, each path has so many ``points``, evenly spaced by their logarithms,
    from the strongest useful strength (:func:`postil.learn.search_strongest.strongest`: with a
    Laplace prior, or an elastic net, the one at which every term still rests) down to ``ratio``
    times its λ: 10^-4, or 10^-5 with a Gaussian prior. ``strengths`` are numbers of the way for
    all categories, or :class:`Strengths`, points × categories.

    Cost: a native path of all categories, every fit starting from the one before. Memory: some 12
    bytes for each weight that is not 0, twice while the last are gathered.
    """
    if not len(labels):
        raise UsageError("there is no category to learn a path of")
    given = Problems(design, labels, method, emphasis or Emphasis(), selection, priors, threads)
    way, values = _values(given, way, points, ratio, strengths)
    total = float(given.emphasis.of_documents(design.documents).sum())
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

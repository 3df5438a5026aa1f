"""The strength of regularization by cross-validation (zhang-oles-2001, section 4.1)."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.corpus.stratification import stratify
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.method import Method
from postil.learn.one_vs_rest import fit
from postil.learn.report import NotConvergedWarning, unfinished
from postil.learn.search_choice import choose, jackknife
from postil.learn.search_measures import HeldOut, SearchMeasure, measure_for
from postil.learn.search_result import SearchResult, unfinished_sentence

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
SelectionOf = Callable[[Rows], Selection | None]

PAPER_GRID = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


@dataclass(frozen=True, slots=True)
class LambdaSearch:
    """K-fold cross-validation over a grid of λ, one set of folds for all categories and λ.

    The defaults are the paper's: 5 folds, λ = 10^-k for k = 0..6, one λ for all categories
    (``shared``; otherwise each gets its own). Equal values go to the stronger regularization,
    but a category whose values are all equal takes the one that is best for all together;
    ``one_standard_error`` takes the strongest λ within one standard error of the best.
    """

    grid: Sequence[float] = PAPER_GRID
    folds: int = 5
    shared: bool = True
    measure: str = "f1"
    seed: int = 0
    one_standard_error: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _checked_grid(self.grid))
        if isinstance(self.folds, bool) or not isinstance(self.folds, int) or self.folds < 2:
            raise UsageError(f"folds is a whole number of at least 2, not {self.folds!r}")
        measure_for(self.measure)

    def check(self, method: Method) -> None:
        """Refuse a method that the measure cannot be taken of."""
        measure_for(self.measure, method)

    def run(
        self,
        design: Design,
        labels: Labels,
        method: Method,
        *,
        selection_of: SelectionOf | None = None,
        emphasis: Emphasis | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> SearchResult:
        """Measure every λ on documents that its fit has not seen, and choose.

        ``selection_of`` is given the rows of a fold's training documents and selects the terms
        anew from them. ``progress`` is told how many fits of how many are done: categories × λ ×
        folds. A held-out document has weight 0 in its fold's fits, so that all share one matrix;
        only the rows of one fold at a time are copied, to be scored.

        Cost: a fit of all categories for each fold and λ, every one but a fold's first starting
        from that of the stronger λ before it. Memory: the scores of one fold's documents for all
        categories, and a few numbers for each fold, λ and category.
        """
        measure = measure_for(self.measure, method)
        if labels.documents != design.documents:
            raise UsageError(
                f"there are {design.documents} documents and labels of {labels.documents}"
            )
        run = _Run(self, measure, design, labels, method, emphasis or Emphasis(), threads)
        result = run.result(selection_of, progress)
        if not quiet and result.unfinished.any():
            warnings.warn(unfinished_sentence(result), NotConvergedWarning, stacklevel=2)
        return result


def _checked_grid(grid: Any) -> tuple[float, ...]:  # noqa: ANN401 - perhaps from a file
    try:
        strengths = tuple(float(value) for value in grid)
    except (TypeError, ValueError):
        raise UsageError(f"a grid is a list of numbers, not {grid!r}") from None
    if not all(math.isfinite(value) and value > 0 for value in strengths):
        raise UsageError(f"a grid is of finite numbers above 0, not {grid!r}")
    if not strengths or len(set(strengths)) != len(strengths):
        raise UsageError(f"a grid has one number or more and none twice, not {grid!r}")
    return strengths


class _Run:
    """One search on given data."""

    def __init__(
        self,
        search: LambdaSearch,
        measure: SearchMeasure,
        design: Design,
        labels: Labels,
        method: Method,
        emphasis: Emphasis,
        threads: int | None,
    ) -> None:
        self.search = search
        self.measure = measure
        self.design = design
        self.labels = labels
        self.method = method
        self.emphasis = emphasis
        self.threads = threads
        self.grid: Floats = np.array(sorted(search.grid, reverse=True), dtype=np.float64)
        self.documents = emphasis.of_documents(design.documents)
        self.present = np.flatnonzero(self.documents)
        self.unfinished = np.zeros(len(self.grid), dtype=np.int64)

    def result(self, selection_of: SelectionOf | None, progress: Progress | None) -> SearchResult:
        began = time.perf_counter()
        part = _folds(self.labels.of_documents(self.present), self.search.folds, self.search.seed)
        tallies = np.stack(
            [
                self._fold(number, self.present[part == number], selection_of, progress)
                for number in range(self.search.folds)
            ]
        )
        return self._chosen(tallies, began)

    def _fold(
        self,
        number: int,
        held_out: Rows,
        selection_of: SelectionOf | None,
        progress: Progress | None,
    ) -> Floats:
        """The tallies of one fold: λ × categories × what the measure counts."""
        weights = self.documents.copy()
        weights[held_out] = 0.0
        rest = replace(self.emphasis, documents=weights)
        selection = None if selection_of is None else selection_of(np.flatnonzero(weights))
        rows = self.design.rows[held_out]
        members = self.labels.members[held_out].toarray().astype(bool)
        tallies = []
        last: LinearFit | None = None
        for at, lam in enumerate(self.grid):
            last = fit(
                self.design,
                self.labels,
                self.method,
                selection=selection,
                emphasis=rest,
                lambdas=np.full(len(self.labels), lam),
                starts=() if last is None else self._starts(last, lam / self.grid[at - 1]),
                keep_starts=True,
                threads=self.threads,
                progress=self._share_of(progress, number * len(self.grid) + at),
                quiet=True,
            )
            self._count_unfinished(at, last)
            held = HeldOut(last.scores(rows), members, self.documents[held_out], self.method)
            tallies.append(self.measure.tally(held))
        return np.stack(tallies)

    def _starts(self, last: LinearFit, change: float) -> Sequence[Floats]:
        """Where a fit with λ times ``change`` begins: at the same weights.

        Weights are (1/2λn) Σ cᵢ aᵢ yᵢ xᵢ, so that duals shrink with λ; as they are, they would
        give weights ten times as large at the next λ of the paper, a start worse than zero.
        """
        if "duals" in self.method.parts()[2].provides:
            return [duals * change for duals in last.starts]
        return last.starts

    def _share_of(self, progress: Progress | None, fits_before: int) -> Progress | None:
        if progress is None:
            return None
        categories = len(self.labels)
        total = categories * len(self.grid) * self.search.folds

        def tell(done: int, of: int) -> None:
            progress(fits_before * categories + done * categories // max(1, of), total)

        return tell

    def _count_unfinished(self, at: int, result: LinearFit) -> None:
        tolerance = self.method.solver_options().tolerance
        self.unfinished[at] += len(unfinished(result.reports, tolerance))

    def _chosen(self, tallies: Floats, began: float) -> SearchResult:
        value = self.measure.value
        together = tallies.sum(axis=2)
        values, errors = value(together.sum(axis=0)), jackknife(together, value)
        each, each_error = value(tallies.sum(axis=0)), jackknife(tallies, value)
        best = self._choice(values, errors)
        picks = np.full(len(self.labels), best)
        fell_back = np.zeros(len(self.labels), dtype=np.bool_)
        tied = np.zeros(len(self.labels), dtype=np.bool_)
        if not self.search.shared:
            fell_back = self._too_few()
            tied = ~fell_back & _all_equal(each)
            for c in np.flatnonzero(~fell_back & ~tied):
                picks[c] = self._choice(each[:, c], each_error[:, c])
        return SearchResult(
            names=self.labels.names,
            measure=self.search.measure,
            folds=self.search.folds,
            shared=self.search.shared,
            one_standard_error=self.search.one_standard_error,
            grid=self.grid,
            values=values,
            standard_errors=errors,
            values_by_category=each,
            standard_errors_by_category=each_error,
            shared_lambda=float(self.grid[best]),
            lambdas=self.grid[picks],
            fell_back=fell_back,
            tied=tied,
            unfinished=self.unfinished,
            seconds=time.perf_counter() - began,
        )

    def _choice(self, values: Floats, errors: Floats) -> int:
        """The place in the grid, which begins with the strongest."""
        worth = values if self.measure.higher_is_better else -values
        return choose(worth, errors if self.search.one_standard_error else None)

    def _too_few(self) -> NDArray[np.bool_]:
        """Categories of which a fold would lack members, or others."""
        sizes = self.labels.of_documents(self.present).sizes()
        return np.minimum(sizes, len(self.present) - sizes) < self.search.folds


def _all_equal(values: Floats) -> NDArray[np.bool_]:
    """Categories whose measure says nothing of λ: the same at each, or undefined at each."""
    known = np.where(np.isnan(values), -np.inf, values)
    equal: NDArray[np.bool_] = (len(values) > 1) & (known == known[0]).all(axis=0)
    return equal


def _folds(labels: Labels, count: int, seed: int) -> Rows:
    """The fold of each document: every category keeps its share in every fold."""
    if labels.documents < count:
        raise UsageError(
            f"{labels.documents} documents cannot be cut in {count} folds: each fold holds out "
            "one document or more"
        )
    names, columns = labels.names, labels.members.indices.tolist()
    bounds = pairwise(labels.members.indptr.tolist())
    sets = ([names[column] for column in columns[start:end]] for start, end in bounds)
    return stratify(sets, [1 / count] * count, seed)

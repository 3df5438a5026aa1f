"""The search for a strength of regularization by cross-validation.

zhang-oles-2001, section 4.1; genkin-lewis-madigan-2004, section 4.4.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from postil.common.types import Flags, Floats, Ints
from postil.errors import UsageError
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Job
from postil.learn.method import BaseMethod
from postil.learn.search.auto import AutomaticSearch, usual_ratio
from postil.learn.search.folds import (
    CUTS,
    Cut,
    FoldsByCategory,
    HeldOutFits,
    SelectionOf,
    make_parts,
)
from postil.learn.search.grids import (
    AUTO,
    PAPER_GRID,
    WAYS,
    check_spacing,
    check_whole,
    checked_grid,
    exponent,
    strong_first,
    usual_grid,
)
from postil.learn.search.measures import search_measure
from postil.learn.search.result import Measured, SearchResult, all_equal
from postil.learn.strength import Strengths, Way

__all__ = ["PAPER_GRID", "LambdaSearch"]


@dataclass(frozen=True, slots=True)
class LambdaSearch:
    """K-fold cross-validation over a grid of strengths, one set of folds for all of them.

    The defaults are zhang-oles-2001's: 5 folds, λ = 10^-k for k = 0..6, one λ for all categories
    (``shared``; otherwise each gets its own). Equal values go to the stronger regularization,
    but a category whose values are all equal takes the best one for all together;
    ``one_standard_error`` takes the strongest within one standard error of the best.

    ``over`` is the way of the grid's numbers: ``lam``, ``C`` or ``prior_variance``. λ goes with the
    average loss, the other two with its sum: the C that is best for the documents of a fold is kept
    for all documents, and is a smaller λ for them. The default grid is that of the way
    (``usual_grid``). Only the first ``rounds`` folds are run: 2 of 10 is
    genkin-lewis-madigan-2004's. By default every category keeps its share in every fold, and a
    category with too few members for that takes the best strength for all together; with ``cut =
    "random"`` documents go to folds whatever their categories, and with ``cut = "by-category"``, as
    in that paper, they do so for each category anew.

    The default ``measure`` is F1; that of a polychotomous method, which has one strength for all
    classes, is the log-likelihood under softmax.

    The grid ``"auto"`` needs no numbers: it has ``points`` strengths evenly spaced by their
    logarithms, from the strongest useful one (see ``strongest``) down to ``ratio`` times its λ
    (10^-4, or 10^-5 with a Gaussian prior), stops where it clearly becomes worse, and then tries
    four more around the best. Each category has a path of its own, or, if ``shared``, all have
    that of the strongest.
    """

    grid: Sequence[float] | str | None = None
    folds: int = 5
    shared: bool = True
    measure: str | None = None
    seed: int = 0
    one_standard_error: bool = False
    over: Way = "lam"
    rounds: int | None = None
    points: int = 20
    ratio: float | None = None
    cut: Cut = "stratified"

    def __post_init__(self) -> None:
        if self.over not in WAYS:
            raise UsageError(f"over must be one of {', '.join(WAYS)}, not {self.over!r}")
        if self.grid is not None and self.grid != AUTO:
            object.__setattr__(self, "grid", checked_grid(self.grid))
        if not isinstance(self.cut, str) or self.cut not in CUTS:
            raise UsageError(f"cut must be one of {', '.join(CUTS)}, not {self.cut!r}")
        check_whole("folds", self.folds, 2)
        check_spacing(self.points, self.ratio)
        if self.rounds is not None:
            check_whole("rounds", self.rounds, 1)
            if self.rounds > self.folds:
                raise UsageError(
                    f"rounds must be at most the number of folds, {self.folds}, not {self.rounds}"
                )
        if self.measure is not None:
            search_measure(self.measure)

    def check(self, method: BaseMethod) -> None:
        """Raise UsageError if the method cannot be searched in this way."""
        method.search_measure(self.measure)
        method.check_takes_strengths(self.over)
        if self.cut == "random" and getattr(method, "reference", None) is not None:
            raise UsageError(
                'cut = "random" may leave a fold without the reference class: take a stratified '
                "cut, or no reference"
            )
        if not self.shared:
            method.check_own_strengths("shared = false")
        if self.cut == "by-category":
            method.check_own_strengths('cut = "by-category"')

    def run(
        self, job: Job, method: BaseMethod, *, selection_of: SelectionOf | None = None
    ) -> SearchResult:
        """Measure every strength on documents that its fit has not learned from, and choose.

        Cost: for each fold a path of all categories, every fit but the first starting from that
        of the stronger one before it; methods with one problem for all classes have one fit for
        each strength, without a warm start. Memory: the scores of one fold's documents for all
        categories, a few numbers for each fold, strength and category, and the weights of a path's
        categories, some 200 MB of them at a time at the most.

        Parameters
        ----------
        job : Job
            The documents and categories. ``progress`` counts fits: categories × strengths × folds.
        method : BaseMethod
            The method whose strength is searched for.
        selection_of : callable, optional
            Selects terms anew for the rows of a fold's training documents.
        """
        began = time.perf_counter()
        self.check(method)
        return finished(SearchRun(self, job, method, selection_of).result(), began, quiet=job.quiet)


def finished(result: SearchResult, began: float, *, quiet: bool) -> SearchResult:
    """Return the result with its seconds; warn of fits that ran out of iterations."""
    note = result.unfinished_note()
    if note and not quiet:
        warnings.warn(note, NotConvergedWarning, stacklevel=3)
    return replace(result, seconds=time.perf_counter() - began)


class SearchRun:
    """One search on given documents: its folds, their measurements, and the choice."""

    def __init__(
        self,
        search: LambdaSearch,
        job: Job,
        method: BaseMethod,
        selection_of: SelectionOf | None,
    ) -> None:
        method.check_folds(job)
        self.search = search
        self.method = method
        self.job = job
        self.rounds = search.rounds or search.folds
        apart = search.cut == "by-category" or (
            method.by_category and job.labels.judged is not None
        )
        folds = FoldsByCategory if apart else HeldOutFits
        self.fits = folds(
            method,
            job,
            method.search_measure(search.measure),
            lambda labels: make_parts(labels, search.folds, search.seed, search.cut),
            self.rounds,
            selection_of,
        )

    def result(self) -> SearchResult:
        """Measure and choose."""
        if self.search.grid == AUTO:
            return self._automatic()
        verdict = _Verdict(self, self._over_grid())
        return verdict.result(verdict.measured.tried[:, 0])

    def _automatic(self) -> SearchResult:
        search = self.search
        ratio = search.ratio or usual_ratio(self.method.share)
        path = AutomaticSearch(self.fits, search.over, search.points, ratio, search.shared)
        stages = path.stages(self.job.progress)
        top = self.strongest()
        measured = path.walk(top, stages)
        verdict = _Verdict(self, measured)
        own = np.flatnonzero(~verdict.fell_back & ~verdict.tied)
        verdict = verdict.refined(path.refined(measured, verdict.picks, own, stages))
        stages.end()
        if search.shared:
            return verdict.result(verdict.measured.tried[:, 0], top)
        return verdict.result(path.factors()[: len(verdict.values)], top)

    def strongest(self) -> Floats:
        """Return the strongest useful strength of each category for all documents."""
        return self.method.strongest(self.fits.of_all(), self.search.over)

    def _over_grid(self) -> Measured:
        search, categories = self.search, len(self.job.labels)
        grid = search.grid or usual_grid(search.over, self.method.share)
        column = strong_first(np.array(grid, dtype=np.float64), search.over)
        tried = np.repeat(column[:, None], categories, axis=1)
        strengths = Strengths(search.over, tried)
        found = self.fits.tallies(strengths, np.arange(categories), self.job.progress)
        known = np.ones(tried.shape, dtype=np.bool_)
        return Measured(self.fits.measure, tried, found.counts, known, found.unfinished)

    def too_few(self) -> Flags:
        """Return which categories have too few members, or others, for one in each fold.

        A random cut does not ask for that.
        """
        if self.search.cut != "stratified":
            return np.zeros(len(self.job.labels), dtype=np.bool_)
        sizes = self.job.labels.of_documents(self.fits.present).sizes()
        return np.minimum(sizes, len(self.fits.present) - sizes) < self.search.folds


class _Verdict:
    """The choice of strengths by their measurements."""

    def __init__(self, run: SearchRun, measured: Measured) -> None:
        self.run = run
        self.measured = measured
        self.values, self.errors = measured.together()
        self.each, self.each_error = measured.by_category()
        self.best = self._choice(self.values, self.errors)
        categories = measured.tried.shape[1]
        self.picks = np.full(categories, self.best)
        self.fell_back = np.zeros(categories, dtype=np.bool_)
        self.tied = np.zeros(categories, dtype=np.bool_)
        self.unfinished = measured.unfinished.sum(axis=1)
        if not run.search.shared:
            self.fell_back = run.too_few()
            self.tied = ~self.fell_back & all_equal(self.each)
            self._pick(np.flatnonzero(~self.fell_back & ~self.tied))
        self.chosen = measured.at(self.picks)

    def _pick(self, categories: Ints) -> None:
        for c in categories:
            self.picks[c] = self._choice(self.each[:, c], self.each_error[:, c])

    def refined(self, finer: Measured) -> _Verdict:
        """Choose again among more points."""
        if self.run.search.shared:
            return _Verdict(self.run, finer)
        # Places of paths are the same for all categories, points around their best are not.
        self.unfinished[self.best] += finer.unfinished.sum() - self.unfinished.sum()
        self.measured = finer
        self.each, self.each_error = finer.by_category()
        own = np.flatnonzero(~self.fell_back & ~self.tied)
        self._pick(own)
        self.chosen[own] = finer.at(self.picks)[own]
        return self

    def _choice(self, values: Floats, errors: Floats) -> int:
        careful = self.run.search.one_standard_error
        return self.measured.choice(values, errors, one_standard_error=careful)

    def result(self, grid: Floats, top: Floats | None = None) -> SearchResult:
        """Return the result; ``top`` is where the paths of an automatic search began."""
        search = self.run.search
        return SearchResult(
            names=self.run.job.labels.names,
            measure=self.run.fits.measure.name,
            folds=search.folds,
            rounds=self.run.rounds,
            cut=search.cut,
            shared=search.shared,
            one_standard_error=search.one_standard_error,
            over=search.over,
            automatic=top is not None,
            relative=top is not None and not search.shared,
            grid=grid,
            values=self.values,
            standard_errors=self.errors,
            best=self.best,
            tried=self.measured.tried,
            values_by_category=self.each,
            standard_errors_by_category=self.each_error,
            chosen=self.chosen,
            strongest=top,
            power=exponent(search.over, self.run.method.share),
            fell_back=self.fell_back,
            tied=self.tied,
            unfinished=self.unfinished,
            seconds=0.0,
        )

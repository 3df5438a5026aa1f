"""One search on given data: its folds, what they measured, what was chosen.

Which problems a search has, by the kind of its method.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from postil.common.progress import Progress
from postil.common.types import Flags, Floats, Ints
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.multiclass_svm import MulticlassSvmMethod
from postil.learn.polychotomous import PolychotomousMethod
from postil.learn.search.all_classes import MulticlassSvmProblems, PolychotomousProblems
from postil.learn.search.auto import AutomaticSearch, usual_ratio
from postil.learn.search.folds import HeldOutFits, PriorsOf, SelectionOf
from postil.learn.search.grids import AUTO, exponent, strong_first, usual_grid
from postil.learn.search.measures import Measured, all_equal
from postil.learn.search.methods import SearchedMethod
from postil.learn.search.one_vs_rest import Problems
from postil.learn.search.problems import SearchedProblems
from postil.learn.search.result import SearchResult, unfinished_sentence

if TYPE_CHECKING:
    from postil.learn.search.search import LambdaSearch


KINDS: Mapping[type[SearchedMethod], type[SearchedProblems]] = MappingProxyType(
    {
        Method: Problems,
        PolychotomousMethod: PolychotomousProblems,
        MulticlassSvmMethod: MulticlassSvmProblems,
    }
)


def problems_of(method: SearchedMethod) -> type[SearchedProblems]:
    """One category against the rest, or all in one problem."""
    return KINDS[type(method)]


class Searcher:
    """What can be run on data to find strengths: a search, or one under a limit."""

    __slots__ = ()

    def check(self, method: SearchedMethod) -> None:
        """Refuse a method that cannot be searched so."""
        raise NotImplementedError

    @property
    def _search(self) -> LambdaSearch:
        raise NotImplementedError

    def _found(self, run: SearchRun, progress: Progress | None) -> SearchResult:
        raise NotImplementedError

    def run(
        self,
        design: Design,
        labels: Labels,
        method: SearchedMethod,
        *,
        selection_of: SelectionOf | None = None,
        priors_of: PriorsOf | None = None,
        sample_weights: SampleWeights | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> SearchResult:
        """Measure every strength on documents that its fit has not seen, and choose.

        ``selection_of`` is given the rows of a fold's training documents and selects the terms
        anew from them; ``priors_of`` is given their weights, and says what is believed of single
        terms. ``progress`` is told how many fits of how many are done: categories × strengths ×
        folds.

        Cost: for each fold a path of all categories, every fit but the first starting from that
        of the stronger one before it; polychotomous methods have one fit for all categories, and
        each starts from nothing. Memory: the scores of one fold's documents for all
        categories, a few numbers for each fold, strength and category, and the weights of a
        path's categories, some 200 MB of them at a time at the most.
        """
        began = time.perf_counter()
        self.check(method)
        kind = problems_of(method)
        problems = kind(design, labels, method, sample_weights or SampleWeights(), threads=threads)
        run = SearchRun(self._search, problems, selection_of, priors_of)
        result = replace(self._found(run, progress), seconds=time.perf_counter() - began)
        if not quiet and result.unfinished.any():
            warnings.warn(unfinished_sentence(result), NotConvergedWarning, stacklevel=2)
        return result


class SearchRun:
    """The folds of a search, what they measured, what was chosen."""

    def __init__(
        self,
        search: LambdaSearch,
        problems: SearchedProblems,
        selection_of: SelectionOf | None,
        priors_of: PriorsOf | None,
    ) -> None:
        problems.check()
        self.search = search
        self.problems = problems
        self.rounds = search.rounds or search.folds
        self.fits = HeldOutFits(
            problems,
            problems.measure(search.measure, problems.method),
            folds=search.folds,
            rounds=self.rounds,
            cut=search.cut,
            seed=search.seed,
            selection_of=selection_of,
            priors_of=priors_of,
        )

    def result(self, progress: Progress | None) -> SearchResult:
        """Measure and choose."""
        if self.search.grid == AUTO:
            return self._automatic(progress)
        verdict = _Verdict(self, self._over_grid(progress))
        return verdict.result(verdict.measured.tried[:, 0])

    def _automatic(self, progress: Progress | None) -> SearchResult:
        search = self.search
        ratio = search.ratio or usual_ratio(self.problems.method.share)
        path = AutomaticSearch(self.fits, search.over, search.points, ratio, search.shared)
        stages = path.stages(progress)
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
        """The strongest useful strength of each category, by all documents."""
        return self.fits.of_all().strongest(self.search.over)

    def _over_grid(self, progress: Progress | None) -> Measured:
        search, categories = self.search, len(self.problems.labels)
        grid = search.grid or usual_grid(search.over, self.problems.method.share)
        column = strong_first(np.array(grid, dtype=np.float64), search.over)
        tried = np.repeat(column[:, None], categories, axis=1)
        found = self.fits.tallies(search.over, tried, np.arange(categories), progress)
        known = np.ones(tried.shape, dtype=np.bool_)
        return Measured(self.fits.measure, tried, found.counts, known, found.unfinished)

    def too_few(self) -> Flags:
        """Categories of which a fold would lack members, or others, and which take what all do.

        Of a random cut none does: each is left to what its folds happen to hold.
        """
        if self.search.cut == "random":
            return np.zeros(len(self.problems.labels), dtype=np.bool_)
        sizes = self.problems.labels.of_documents(self.fits.present).sizes()
        return np.minimum(sizes, len(self.fits.present) - sizes) < self.search.folds


class _Verdict:
    """What is chosen by what was measured."""

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
        """All that there is to say; ``top`` is where the paths of an automatic search began."""
        search, problems = self.run.search, self.run.problems
        return SearchResult(
            names=problems.labels.names,
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
            power=exponent(search.over, problems.method.share),
            fell_back=self.fell_back,
            tied=self.tied,
            unfinished=self.unfinished,
            seconds=0.0,
        )

"""One-vs-rest: every category against all other documents, over one shared matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import CategoryTasks, lists, within_range
from postil.learn.fit import LinearFit, warn_of_unfinished
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.norm_based import norm_based
from postil.learn.priors import EntropyOptions
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors


def fit(
    design: Design,
    labels: Labels,
    method: Method,
    *,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
    strengths: Strengths | None = None,
    priors: TermPriors | None = None,
    starts: Sequence[Floats] = (),
    beginnings: Sequence[Floats] = (),
    keep_starts: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn every category.

    ``strengths`` gives each category a strength of its own, in place of the method's; ``priors``
    say what is believed of single terms. ``starts`` are those that a fit with ``keep_starts`` has
    kept: 8 bytes for each category and document, or term. ``beginnings``, for a solver that makes
    ``updates``, are exponents of each category by term and last the constant's: what is learned
    goes on from the weights they mean, and a category learns even from members or others alone;
    an empty one begins at nothing. ``progress`` is told how many
    categories of how many are done. Cost: the solver's, for each category; memory besides the
    design is 24 bytes for each weight that is not 0, half of them until the end, and some 40 for
    each document and term of a thread. The result does not depend on the number of threads.
    """
    task = _Task(design, labels, method, selection, sample_weights, priors, keep_starts=keep_starts)
    task.begin(beginnings)
    (result,) = task.run(strengths, starts, thread_count(threads), progress)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


def fit_path(
    design: Design,
    labels: Labels,
    method: Method,
    strengths: Strengths,
    *,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[LinearFit, ...]:
    """Learn every category with one strength after the other: a fit for each point.

    ``strengths`` are points × categories; each fit begins where the one before it ended, so that a
    path is best walked from strong to weak. Cost: the first fit's, and little for each further one
    if the strengths are near each other; memory as for so many fits.
    """
    task = _Task(design, labels, method, selection, sample_weights, priors, keep_starts=False)
    return task.run(strengths, (), thread_count(threads), progress)


class _Task:
    """One call of ``fit``: what is learnable goes to the native core, the rest is constant."""

    def __init__(
        self,
        design: Design,
        labels: Labels,
        method: Method,
        selection: Selection | None,
        sample_weights: SampleWeights | None,
        priors: TermPriors | None,
        *,
        keep_starts: bool,
    ) -> None:
        _check_sizes(design, labels, method, selection, priors)
        sample_weights = sample_weights or SampleWeights()
        self.design = design
        self.labels = labels
        self.method = method
        self.selection = selection
        self.priors = priors
        self.tasks = CategoryTasks(
            labels, sample_weights.of_documents(design.documents), sample_weights
        )
        self.keep_starts = keep_starts
        self.beginnings: Sequence[Floats] = ()

    def begin(self, beginnings: Sequence[Floats]) -> None:
        """Go on from exponents of each category."""
        if not beginnings:
            return
        if "updates" not in self.method.parts()[2].provides:
            able = [name for name, solver in SOLVERS.items() if "updates" in solver.provides]
            raise UsageError(
                f"the solver {self.method.solver} cannot go on from weights, but "
                f"{' or '.join(able)} can"
            )
        lengths = [self._term_count(category) + 1 for category in range(len(self.labels))]
        given = [len(each) for each in beginnings]
        if len(given) != len(lengths) or any(
            has not in (0, length) for has, length in zip(given, lengths, strict=True)
        ):
            raise UsageError(
                "a beginning holds the exponents of all terms of a category and the constant's, or "
                "is empty; there is one for each category"
            )
        self.beginnings = beginnings
        self.tasks.go_on([bool(len(each)) for each in beginnings])

    def run(
        self,
        strengths: Strengths | None,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> tuple[LinearFit, ...]:
        if strengths is not None:
            self.method.check_takes_strengths()
        usual = strengths or usual_strengths(self.design, self.tasks, self.method, self.selection)
        pairs = self.tasks.checked(usual, self.method)
        fits = self._train(pairs, starts, threads, progress) if len(self.tasks.learnable) else None
        units = usual_units(self.method, len(self.labels))
        firsts = {int(c): at * pairs.shape[1] for at, c in enumerate(self.tasks.learnable)}
        return tuple(
            self._point(
                fits,
                {category: first + point for category, first in firsts.items()},
                lambdas,
                None if units is None else units.copy(),
            )
            for point, lambdas in enumerate(pairs.sum(axis=2).T.tolist())
        )

    def _point(
        self,
        fits: _native.Fits | None,
        places: Mapping[int, int],
        lambdas: Sequence[float],
        units: Floats | None,
    ) -> LinearFit:
        """The fit of all categories with one strength each: those at such places of the fits."""
        rows: list[tuple[NDArray[Any], Floats]] = []
        intercepts = np.empty(len(self.labels))
        reports = []
        ends: list[Floats] = []  # of all categories, or of none
        for category, lam in enumerate(lambdas):
            if fits is None or category not in places:
                rows.append((np.empty(0, dtype=np.int32), np.empty(0)))
                intercepts[category] = self.tasks.constant(category)
                reports.append(self.tasks.constant_report(category, lam))
                if self.keep_starts:
                    ends.append(np.empty(0))
                continue
            at = places[category]
            weights = fits.weights(at)
            rows.append((self._terms(category, fits.places(at)), weights))
            intercepts[category] = fits.intercept(at)
            reports.append(self.tasks.report(category, lam, fits, at, len(weights)))
            if units is not None:
                units[category] = fits.unit(at)
            if self.keep_starts:
                ends.append(self._end(fits, at, category))
        return LinearFit(
            self.labels.names,
            self._stack(rows),
            intercepts,
            tuple(reports),
            tuple(ends),
            units=units,
        )

    def _checked_starts(self, starts: Sequence[Floats]) -> list[Floats]:
        if not starts:
            return []
        if len(starts) != len(self.labels):
            raise UsageError(f"there are {len(self.labels)} categories and {len(starts)} starts")
        by_document = "duals" in self.method.parts()[2].provides
        for category in self.tasks.learnable.tolist():
            terms = self._term_count(category)
            lengths = {0, self.design.documents} if by_document else {0, terms, terms + 1}
            if len(starts[category]) not in lengths:
                raise UsageError(
                    f"the start of {self.labels.names[category]} has {len(starts[category])} "
                    f"values, where there are {max(lengths)}: take those of a fit by the same "
                    "solver and terms"
                )
        return [starts[category] for category in self.tasks.learnable.tolist()]

    def _train(
        self,
        strengths: Floats,
        starts: Sequence[Floats],
        threads: int,
        progress: Progress | None,
    ) -> _native.Fits:
        chosen = self.tasks.learnable
        terms = beliefs = None
        if self.priors is not None:
            beliefs = self.priors.native(chosen.tolist(), self.tasks.total, self.method.share)
        if self.selection is not None:
            kept = Selection.of([self.selection[int(c)] for c in chosen], self.design.terms)
            terms = lists(kept.offsets, kept.ids)
        options = self.method.to_native()
        options.keep_duals = self.keep_starts
        assignment = self.tasks.assignment(
            strengths,
            self._checked_starts(starts),
            beliefs,
            [self.beginnings[int(category)] for category in chosen] if self.beginnings else [],
        )
        told = self.tasks.told(progress)
        with within_range():
            fits = _native.train(self.design.native, terms, assignment, options, threads, told)
        if progress is not None:
            progress(len(chosen), len(chosen))
        return fits

    def _terms(self, category: int, places: NDArray[Any]) -> NDArray[Any]:
        if self.selection is None:
            return places
        terms: NDArray[Any] = self.selection[category][places]
        return terms

    def _term_count(self, category: int) -> int:
        return self.design.terms if self.selection is None else len(self.selection[category])

    def _end(self, fits: _native.Fits, at: int, category: int) -> Floats:
        """Where another fit may start: duals by document, or weights and the constant's."""
        duals = fits.duals(at)
        if len(duals):
            return duals
        weights = np.zeros(self._term_count(category) + 1)
        weights[fits.places(at)] = fits.weights(at)
        weights[-1] = fits.intercept(at) / self.method.constant
        return weights

    def _stack(self, rows: list[tuple[NDArray[Any], Floats]]) -> sp.csr_matrix[Any]:
        ends = list(accumulate((len(terms) for terms, _ in rows), initial=0))
        # As wide as the terms' numbers, if that will do: else SciPy looks at all of them.
        starts: NDArray[Any] = np.array(ends, dtype=np.int32 if ends[-1] < 2**31 else np.int64)
        terms = np.concatenate([np.empty(0, np.int32), *(terms for terms, _ in rows)])
        weights = np.concatenate([np.empty(0), *(weights for _, weights in rows)])
        return sp.csr_matrix((weights, terms, starts), shape=(len(rows), self.design.terms))


def usual_units(method: Method, categories: int) -> Floats | None:
    """Units of weights where nothing was learned yet; none where weights are not by factors."""
    options = method.part_options()[1]
    return np.full(categories, options.mu) if isinstance(options, EntropyOptions) else None


def usual_strengths(
    design: Design, tasks: CategoryTasks, method: Method, selection: Selection | None
) -> Strengths:
    """The strengths that a method says itself, one for each category."""
    categories = len(tasks.labels)
    if method.regularization.is_norm_based:
        return norm_based(design, tasks.documents, categories, selection)
    return method.regularization.strengths(categories)


def _check_sizes(
    design: Design,
    labels: Labels,
    method: Method,
    selection: Selection | None,
    priors: TermPriors | None,
) -> None:
    if labels.documents != design.documents:
        raise UsageError(f"there are {design.documents} documents and labels of {labels.documents}")
    if selection is not None and (len(selection), selection.terms) != (len(labels), design.terms):
        raise UsageError(
            f"the selection is of {len(selection)} categories and {selection.terms} terms, the "
            f"data of {len(labels)} and {design.terms}"
        )
    if priors is None:
        return
    if not isinstance(priors, TermPriors):
        raise UsageError(f"priors of single terms are TermPriors, not {type(priors).__name__}")
    unknown = [category for category in priors.own if category not in range(len(labels))]
    if unknown:
        raise UsageError(
            f"priors are given for category {unknown[0]!r}: categories are numbered from 0 to "
            f"{len(labels) - 1}"
        )
    if priors.terms != design.terms:
        raise UsageError(f"there are {design.terms} terms and priors of {priors.terms}")
    check_takes_priors(method)


def check_takes_priors(method: Method) -> None:
    """Refuse a method whose solver knows one prior for all terms."""
    if "term priors" not in method.parts()[2].provides:
        able = [name for name, solver in SOLVERS.items() if "term priors" in solver.provides]
        raise UsageError(
            f"the solver {method.solver} takes no priors of single terms: use {' or '.join(able)}"
        )

"""One-vs-rest: every category against all other documents, over one shared matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.learn.fit import LinearFit, unfinished
from postil.learn.job import Job
from postil.learn.judged import certain_job, fit_by_category
from postil.learn.search.measures import HeldOut, SearchMeasure, Unseen
from postil.learn.solvers import SOLVERS
from postil.learn.tasks import CategoryTasks, term_lists, within_range

if TYPE_CHECKING:
    from postil.learn.method import Method

# The most weights that a block of paths holds at a time, if none of them is 0: some 200 MB.
MOST_WEIGHTS = 1 << 23
LEAST_CATEGORIES = 8
# The most columns of scores that are held at a time, unless categories are more.
TOGETHER = 32


def fit(job: Job, method: Method) -> LinearFit:
    """Learn every category.

    Cost: the solver's, for each category; memory besides the design is 24 bytes for each weight
    that is not 0, half of them until the end, and some 40 for each document and term of a thread.
    """
    (result,) = fit_path(job, method)
    return result


def fit_path(job: Job, method: Method) -> tuple[LinearFit, ...]:
    """Learn every category with one strength after the other, and return a fit for each point.

    The job's strengths are points × categories, or a single point. Each fit starts from the one
    before, so that a path is best walked from strong to weak. Cost: the first fit's, and little for
    each further one if the strengths are near each other; memory is that of all the fits.
    """
    if job.strengths is not None:
        method.check_takes_strengths()
    return fit_by_category(certain_job(job), lambda own: _fit_path(own, method))


def _fit_path(job: Job, method: Method) -> tuple[LinearFit, ...]:
    tasks = CategoryTasks(job.labels, job.sample_weights)
    _check_resumes(job, method)
    if job.resume_from:
        tasks.resume(np.array([len(each) > 0 for each in job.resume_from], dtype=np.bool_))
    pairs = tasks.pairs(method.regularization.of_job(job), method)
    fits = _train(job, method, tasks, pairs) if len(tasks.learnable) else None
    firsts = {int(c): at * pairs.shape[1] for at, c in enumerate(tasks.learnable)}
    return tuple(
        _point(job, method, tasks, fits, {c: first + point for c, first in firsts.items()}, lambdas)
        for point, lambdas in enumerate(pairs.sum(axis=2).T.tolist())
    )


def _check_resumes(job: Job, method: Method) -> None:
    """Raise UsageError if the solver cannot resume from the job's exponents."""
    given = job.resume_from
    if not given:
        return
    if not method.can_resume:
        able = [name for name, solver in SOLVERS.items() if "updates" in solver.provides]
        raise UsageError(
            f"the solver {method.solver} cannot resume from weights: use {' or '.join(able)}"
        )
    lengths = [job.term_count(category) + 1 for category in range(len(job.labels))]
    if len(given) != len(lengths) or any(
        len(each) not in (0, length) for each, length in zip(given, lengths, strict=True)
    ):
        raise UsageError(
            "resume_from needs one array for each category, which is empty or holds the exponents "
            "of all its terms and the constant's"
        )


def _warm_starts(job: Job, method: Method, chosen: Sequence[int]) -> list[Floats]:
    """Return the warm starts of some categories; raise UsageError if they do not fit."""
    given = job.warm_starts
    if not given:
        return []
    if len(given) != len(job.labels):
        raise UsageError(
            f"warm_starts needs one array for each of {len(job.labels)} categories, and has "
            f"{len(given)}"
        )
    by_document = "duals" in method.parts[2].provides
    for category in chosen:
        terms = job.term_count(category)
        lengths = {0, job.design.documents} if by_document else {0, terms, terms + 1}
        if len(given[category]) not in lengths:
            raise UsageError(
                f"the warm start of {job.labels.names[category]} has {len(given[category])} values "
                f"and needs {max(lengths)}: take that of a fit by the same solver and terms"
            )
    return [given[category] for category in chosen]


def _train(job: Job, method: Method, tasks: CategoryTasks, pairs: Floats) -> _native.Fits:
    """Let the native core learn what can be learned."""
    chosen = tasks.learnable.tolist()
    options = method.to_native()
    options.keep_duals = job.keep_starts
    priors = job.term_priors
    assignment = tasks.assignment(
        pairs,
        _warm_starts(job, method, chosen),
        None if priors is None else priors.native(chosen, tasks.total, method.share),
        [job.resume_from[category] for category in chosen] if job.resume_from else [],
    )
    with within_range():
        fits = _native.train(
            job.design.native,
            term_lists(job.selected(chosen)),
            assignment,
            options,
            thread_count(job.threads),
            tasks.native_progress(job.progress),
        )
    if job.progress is not None:
        job.progress(len(chosen), len(chosen))
    return fits


def _point(
    job: Job,
    method: Method,
    tasks: CategoryTasks,
    fits: _native.Fits | None,
    places: Mapping[int, int],
    lambdas: Sequence[float],
) -> LinearFit:
    """Return the fit of all categories with one strength each, at these places of the fits."""
    rows: list[tuple[NDArray[Any], Floats]] = []
    intercepts = np.empty(len(job.labels))
    reports = []
    starts: list[Floats] = []  # of all categories, or of none
    units = method.first_units(len(job.labels))
    for category, lam in enumerate(lambdas):
        if fits is None or category not in places:
            rows.append((np.empty(0, dtype=np.int32), np.empty(0)))
            intercepts[category] = tasks.constant(category)
            reports.append(tasks.constant_report(category, lam))
            starts.append(np.empty(0))
            continue
        at = places[category]
        weights, terms = fits.weights(at), fits.places(at)
        rows.append((terms if job.selection is None else job.selection[category][terms], weights))
        intercepts[category] = fits.intercept(at)
        reports.append(tasks.report(category, lam, fits, at, len(weights)))
        if units is not None:
            units[category] = fits.unit(at)
        if job.keep_starts:
            starts.append(_start(fits, at, job.term_count(category), method.constant))
    return LinearFit(
        job.labels.names,
        _stack(rows, job.design.terms),
        intercepts,
        tuple(reports),
        tuple(starts) if job.keep_starts else (),
        units=units,
    )


def _start(fits: _native.Fits, at: int, terms: int, constant: float) -> Floats:
    """Return a warm start: duals by document, or weights by term and the constant's."""
    duals = fits.duals(at)
    if len(duals):
        return duals
    weights = np.zeros(terms + 1)
    weights[fits.places(at)] = fits.weights(at)
    weights[-1] = fits.intercept(at) / constant
    return weights


def _stack(rows: list[tuple[NDArray[Any], Floats]], columns: int) -> sp.csr_matrix[Any]:
    ends = list(accumulate((len(terms) for terms, _ in rows), initial=0))
    # As wide as the terms' numbers, if that will do: else SciPy looks at all of them.
    starts: NDArray[Any] = np.array(ends, dtype=np.int32 if ends[-1] < 2**31 else np.int64)
    terms = np.concatenate([np.empty(0, np.int32), *(terms for terms, _ in rows)])
    weights = np.concatenate([np.empty(0), *(weights for _, weights in rows)])
    return sp.csr_matrix((weights, terms, starts), shape=(len(rows), columns))


def paths(job: Job, method: Method) -> Iterator[tuple[slice, tuple[LinearFit, ...]]]:
    """Yield the fits of points × categories strengths, block by block of the categories.

    A block is one native call, and only one block's weights are held at a time. The blocks depend
    on the data alone. The job's ``progress`` counts categories.
    """
    assert job.strengths is not None
    points, categories = job.strengths.values.shape
    selection = job.selection
    terms = job.design.terms
    if selection is not None:
        terms = selection.ids.size // max(1, len(selection))
    size = max(LEAST_CATEGORIES, MOST_WEIGHTS // max(1, points * terms))
    for first in range(0, categories, size):
        block = slice(first, min(first + size, categories))
        part = job.of_categories(np.arange(categories)[block])
        progress = _offset(job.progress, first, block.stop, categories)
        yield block, fit_path(replace(part, progress=progress), method)


def _offset(progress: Progress | None, first: int, last: int, total: int) -> Progress | None:
    if progress is None:
        return None
    # Categories with nothing to learn are not counted below, and pass with the others.
    return lambda done, of: progress(first + (last - first) * done // max(1, of), total)


def tallies(
    job: Job, method: Method, measure: SearchMeasure, unseen: Unseen
) -> tuple[Floats, Ints]:
    """Return a measure's counts of a path, and which fits ran out of iterations.

    The counts are points × categories × the measure's numbers, the unfinished fits points ×
    categories. The scores of one point are held at a time, or of more if categories are few.
    """
    assert job.strengths is not None
    left = np.zeros(job.strengths.values.shape, dtype=np.int64)
    blocks = []
    for block, fits in paths(job, method):
        part = Unseen(unseen.rows, unseen.members[:, block], unseen.weights)
        step = max(1, TOGETHER // max(1, part.members.shape[1]))
        groups = [fits[first : first + step] for first in range(0, len(fits), step)]
        blocks.append(np.concatenate([_tally(measure, method, group, part) for group in groups]))
        for point, found in enumerate(fits):
            ran_out = {id(report) for report in unfinished(found.reports, method.tolerance)}
            left[point, block] += [id(report) in ran_out for report in found.reports]
    return np.concatenate(blocks, axis=1), left


def _tally(
    measure: SearchMeasure, method: Method, fits: Sequence[LinearFit], unseen: Unseen
) -> Floats:
    """Return the counts of some points, all of whose columns are scored at once."""
    weights = sp.vstack([fit.weights for fit in fits], format="csr")
    scores = np.asarray((unseen.rows @ weights.T).todense())
    scores = scores + np.concatenate([fit.intercepts for fit in fits])
    members = np.tile(unseen.members, (1, len(fits)))
    counts = measure.tally(HeldOut(scores, members, unseen.weights, method))
    return counts.reshape(len(fits), unseen.members.shape[1], -1)

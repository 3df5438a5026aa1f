"""How the objective falls with time (zhang-jin-yang-hauptmann-2003, figure 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from postil import _native
from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.tasks import CategoryTasks, term_lists, within_range


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A category's objective after each step, and the seconds since the first began."""

    category: str
    seconds: Floats
    objectives: Floats


def trace_objective(job: Job, method: Method) -> tuple[Trace, ...]:
    """Learn each category alone, and keep its objective after every step.

    Of ``smoothed-conjugate-gradient`` it is the SVM's objective, not that of the smooth problem,
    and costs a look at the documents. A category in which there is nothing to learn has no steps.
    """
    _check_traces(method)
    return tuple(
        _traced(job.of_categories(np.array([category])), method)
        for category in range(len(job.labels))
    )


def _traced(job: Job, method: Method) -> Trace:
    (name,) = job.labels.names
    tasks = CategoryTasks(job.labels, job.sample_weights)
    pairs = tasks.pairs(method.regularization.of_job(job), method)
    if not len(tasks.learnable):
        return Trace(name, np.empty(0), np.empty(0))
    options = method.to_native()
    options.conjugate.trace = True
    terms, assignment = term_lists(job.selection), tasks.assignment(pairs, [])
    with within_range():
        fits = _native.train(job.design.native, terms, assignment, options, 1, None)
    return Trace(name, fits.trace_seconds(0), fits.trace_objectives(0))


def _check_traces(method: Method) -> None:
    able = [name for name, solver in SOLVERS.items() if "trace" in solver.provides]
    if method.solver not in able:
        raise UsageError(f"the solver {method.solver} keeps no trace: use {' or '.join(able)}")

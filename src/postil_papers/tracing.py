"""How the objective falls with time (zhang-jin-yang-hauptmann-2003, figure 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from postil import _native
from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import CategoryTasks, lists, within_range
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.one_vs_rest import usual_strengths
from postil.learn.solvers import SOLVERS


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A category's objective after each step, and the seconds since the first began."""

    category: str
    seconds: Floats
    objectives: Floats


def trace_objective(
    design: Design,
    labels: Labels,
    method: Method,
    *,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
) -> tuple[Trace, ...]:
    """Learn each category alone, and keep its objective after every step.

    Of ``smoothed-conjugate-gradient`` it is the SVM's objective, not that of the smooth problem,
    and costs a look at the documents. A category in which there is nothing to learn has no steps.
    """
    _check_traces(method)
    return tuple(
        _traced(design, labels, method, selection, sample_weights or SampleWeights(), category)
        for category in range(len(labels))
    )


def _traced(
    design: Design,
    labels: Labels,
    method: Method,
    selection: Selection | None,
    sample_weights: SampleWeights,
    category: int,
) -> Trace:
    name = labels.names[category]
    alone = Labels((name,), labels.members[:, [category]])
    tasks = CategoryTasks(alone, sample_weights.of_documents(design.documents), sample_weights)
    kept = None if selection is None else Selection.of([selection[category]], design.terms)
    strengths = tasks.checked(usual_strengths(design, tasks, method, kept), method)
    if not len(tasks.learnable):
        return Trace(name, np.empty(0), np.empty(0))
    options = method.to_native()
    options.conjugate.trace = True
    terms: Any = None if kept is None else lists(kept.offsets, kept.ids)
    with within_range():
        fits = _native.train(
            design.native, terms, tasks.assignment(strengths, []), options, 1, None
        )
    return Trace(name, fits.trace_seconds(0), fits.trace_objectives(0))


def _check_traces(method: Method) -> None:
    able = [name for name, solver in SOLVERS.items() if "trace" in solver.provides]
    if method.solver not in able:
        raise UsageError(f"the solver {method.solver} keeps no trace: use {' or '.join(able)}")

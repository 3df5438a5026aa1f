"""Figure 2: the SVM's objective against the seconds of MLR-CG; and growth with the documents.

Figure 2 shows ``O_svm(w) = (1/n) Σ max(0, 1 - yᵢ(w·xᵢ + b)) + λ‖w‖²`` after every step of conjugate
gradients, and as a level the objective of SMO, whose duality gap is 1e-4 of it. The seconds are of
one thread; computing the objective takes some of them, so that they are a little more than table
2's.

``growth`` tests the claim of section 7 on the arXiv corpus; the paper's only large collection is
RCV1. One category is learned against the rest from more and more documents of a random order, each
time with the 500 terms that the recipe selects on them. Times are of one thread, of learning alone,
the median of three where they are short. The exponent is the slope of a straight line through the
logarithms of documents and seconds. SMO stops growing after its first fit that takes longer than
``CAP`` seconds; a remark says where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from postil import _native
from postil.common.types import Floats, Indices
from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.tasks import CategoryTasks, term_lists, within_range
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import Vectors, random_order, report, vectors_of
from postil_papers.paper import axis_column
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    ARXIV,
    RCV1,
    REUTERS,
    Collection,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import (
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    SMO,
    SMO_LEARN,
    Learned,
    Task,
    learn,
    solvers_of,
    svm,
    task_of,
    timed,
)

OPTIMUM = "SVM"  # the column of the level
TOLERANCE = 1e-4
DIGITS = 6  # of seconds
# The paper's figure is of RCV1. Of arXiv there are as many documents as SMO can optimize.
FIGURES = {"figure2": RCV1, "figure2-reuters": REUTERS, "figure2-arxiv": ARXIV}
DOCUMENTS = {ARXIV.name: 32_000}
# With 781,265 documents SMO would take too long; growth shows how its time grows.
WITHOUT_OPTIMUM = frozenset({RCV1.name})

GROWTH, EXPONENTS = "growth", "growth-exponents"
GROWTH_METHODS = (MLR_CG, SMO, DUAL, LIBLINEAR)
SIZES = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000)
CAP = 120.0  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A category's objective after each step, and the seconds since the first began."""

    category: str
    seconds: Floats
    objectives: Floats


def trace_objective(job: Job, method: Method) -> tuple[Trace, ...]:
    """Learn each category alone, and return its objective after every step.

    For ``smoothed-conjugate-gradient`` it is the SVM's objective, not that of the smooth problem,
    and costs a pass over the documents. A category in which there is nothing to learn has no steps.

    Parameters
    ----------
    job:
        The documents and categories to learn.
    method:
        The method; its solver must provide a trace.
    """
    able = [name for name, solver in SOLVERS.items() if "trace" in solver.provides]
    if method.solver not in able:
        raise UsageError(f"the solver {method.solver} keeps no trace: use {' or '.join(able)}")
    options = method.to_native()
    options.conjugate.trace = True
    found = []
    for category, name in enumerate(job.labels.names):
        alone = job.of_categories(np.array([category]))
        tasks = CategoryTasks(alone.labels, alone.sample_weights)
        pairs = tasks.pairs(method.regularization.of_job(alone), method)
        if not len(tasks.learnable):
            found.append(Trace(name, np.empty(0), np.empty(0)))
            continue
        terms, assignment = term_lists(alone.selection), tasks.assignment(pairs, [])
        with within_range():
            fits = _native.train(alone.design.native, terms, assignment, options, 1, None)
        found.append(Trace(name, fits.trace_seconds(0), fits.trace_objectives(0)))
    return tuple(found)


def run_convergence(
    figure: str, collection: Collection, first: int | None, recipes: Mapping[str, Recipe]
) -> CellValues:
    """Fill the trace of every category, and the optimum if SMO is among the recipes."""
    recipe = recipes[MLR_CG]
    vectors = vectors_of(collection.documents(), recipe.representation)
    rows = vectors.learned if first is None else first_rows(vectors.learned, first)
    found: dict[tuple[str, str, str], float | Measured] = {}
    for done, category in enumerate(collection.categories):
        report("categories", done, len(collection.categories))
        task = task_of(vectors, category, recipe.selection, rows)
        task.prepare()
        for seconds, value in trace(task, recipe).items():
            found[figure, category, axis_column(seconds)] = value
        if SMO in recipes:
            learned = learn(recipes[SMO], task)
            least = svm_objective(task, learned, LAMBDA)
            found[figure, category, OPTIMUM] = Measured(least, remark=learned.remark)
    return found


def trace(task: Task, recipe: Recipe) -> dict[float, float]:
    """Return the SVM's objective by seconds; of steps that take no time the last.

    It begins with 1, the loss of every document where all weights are 0.
    """
    method = cast("Method", recipe.method())
    (steps,) = trace_objective(Job(task.design, task.labels), method)
    found = {0.0: 1.0}
    for seconds, value in zip(steps.seconds, steps.objectives, strict=True):
        found[round(float(seconds), DIGITS)] = float(value)
    return found


def svm_objective(task: Task, learned: Learned, lam: float) -> float:
    """Return ``(1/n) Σ max(0, 1 - yᵢ(w·xᵢ + b)) + λ‖w‖²``."""
    margins = task.signs * (task.doubles @ learned.weights + learned.intercept)
    losses = np.maximum(0.0, 1 - margins)
    return float(losses.mean() + lam * learned.weights @ learned.weights)


def growth_row(category: str, method: str) -> str:
    """Return the row of a method in the figure of growth."""
    return f"{category}: {method}"


def run_growth(
    category: str,
    collection: Collection,
    sizes: Sequence[int],
    cap: float,
    solvers: Mapping[str, Recipe | float],
) -> CellValues:
    """Fill the seconds of each method at each size, and the exponent of each."""
    recipe = solvers[MLR_CG]
    assert isinstance(recipe, Recipe)
    vectors = vectors_of(collection.documents(), recipe.representation)
    sizes = sizes_within(sizes, len(vectors.learned))
    taken = seconds_by_size(vectors, category, recipe.selection, sizes, solvers, cap)
    found: dict[tuple[str, str, str], float | Measured] = {}
    for method, seconds in taken.items():
        for size, value in seconds.items():
            found[GROWTH, growth_row(category, method), axis_column(size)] = value
        last = max(seconds)
        capped = f"up to {last} documents: more would take longer than {cap:g} seconds"
        slope = exponent(list(seconds), list(seconds.values()))
        remark = capped if last < max(sizes) else ""
        found[EXPONENTS, category, method] = Measured(slope, remark=remark)
    return found


def seconds_by_size(
    vectors: Vectors,
    category: str,
    selection: TermSelection,
    sizes: Sequence[int],
    solvers: Mapping[str, Recipe | float],
    cap: float,
) -> dict[str, dict[int, float]]:
    """Return seconds by method and number of documents; a method that exceeds the cap stops."""
    taken: dict[str, dict[int, float]] = {name: {} for name in solvers}
    for done, size in enumerate(sizes):
        report(f"{category}, sizes", done, len(sizes))
        task = task_of(vectors, category, selection, first_rows(vectors.learned, size))
        task.prepare()
        for name, solver in solvers.items():
            if all(seconds <= cap for seconds in taken[name].values()):
                taken[name][size] = timed(partial(learn, solver, task))[0]
    return taken


def first_rows(rows: Indices, size: int, seed: int = 0) -> Indices:
    """Return the first rows in a random order, which is the same for every size; sorted."""
    return np.sort(rows[random_order(len(rows), seed)[:size]])


def sizes_within(sizes: Sequence[int], documents: int) -> list[int]:
    """Return the sizes that there are documents for; raise UsageError if fewer than two are."""
    found = [size for size in sizes if size <= documents]
    if len(found) < 2:
        raise UsageError(f"growth needs two sizes or more, and there are {documents} documents")
    return found


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of ln(seconds) over ln(documents), by least squares."""
    if len(sizes) < 2:
        raise UsageError("the exponent of growth needs two sizes or more: raise the cap")
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def convergence_experiments() -> list[Experiment]:
    """Return an experiment for each figure of convergence."""
    exact = {**SMO_LEARN, "options": {"tolerance": TOLERANCE}}
    found = []
    for figure, collection in FIGURES.items():
        recipe = solvers_of(collection)[MLR_CG]
        recipes = {MLR_CG: recipe, SMO: svm(recipe, exact)}
        if collection.name in WITHOUT_OPTIMUM:
            del recipes[SMO]
        found.append(
            experiment(
                f"{collection.name}, convergence",
                partial(run_convergence, figure),
                Fill(figure, rows=collection.categories),
                collection=collection,
                first=DOCUMENTS.get(collection.name),
                recipes=recipes,
            )
        )
    return found


def growth_experiments() -> list[Experiment]:
    """Return an experiment for each category of arXiv."""
    return [
        experiment(
            f"{ARXIV.name}, growth of {category}",
            partial(run_growth, category),
            Fill(GROWTH, rows=tuple(growth_row(category, method) for method in GROWTH_METHODS)),
            Fill(EXPONENTS, (category,), GROWTH_METHODS),
            collection=ARXIV,
            sizes=SIZES,
            cap=CAP,
            solvers={**solvers_of(ARXIV), LIBLINEAR: LAMBDA},
        )
        for category in ARXIV.categories
    ]

"""Figures 1 and 2: losses, and the SVM's objective by the seconds of MLR-CG; and growth.

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
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from postil import _native
from postil.common.types import Floats, Indices
from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.learn.tasks import CategoryTasks, term_lists, within_range
from postil.plots.figure import Axis, Figure, Level, Line, Panel
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import Vectors, random_order, report, vectors_of
from postil_papers.paper import axis_column
from postil_papers.plotting import (
    Curve,
    Draw,
    Shape,
    curves_of,
    draw_formulas,
    facts_of,
    figure_of,
    formula_experiment,
    hinge,
    smoothed_hinge,
)
from postil_papers.reproduction import Table
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import ARXIV, RCV1, REUTERS, Collection
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import (
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    SMO,
    SMO_LEARN,
    SVM,
    Learned,
    Task,
    learn,
    solvers_of,
    svm,
    task_of,
    timed,
)

TOLERANCE = 1e-4
DIGITS = 6  # of seconds
# The paper's figure is of RCV1. Of arXiv there are as many documents as SMO can optimize.
CONVERGENCE = {"figure2": RCV1, "figure2-reuters": REUTERS, "figure2-arxiv": ARXIV}
DOCUMENTS = {ARXIV.name: 32_000}
# With 781,265 documents SMO would take too long; growth shows how its time grows.
WITHOUT_OPTIMUM = frozenset({RCV1.name})

GROWTH, EXPONENTS = "growth", "growth-exponents"
GROWTH_METHODS = (MLR_CG, SMO, DUAL, LIBLINEAR)
SIZES = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000)
CAP = 120.0  # seconds


class Trace(NamedTuple):
    """A category's objective after each step, and the seconds since the first began."""

    category: str
    seconds: Floats
    objectives: Floats


def trace_objective(job: Job, method: Method) -> tuple[Trace, ...]:
    """Learn each category alone, and return its objective after every step.

    For ``smoothed-conjugate-gradient`` it is the SVM's objective, not that of the smooth problem,
    and costs a pass over the documents. A category in which there is nothing to learn has no steps.
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
            found[figure, category, SVM] = Measured(least, remark=learned.remark)
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


def draw_convergence(table: Table) -> Figure | None:
    """Draw the objective against seconds, a panel for each category, and the SVM's optimum.

    The title of a panel has the last values of both, which the drawing cannot tell apart.
    """
    optimum = {
        cell.key.row: cell.ours
        for cell in table.cells
        if cell.key.column == SVM and cell.ours is not None
    }
    panels = []
    for category, curve in curves_of(table, "ours").items():
        marks: list[Line | Level] = [Line(MLR_CG, curve.x, curve.y, marked=False)]
        ends = {MLR_CG: curve.y[-1]}
        if category in optimum:
            ends[SVM] = optimum[category]
            marks.append(Level(SVM, optimum[category], ""))
        shown = ", ".join(f"{method} {value:.4f}" for method, value in ends.items())
        panels.append(Panel(tuple(marks), f"{category}: {shown}"))
    return figure_of(facts_of(table), *panels)


def draw_growth(table: Table) -> Figure | None:
    """Draw seconds against documents, a panel for each category, with the exponents over it."""
    facts, found = facts_of(table), curves_of(table, "ours")
    sizes = tuple(sorted({size for curve in found.values() for size in curve.x}))
    by_category: dict[str, dict[str, Curve]] = {}
    for row, curve in found.items():
        category, _, method = row.partition(": ")
        by_category.setdefault(category, {})[method] = curve
    panels = [
        Panel(
            tuple(Line(method, curve.x, curve.y) for method, curve in curves.items()),
            _title(category, curves),
        )
        for category, curves in by_category.items()
    ]
    return figure_of(facts, *panels, x=Axis(facts.x.label, facts.x.scale, sizes))


def _title(category: str, curves: Mapping[str, Curve]) -> str:
    """Return the title of a panel: two exponents a line, so that neighbours do not meet."""
    slopes = [
        f"{method} {exponent(curve.x, curve.y):.2f}"
        for method, curve in curves.items()
        if len(curve.x) > 1
    ]
    pairs = (", ".join(slopes[place : place + 2]) for place in range(0, len(slopes), 2))
    return "\n".join([f"{category}, exponents" if slopes else category, *pairs])


def _convergence(figure: str, collection: Collection) -> Experiment:
    recipe = solvers_of(collection)[MLR_CG]
    recipes = {MLR_CG: recipe}
    if collection.name not in WITHOUT_OPTIMUM:
        recipes[SMO] = svm(recipe, {**SMO_LEARN, "options": {"tolerance": TOLERANCE}})
    return experiment(
        f"{collection.name}, convergence",
        partial(run_convergence, figure),
        Fill(figure, rows=collection.categories),
        collection=collection,
        first=DOCUMENTS.get(collection.name),
        recipes=recipes,
    )


# Figure 1, by the names of its series, the sharpest last.
LOSSES: dict[str, Shape] = {
    "SVM": hinge,
    **{f"γ = {gamma}": partial(smoothed_hinge, float(gamma)) for gamma in (1, 2, 5, 10)},
}
EXPERIMENTS = [
    formula_experiment("losses", "figure1", LOSSES, tuple(float(z) for z in range(-3, 4))),
    *(_convergence(figure, collection) for figure, collection in CONVERGENCE.items()),
    *(
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
    ),
]
FIGURES: dict[str, Draw] = {
    "figure1": partial(draw_formulas, LOSSES, 3.0),
    **dict.fromkeys(CONVERGENCE, draw_convergence),
    GROWTH: draw_growth,
}

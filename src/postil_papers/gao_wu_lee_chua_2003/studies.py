"""Studies that the paper does not report: trees, solvers, the offset β, and rival categories.

- ``trees``: one level, as they grow, and cut where held-out documents say. The paper says neither
  when it stops splitting nor how it prunes. Each is beside what table 4 prints of its kind.
- ``solvers``: GPD against L-BFGS on the same features, for F1 and for few errors. Rows are GPD with
  2000 steps, as in table 4; L-BFGS on the very objective of GPD, with its α, from the same start,
  until it is level; and L-BFGS as the recipes have it, 15 steps, with α by the distance of members
  and others. ``objective`` is the mean over categories of the smooth figure on training documents;
  that of the last row has another α, and cannot be compared.
- ``offset``: β of section 6.2, none or the mean of d over all training documents at every step.
- ``multi``: section 4.3, which the paper proposes and does not measure. All on the sparse vectors
  of ``mfom-multi``, by L-BFGS. A form defines the margin of a category: its score (``binary``), its
  score over the bar of its rivals (``rivals``, eq. 4.13), or over that bar held below 0
  (``unclaimed``). Rows are forms and figures at a threshold of 0, and some with thresholds tuned
  out of fold by the rule of ``mfom-multi``, which shows the effects of form and rule apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, lbfgs_of, stops_of
from postil_papers.gao_wu_lee_chua_2003.runs import (
    BPA_TREE,
    COLLECTION,
    F1,
    MACRO,
    MEAN,
    MFOM_TREE,
    MICRO,
    MULTI,
    average_cells,
    learning,
    run_of,
)
from postil_papers.gao_wu_lee_chua_2003.tables import (
    FEW,
    FIGURES,
    FULL,
    REDUCED,
    STOPS,
    USUAL,
    figure_descent,
    grid_descent,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

AVERAGES = (MICRO, MACRO, MEAN)

NODES = "nodes a tree"
TREES = {"perceptrons": BPA_TREE, "F1": MFOM_TREE}
SHAPES: dict[str, dict[str, int]] = {"one level": {"depth": 1}, "as grown": {"folds": 0}, "cut": {}}

OBJECTIVE = "objective"
GPD, SAME, USUAL_LBFGS = "GPD", "L-BFGS, the same objective", "L-BFGS of the recipes"
MOST = 300  # steps of L-BFGS on the objective of GPD

RARE = "multi-rare"
RARE_COLUMN = "mean F1 of rare categories"
FEWEST = 4  # a category with fewer training documents is rare
FORMS = ("binary", "rivals", "unclaimed")
MULTI_FIGURES = ("f1", "balanced-error")
# Those with the recipe's rule, by their names with it; the recipe itself is one.
RULED = {
    "binary, f1": "binary, f1, thresholds tuned",
    "binary, balanced-error": "binary, balanced-error, thresholds tuned",
    "unclaimed, balanced-error": MULTI,
}


def run_trees(row: str, collection: Collection, recipe: Recipe) -> CellValues:
    """Fill all averages, and the mean number of nodes of a category's tree."""
    run = run_of(collection, recipe)
    trees = len(run.sizes)
    remark = f"{run.rows} nodes of {trees} trees, learned in {run.seconds:.0f} s"
    return average_cells("trees", row, run.by_rule, remark, **{NODES: run.rows / trees})


def run_gpd(row: str, collection: Collection, descent: Descent) -> CellValues:
    """Fill the row of GPD: the descent of tables 1 and 4."""
    stop = stops_of(collection, descent)[USUAL]
    return average_cells("solvers", row, stop.tally, stop.remark, objective=stop.smooth)


def run_same(row: str, collection: Collection, recipe: Recipe, most: int) -> CellValues:
    """Fill the row of L-BFGS on the objective of GPD."""
    stop = lbfgs_of(collection, recipe, most)
    return average_cells("solvers", row, stop.tally, stop.remark, objective=stop.smooth)


def run_lbfgs(row: str, collection: Collection, recipe: Recipe) -> CellValues:
    """Fill the row of the recipe with L-BFGS."""
    run = run_of(collection, recipe)
    remark = f"α by the distance of scores; learned in {run.seconds:.0f} s"
    return average_cells("solvers", row, run.by_rule, remark, objective=run.smooth)


def run_offset(row: str, collection: Collection, descent: Descent) -> CellValues:
    """Fill all averages after few steps."""
    stop = stops_of(collection, descent)[FEW]
    remark = f"mean F1 of training documents {stop.attained:.3f}"
    return average_cells("offset", row, stop.tally, remark)


def run_form(row: str, collection: Collection, recipe: Recipe, fewest: int) -> CellValues:
    """Fill one form and figure: decisions at 0, and by the rule where it has one."""
    run = run_of(collection, recipe)
    rare = run.rare(fewest)
    found: dict[tuple[str, str, str], Measured] = {}
    for name, tally in ((row, run.at_zero), (RULED.get(row), run.by_rule)):
        if name is None:
            continue
        found |= average_cells("multi", name, tally, f"learned in {run.seconds:.0f} s")
        if rare:
            mean, remark = tally.of(rare).mean(), f"{len(rare)} categories"
            found[RARE, name, RARE_COLUMN] = Measured(mean, remark=remark)
    return found


def formed(form: str, figure: str) -> Recipe:
    """Return ``mfom-multi`` with another form and figure, deciding at 0.

    Rivals are learned alone, and then together: alone, a category has as many steps as both.
    """
    recipe = load_recipe(MULTI)
    options = dict(recipe.learn["options"])
    if form == "binary":
        options["iterations"] *= 2
    changed = learning(recipe, form=form, figure=figure, options=options)
    return replace(changed, decide=Decide(rule="default"))


def tree_experiments() -> list[Experiment]:
    """Return an experiment for each kind of node and shape of tree."""
    return [
        experiment(
            f"trees, {kind}, {shape}",
            partial(run_trees, f"{kind}, {shape}"),
            Fill("trees", (f"{kind}, {shape}",), (*AVERAGES, NODES)),
            collection=COLLECTION,
            recipe=learning(load_recipe(name), **changed),
        )
        for kind, name in TREES.items()
        for shape, changed in SHAPES.items()
    ]


def solver_experiments() -> list[Experiment]:
    """Return an experiment for each figure and solver."""
    found = []
    for figure, name in FIGURES.items():
        recipe = load_recipe(name)
        by_lbfgs = learning(recipe, solver="l-bfgs", options=None)
        solvers: dict[str, tuple[Callable[..., CellValues], dict[str, Any]]] = {
            GPD: (run_gpd, {"descent": figure_descent(figure, FULL)}),
            SAME: (run_same, {"recipe": recipe, "most": MOST}),
            USUAL_LBFGS: (run_lbfgs, {"recipe": by_lbfgs}),
        }
        for solver, (run, settings) in solvers.items():
            row = f"{figure}, {solver}"
            fill = Fill("solvers", (row,), (*AVERAGES, OBJECTIVE))
            found.append(
                experiment(
                    f"solvers, {row}", partial(run, row), fill, collection=COLLECTION, **settings
                )
            )
    return found


def offset_experiments() -> list[Experiment]:
    """Return an experiment for each β; that without is a row of tables 2 and 3."""
    recipe = load_recipe(F1)
    options = {**recipe.learn["options"], "offset": "mean"}
    descents = {
        "none": grid_descent(REDUCED),
        "the mean of d": Descent(learning(recipe, options=options), REDUCED, {FEW: STOPS[FEW]}),
    }
    return [
        experiment(
            f"offset, {row}",
            partial(run_offset, row),
            Fill("offset", (row,), AVERAGES),
            collection=COLLECTION,
            descent=descent,
        )
        for row, descent in descents.items()
    ]


def form_experiments() -> list[Experiment]:
    """Return an experiment for each form and figure."""
    found = []
    for figure in MULTI_FIGURES:
        for form in FORMS:
            row, recipe = f"{form}, {figure}", formed(form, figure)
            if row in RULED:
                recipe = replace(recipe, decide=load_recipe(MULTI).decide)
            rows = tuple(filter(None, (row, RULED.get(row))))
            found.append(
                experiment(
                    f"multi, {row}",
                    partial(run_form, row),
                    Fill("multi", rows, AVERAGES),
                    Fill(RARE, rows, (RARE_COLUMN,)),
                    collection=COLLECTION,
                    recipe=recipe,
                    fewest=FEWEST,
                )
            )
    return found

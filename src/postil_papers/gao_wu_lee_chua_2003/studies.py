"""Studies that the paper does not report: trees, solvers, and rival categories.

- ``trees``: one level, as they grow, and cut where held-out documents say. The paper says neither
  when it stops splitting nor how it prunes. Each is beside what table 4 prints of its kind.
- ``solvers``: GPD against L-BFGS on the same features, for F1 and for few errors. Rows are GPD with
  2000 steps, as in table 4; L-BFGS on the very objective of GPD, with its α, from the same start,
  until it is level; and L-BFGS as the recipes have it, 15 steps, with α by the distance of members
  and others. ``objective`` is the mean over categories of the smooth figure on training documents;
  that of the last row has another α, and cannot be compared.
- ``multi``: section 4.3, which the paper proposes and does not measure. All on the sparse vectors
  of ``mfom-multi``, by L-BFGS. A form defines the margin of a category: its score (``binary``), its
  score over the bar of its rivals (``rivals``, eq. 4.13), or over that bar held below 0
  (``unclaimed``). Rows are forms and figures at a threshold of 0, and some with thresholds tuned
  out of fold by the rule of ``mfom-multi``, which shows the effects of form and rule apart.
- ``multi-rare``: more evidence about rare categories, because the 17 that are rare by nature have
  too few test documents to compare two forms. Some larger categories are made rare: all but one to
  three of their training documents are removed, three of these are to be found again, and a quarter
  of the other training documents is tested on, too. That is done in several cuts, without any test
  document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats, Indices
from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, lbfgs_of, stops_of
from postil_papers.gao_wu_lee_chua_2003.runs import (
    AVERAGES,
    BPA_TREE,
    COLLECTION,
    MFOM_TREE,
    MULTI,
    average_cells,
    learned,
    learning,
    run_of,
    spaces_of,
)
from postil_papers.gao_wu_lee_chua_2003.tables import (
    FIGURES,
    FULL,
    USUAL,
    figure_descent,
)
from postil_papers.harness import Problem, report
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

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

COLUMNS = ("made rare", "micro F1 beside those made rare")
CUTS = 20
THINNED = 15  # categories of a cut, half of those there are at most
SIZES = (10, 120)  # of these categories before
SOUGHT = 3  # documents of each to be found again


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


class Cut(NamedTuple):
    """Documents to learn from and to test on, and the categories that were made rare."""

    learned: Indices
    tested: Indices
    thinned: list[int]


def cut_of(members: sp.csc_matrix[Any], seed: int) -> Cut:
    """Make some categories rare; a document of several counts for each."""
    chance = np.random.default_rng(seed)
    sizes = np.asarray(members.sum(axis=0)).ravel()
    fitting = np.flatnonzero((sizes >= SIZES[0]) & (sizes <= SIZES[1]))
    thinned = chance.choice(fitting, min(THINNED, len(fitting) // 2), replace=False)
    kept = _drawn(members, thinned, chance, set(), lambda: int(chance.integers(1, FEWEST)))
    sought = _drawn(members, thinned, chance, kept, lambda: SOUGHT)
    touched = np.asarray(members[:, thinned].sum(axis=1)).ravel() > 0
    others = chance.permutation(np.flatnonzero(~touched))
    quarter = len(others) // 4
    return Cut(
        np.sort(np.concatenate([others[quarter:], np.array(sorted(kept), dtype=np.intp)])),
        np.sort(np.concatenate([others[:quarter], np.array(sorted(sought), dtype=np.intp)])),
        thinned.tolist(),
    )


def _drawn(
    members: sp.csc_matrix[Any],
    thinned: Indices,
    chance: np.random.Generator,
    without: set[int],
    wanted: Callable[[], int],
) -> set[int]:
    """Draw documents until every category has as many as wanted, or no more."""
    drawn: set[int] = set()
    for category in thinned.tolist():
        own = members[:, [category]].nonzero()[0].tolist()
        missing = wanted() - sum(document in drawn for document in own)
        free = [document for document in own if document not in drawn | without]
        if missing > 0 and free:
            drawn.update(chance.choice(free, min(missing, len(free)), replace=False).tolist())
    return drawn


def found_in(problem: Problem, cut: Cut, recipe: Recipe) -> tuple[float, float]:
    """Return the mean F1 of the categories made rare, and micro-averaged F1 of all."""
    tally = learned(problem, recipe).at_zero
    names, sizes = problem.labels.names, problem.labels.sizes()
    rare = [names[category] for category in cut.thinned if 0 < sizes[category] < FEWEST]
    return tally.of(rare).mean(), tally.micro()


def run_cuts(
    baseline: str, collection: Collection, recipes: Mapping[str, Recipe], cuts: int
) -> CellValues:
    """Fill all forms of a figure, on the same cuts."""
    whole = spaces_of(collection, recipes[baseline].representation).whole()
    members: sp.csc_matrix[Any] = sp.csc_matrix(whole.labels.members)
    found: dict[str, list[tuple[float, float]]] = {row: [] for row in recipes}
    for seed in range(cuts):
        cut = cut_of(members, seed)
        problem = whole.part(cut.learned, cut.tested)
        for row, recipe in recipes.items():
            report(f"cut {seed + 1}, {row}", seed, cuts)
            found[row].append(found_in(problem, cut, recipe))
    alone = np.array(found[baseline])
    return {
        (RARE, row, column): _measured(np.array(values)[:, place], alone[:, place])
        for row, values in found.items()
        for place, column in enumerate(COLUMNS)
    }


def _measured(values: Floats, alone: Floats) -> Measured:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    remark = f"standard error {error:.3f}"
    if not np.array_equal(values, alone):
        remark += f"; above binary in {int((values > alone).sum())} of {len(values)} cuts"
    return Measured(float(values.mean()), remark=remark)


def _solvers(figure: str, name: str) -> Iterator[Experiment]:
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
        yield experiment(
            f"solvers, {row}", partial(run, row), fill, collection=COLLECTION, **settings
        )


def _forms(figure: str) -> Iterator[Experiment]:
    recipes = {f"{form}, {figure}": formed(form, figure) for form in FORMS}
    for row, recipe in recipes.items():
        rows = tuple(filter(None, (row, RULED.get(row))))
        decide = load_recipe(MULTI).decide if row in RULED else recipe.decide
        yield experiment(
            f"multi, {row}",
            partial(run_form, row),
            Fill("multi", rows, AVERAGES),
            Fill(RARE, rows, (RARE_COLUMN,)),
            collection=COLLECTION,
            recipe=replace(recipe, decide=decide),
            fewest=FEWEST,
        )
    yield experiment(
        f"categories made rare, {figure}",
        partial(run_cuts, next(iter(recipes))),
        Fill(RARE, tuple(recipes), COLUMNS),
        collection=COLLECTION,
        recipes=recipes,
        cuts=CUTS,
    )


EXPERIMENTS = [
    *(
        experiment(
            f"trees, {kind}, {shape}",
            partial(run_trees, f"{kind}, {shape}"),
            Fill("trees", (f"{kind}, {shape}",), (*AVERAGES, NODES)),
            collection=COLLECTION,
            recipe=learning(load_recipe(name), **changed),
        )
        for kind, name in TREES.items()
        for shape, changed in SHAPES.items()
    ),
    *(each for figure, name in FIGURES.items() for each in _solvers(figure, name)),
    *(each for figure in MULTI_FIGURES for each in _forms(figure)),
]

"""A study of the trees: one level, as they grow, and cut where held-out documents say.

Not in the paper, which reports trees and says neither when it stops splitting nor how it prunes.
Each stands beside what table 4 prints of its kind.
"""

from __future__ import annotations

from functools import partial

from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import averages, experiment
from postil_papers.gao_wu_lee_chua_2003.methods import (
    BPA_TREE,
    MACRO,
    MEAN,
    MFOM_TREE,
    MICRO,
    Load,
    learning,
)
from postil_papers.gao_wu_lee_chua_2003.runs import run_of

TABLE = "trees"
NODES = "nodes a tree"
COLUMNS = (MICRO, MACRO, MEAN, NODES)
KINDS = {"perceptrons": BPA_TREE, "F1": MFOM_TREE}
SHAPES: dict[str, dict[str, int]] = {
    "one level": {"depth": 1},
    "as grown": {"folds": 0},
    "cut": {},
}


def row_of(kind: str, shape: str) -> str:
    """A row by its nodes and its shape."""
    return f"{kind}, {shape}"


def shaped(recipe: Recipe, shape: str) -> Recipe:
    """The recipe with trees of a shape; ``cut`` is the recipe as it is."""
    return learning(recipe, **SHAPES[shape])


def run_trees(row: str, settings: Settings) -> CellValues:
    """All averages, and how many nodes the tree of a category has on average."""
    run = run_of(settings, row)
    categories = len(run.sizes)
    values = {**averages(run.by_rule), NODES: run.rows / categories}
    remark = f"{run.rows} nodes of {categories} trees, learned in {run.seconds:.0f} s"
    return {
        (TABLE, row, column): Measured(value, remark=remark) for column, value in values.items()
    }


def experiments(load: Load) -> list[Experiment]:
    """One for each kind of node and shape of tree."""
    return [
        experiment(
            f"trees, {row_of(kind, shape)}",
            partial(run_trees, row_of(kind, shape)),
            (Fill(TABLE, (row_of(kind, shape),), COLUMNS),),
            __name__,
            recipes={row_of(kind, shape): shaped(load(name), shape)},
        )
        for kind, name in KINDS.items()
        for shape in SHAPES
    ]

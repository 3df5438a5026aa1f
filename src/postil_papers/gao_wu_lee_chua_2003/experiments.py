"""All experiments of the paper, with postil's own recipes."""

from __future__ import annotations

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name
from postil_papers.gao_wu_lee_chua_2003 import (
    comparison,
    convergence,
    counts,
    criteria,
    dimensions,
    made_rare,
    multi,
    offsets,
    sigmoids,
    solvers,
    trees,
)

EXPERIMENTS = by_name(
    *counts.experiments(load_recipe),
    *dimensions.experiments(load_recipe),
    *criteria.experiments(load_recipe),
    *comparison.experiments(load_recipe),
    *trees.experiments(load_recipe),
    *solvers.experiments(load_recipe),
    *offsets.experiments(load_recipe),
    *multi.experiments(load_recipe),
    *made_rare.experiments(load_recipe),
    *convergence.experiments(load_recipe),
    *sigmoids.EXPERIMENTS.values(),
)

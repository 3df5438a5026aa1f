"""All experiments of the paper, with postil's own recipes."""

from __future__ import annotations

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name
from postil_papers.genkin_lewis_madigan_2004 import (
    comparisons,
    effectiveness,
    fold_cuts,
    parameter_paths,
    sparsity,
    terms,
)

EXPERIMENTS = by_name(
    *terms.experiments(load_recipe),
    *comparisons.experiments(load_recipe),
    *fold_cuts.experiments(load_recipe),
    *effectiveness.experiments(load_recipe),
    *sparsity.experiments(load_recipe),
    *parameter_paths.experiments(load_recipe),
)

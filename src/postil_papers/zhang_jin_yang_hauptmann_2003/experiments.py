"""All experiments of the paper, with postil's own recipes."""

from __future__ import annotations

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name
from postil_papers.zhang_jin_yang_hauptmann_2003 import (
    binary,
    convergence,
    datasets,
    growth,
    loss_shapes,
    multiclass,
    studies,
    whole,
)

EXPERIMENTS = by_name(
    *datasets.experiments(load_recipe),
    *binary.experiments(load_recipe),
    *studies.experiments(load_recipe),
    *whole.experiments(load_recipe),
    *multiclass.experiments(load_recipe),
    *loss_shapes.EXPERIMENTS.values(),
    *convergence.experiments(load_recipe),
    *growth.experiments(load_recipe),
)

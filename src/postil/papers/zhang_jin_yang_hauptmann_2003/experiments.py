"""All experiments of the paper, with postil's own recipes."""

from __future__ import annotations

from postil.papers.experiment import by_name
from postil.papers.zhang_jin_yang_hauptmann_2003 import (
    binary,
    convergence,
    datasets,
    growth,
    loss_shapes,
    multiclass,
    studies,
    whole,
)
from postil.recipes.recipe import load_recipe

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

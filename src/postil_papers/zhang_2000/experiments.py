"""All experiments of the paper, with postil's own recipes."""

from __future__ import annotations

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name
from postil_papers.zhang_2000 import curves, selections, sensitivity, tables, web_pages

EXPERIMENTS = by_name(
    *tables.experiments(load_recipe),
    *selections.experiments(load_recipe),
    *sensitivity.experiments(load_recipe),
    *web_pages.experiments(load_recipe),
    *curves.experiments(load_recipe),
)

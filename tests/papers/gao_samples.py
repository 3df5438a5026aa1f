"""The recipes of gao-wu-lee-chua-2003 made small, and its experiments on the demo."""

from __future__ import annotations

from dataclasses import replace

from tests.papers.zhang_2000_samples import largest

from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name, no_data
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

HOMES = (
    counts,
    dimensions,
    criteria,
    comparison,
    trees,
    solvers,
    offsets,
    multi,
    made_rare,
    convergence,
)
DIRECTIONS = 16
SHRINKING = 100  # of dimensions and of steps
FEWEST = 35  # of the demo's twelve categories three have fewer training documents


def small_recipe(name):
    """A recipe of postil's own for the fields of the demo, with few directions and steps."""
    recipe = load_recipe(name)
    directions = None if recipe.representation.lsi is None else DIRECTIONS
    representation = replace(
        recipe.representation, fields=("title", "body"), min_df=2, min_occurrences=1, lsi=directions
    )
    learn = dict(recipe.learn)
    if "options" in learn:
        rate = {} if learn["solver"] == "l-bfgs" else {"rate": 0.5}
        learn["options"] = {**learn["options"], "iterations": 20, **rate}
    if learn["learner"] == "tree":
        learn |= {"depth": 2, "folds": 2}
    decide = replace(recipe.decide, folds=2)
    return replace(recipe, representation=representation, learn=learn, decide=decide)


def small_experiments():
    """Every experiment of the paper, with small recipes."""
    found = [each for home in HOMES for each in home.experiments(small_recipe)]
    return by_name(*found, *sigmoids.EXPERIMENTS.values())


def on_demo(experiment):
    """The same experiment on the demo corpus: fewer directions, fewer steps."""
    if "corpus" not in experiment.settings:
        return experiment
    smaller = {
        "most": 20,
        "dimensions": 4,
        "category": "council",
        "steps": 160,
        "fewest": FEWEST,
        "cuts": 3,
    }
    changed = {
        **experiment.settings,
        "corpus": "demo",
        "largest": list(largest()),
        "descents": {
            name: _smaller(asked) for name, asked in experiment.settings["descents"].items()
        },
        **{name: value for name, value in smaller.items() if name in experiment.settings},
    }
    return replace(experiment, settings=changed, data=no_data)


def _smaller(descent):
    stops = {stop: steps // SHRINKING for stop, steps in descent["stops"].items()}
    return {**descent, "dimensions": descent["dimensions"] // SHRINKING, "stops": stops}

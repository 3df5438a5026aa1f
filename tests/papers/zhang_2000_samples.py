"""The recipes of zhang-2000 made small, and its experiments on the demo."""

from __future__ import annotations

from dataclasses import replace

from postil.corpus.opening import open_corpus
from postil.recipes.recipe import load_recipe
from postil_papers.experiment import by_name, no_data
from postil_papers.zhang_2000 import curves, selections, sensitivity, tables, web_pages

HOMES = (tables, selections, sensitivity, web_pages, curves)


def small_recipe(name):
    """A recipe of postil's own with few passes, few terms and few C."""
    recipe = load_recipe(name)
    learn = dict(recipe.learn)
    if "options" in learn:
        learn["options"] = {**learn["options"], "iterations": 15, "rate": 0.1}
    selection = recipe.selection
    if selection.measure is not None:
        selection = replace(selection, terms=50)
    search = recipe.search
    if search is not None:
        search = replace(search, grid=(10.0, 1.0), folds=2)
    return replace(recipe, learn=learn, selection=selection, search=search)


def small_experiments():
    """Every experiment of the paper, with small recipes."""
    return by_name(*(each for home in HOMES for each in home.experiments(small_recipe)))


def on_demo(experiment, **settings):
    """The same experiment on the demo corpus and its largest categories."""
    changed = {**experiment.settings, "corpus": "demo", "largest": list(largest()), **settings}
    return replace(experiment, settings=changed, data=no_data)


def largest(count=3):
    """The demo's categories with most training documents."""
    sizes: dict[str, int] = {}
    for document in open_corpus("demo"):
        for label in document.labels:
            sizes[label] = sizes.get(label, 0) + (document.split != "test")
    return tuple(sorted(sizes, key=lambda name: (-sizes[name], name))[:count])

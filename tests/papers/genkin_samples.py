"""Small stand-ins for the recipes of genkin-lewis-madigan-2004, and its experiments on the demo."""

from __future__ import annotations

from dataclasses import replace

from postil.recipes.parts import Search, TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.experiment import by_name, no_data
from postil_papers.genkin_lewis_madigan_2004 import (
    comparisons,
    effectiveness,
    fold_cuts,
    methods,
    parameter_paths,
    sparsity,
    terms,
)

LOGISTIC = {"loss": "logistic", "solver": "primal-coordinate"}
SEARCH = Search(grid=(1e-2, 4e-3), folds=2, measure="break-even")


def small_recipe(name):
    """A recipe by the name of one of postil's own: the same parts, little work."""
    if name == "svm-tfidf":
        return Recipe(name, learn={"loss": "hinge", "C": 1.0})
    prior = "laplace" if name.startswith("lasso") else "gaussian"
    return Recipe(
        name, selection=_selection(name), learn={**LOGISTIC, "prior": prior}, search=SEARCH
    )


def _selection(name):
    measures = {each for each in methods.MEASURES.values() if each in name}
    if not measures:
        return TermSelection()
    (measure,) = measures
    return TermSelection(measure=measure, terms=int(name.rpartition("-")[2]))


def small_experiments():
    """Every experiment of the paper, with small recipes."""
    homes = (terms, comparisons, fold_cuts, effectiveness, sparsity, parameter_paths)
    return by_name(*(each for home in homes for each in home.experiments(small_recipe)))


def on_demo(experiment, **settings):
    """The same experiment on the demo corpus, with as many categories as that has."""
    changed = {**experiment.settings, "corpus": "demo", "choices": {}}
    if "wanted" in changed:
        changed |= {"wanted": None, "categories": "shared"}
    return replace(experiment, settings={**changed, **settings}, data=no_data)

"""The methods by the paper's names, their recipes, and the same objectives solved faster."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from postil.recipes.recipe import Recipe
from postil_papers.cache import code_fingerprint

# Table 1's and 2's Naive Bayes is the one against the rest.
RECIPES = {
    "Naive Bayes": "naive-bayes-2",
    "Lin Reg": "lin-reg",
    "Mod Least Squares": "mod-least-squares",
    "Logistic Reg": "logistic",
    "SVM": "svm",
    "Mod SVM": "mod-svm",
}

# What could change a result, besides an experiment's own module.
CODE = (
    "postil.corpus",
    "postil.text",
    "postil.vectors",
    "postil.features",
    "postil.learn",
    "postil.decide",
    "postil.evaluate",
    "postil.train.train",
    "postil.train.assess",
    "postil._native",
    "postil_papers.zhang_oles_2001.methods",
    "postil_papers.zhang_oles_2001.problem",
)

PASSES = 100  # the paper's K
_ITERATIVE = ("primal-coordinate", "dual-coordinate")


@cache
def code_of(*modules: str) -> str:
    """Fingerprint of all that could change a result, these modules included; taken once."""
    return code_fingerprint(*CODE, *modules)


def by_certificate(recipe: Recipe, tolerance: float, passes: int) -> Recipe:
    """The recipe's objective, solved until its duality gap is small.

    The paper's algorithms take 100 sweeps over all documents, whatever they still change. Dual
    coordinate descent (algorithm 5, full steps) stops as soon as the duality gap is at most
    ``tolerance`` of the objective, or after ``passes``: the same minimum, several times sooner.
    SMO stops by such a rule anyway and Naive Bayes only counts: they stay as they are.
    """
    learn: dict[str, Any] = dict(recipe.learn)
    if learn.get("solver") not in _ITERATIVE:
        return recipe
    learn["solver"] = "dual-coordinate"
    learn["options"] = {"tolerance": tolerance, "iterations": passes}
    return replace(recipe, learn=learn, expect=())

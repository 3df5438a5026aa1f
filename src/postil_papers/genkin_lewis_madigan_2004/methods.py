"""The methods by the paper's names, as recipes, and what section 4.4 varies of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import TypeAlias

from postil.learn.strength import Regularization
from postil.recipes.recipe import Recipe
from postil_papers.cache import RUN_CODE, code_fingerprint

Load: TypeAlias = Callable[[str], Recipe]

# Section 6.1: all features; lasso and ridge with cross-validated hyperparameters, by the printed
# algorithms, which end some way from the optimum.
RECIPES = {"lasso": "lasso-logistic-clg", "ridge": "ridge-logistic-clg", "SVM": "svm-tfidf"}
# The same objectives, minimised until a certificate says so.
EXACT = {"lasso": "lasso-logistic", "ridge": "ridge-logistic", "SVM": "svm-tfidf"}

# Section 5.3.2, by the names of the recipes that select with them.
MEASURES = {"BNS": "bns", "chi-square": "chi-square", "Pearson": "pearson"}
SIZES = (500, 50, 5)

NORM = "norm"  # the prior variance of equation 29, as a recipe says it


@cache
def code_of(*modules: str) -> str:
    """Fingerprint of all that could change a result, these modules included; taken once."""
    return code_fingerprint(*RUN_CODE, *modules)


def selected(measure: str, terms: int) -> str:
    """Name the recipe of ridge logistic regression on so many terms by one of ``MEASURES``."""
    return f"ridge-logistic-{MEASURES[measure]}-{terms}"


def by_chance(recipe: Recipe) -> Recipe:
    """The same method with folds dealt at random, each category left to its own (section 4.4)."""
    if recipe.search is None:
        return recipe
    return replace(recipe, search=replace(recipe.search, cut="random"))


def cross_validated(recipe: Recipe) -> Recipe:
    """The recipe as it is: its ``[search]`` is that of section 4.4."""
    return recipe


def norm_based(recipe: Recipe) -> Recipe:
    """The same method with the prior variance of equation 29 in place of a search."""
    return with_variance(recipe, NORM)


def with_variance(recipe: Recipe, variance: float | str) -> Recipe:
    """The same method with this prior variance in place of what the recipe says or searches."""
    strengths = {each.name for each in fields(Regularization)}
    learn = {name: value for name, value in recipe.learn.items() if name not in strengths}
    return replace(recipe, learn={**learn, "prior_variance": variance}, search=None)


# The columns of tables 5 to 7.
HYPERPARAMETERS: dict[str, Callable[[Recipe], Recipe]] = {
    "CV": cross_validated,
    "norm": norm_based,
}

"""The methods by the paper's names, as recipes, and what the two tables vary of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.cache import RUN_CODE, code_fingerprint

Load: TypeAlias = Callable[[str], Recipe]

CORPUS = "reuters-modapte"

# In the order of the printed columns.
RECIPES = {
    "Perceptron": "perceptron",
    "SVM": "svm-online",
    "UWin": "winnow-u",
    "LM-UWin": "lm-winnow-u",
    "NWin": "winnow-n",
    "LM-NWin": "lm-winnow-n",
}

# Each multiplicative method, and the additive one it is the counterpart of.
COUNTERPARTS = {
    "UWin": "Perceptron",
    "NWin": "Perceptron",
    "LM-UWin": "SVM",
    "LM-NWin": "SVM",
}

# What could change a result, besides an experiment's own module.
CODE = (
    *RUN_CODE,
    "postil_papers.zhang_2000.methods",
    "postil_papers.zhang_oles_2001.problem",
)


@cache
def code_of(*modules: str) -> str:
    """Fingerprint of all that could change a result, these modules included; taken once."""
    return code_fingerprint(*CODE, *modules)


def with_selection(recipe: Recipe) -> Recipe:
    """The recipe as it is: terms by the Gini index, none of them rare, as in table 1."""
    return replace(recipe, expect=())


def without_selection(recipe: Recipe) -> Recipe:
    """The same method on every term, rare ones included, as in table 2; C is searched for anew."""
    representation = replace(recipe.representation, min_occurrences=1)
    return replace(recipe, representation=representation, selection=TermSelection(), expect=())


# What the two tables do with the recipes.
TABLES: dict[str, Callable[[Recipe], Recipe]] = {
    "table1": with_selection,
    "table2": without_selection,
}

"""The methods by the paper's names, as recipes, and what its tables vary of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe
from postil_papers.cache import RUN_CODE, code_fingerprint

Load: TypeAlias = Callable[[str], Recipe]

# Section 6.1: labelled documents, and categories that training and test documents share.
COLLECTION = {"corpus": "reuters-modapte", "documents": "labelled"}

F1, MCE = "mfom-f1", "mfom-mce"  # the recipes
MFOM_TREE, BPA_TREE, MULTI = "mfom-tree", "bpa-tree", "mfom-multi"

DIMENSIONS = (100, 200, 400, 800, 1200, 1613)
REDUCED, FULL = 400, 1613
# GPD iterations by the names of the printed columns.
STOPS: Mapping[str, int] = {"500ite": 500, "1000ite": 1000, "2000ite": 2000, "3000ite": 3000}
FEW, USUAL = "500ite", "2000ite"

# What a number is, where a table of ours has several.
MICRO, MACRO, MEAN = "micro F1", "macro F1 (eq. 6.1)", "mean of F1s"

# Section 6.2.2: linear, C = 1. The constant of its dual is part of what is regularized.
SVM_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "dual-coordinate",
    "intercept": "penalised",
    "C": 1.0,
    "options": {"tolerance": 1e-3, "iterations": 1000},
}

# What could change a result, besides an experiment's own module.
CODE = (
    *RUN_CODE,
    "postil_papers.zhang_jin_yang_hauptmann_2003.collections",
    "postil_papers.zhang_jin_yang_hauptmann_2003.tasks",
    f"{__package__}.methods",
    f"{__package__}.spaces",
    f"{__package__}.tallies",
    f"{__package__}.descents",
    f"{__package__}.runs",
)


@cache
def code_of(*modules: str) -> str:
    """Fingerprint of all that could change a result, these modules included; taken once."""
    return code_fingerprint(*CODE, *modules)


def plain(recipe: Recipe) -> Recipe:
    """The recipe without what it expects, which changes no result."""
    return replace(recipe, expect=())


def learning(recipe: Recipe, **changed: Any) -> Recipe:  # noqa: ANN401 - entries of [learn]
    """The recipe with other entries of ``[learn]``; one of None is left out."""
    entries = {**recipe.learn, **changed}
    learn = {name: value for name, value in entries.items() if value is not None}
    return replace(plain(recipe), learn=learn)


def linear_svm(recipe: Recipe) -> Recipe:
    """A linear SVM on the recipe's texts: all terms, no directions."""
    representation = replace(recipe.representation, lsi=None, length=None)
    return replace(
        plain(recipe),
        name="linear SVM",
        representation=representation,
        learn=SVM_LEARN,
        decide=Decide(rule="default"),
    )

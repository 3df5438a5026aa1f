"""The methods by the paper's names: recipes of ours, and the same objective by other solvers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeAlias

from postil.learn.strength import Regularization
from postil.recipes.recipe import Recipe
from postil_papers.cache import RUN_CODE, code_fingerprint

Load: TypeAlias = Callable[[str], Recipe]

MLR_CG, MMLR_CG, SVM = "MLR-CG", "MMLR-CG", "SVM"
SMO, DUAL, LIBLINEAR = "SMO", "dual coordinate", "LIBLINEAR"

BINARY, MULTICLASS = "mlr-cg", "mmlr-cg"  # the recipes
LAMBDA = 1e-3  # section 5: for all algorithms

# Of the duality gap over the objective, where solvers of ours stop that have a certificate.
TOLERANCE = 1e-3
PASSES = 1000
SMO_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "smo",
    "intercept": "free",
    "options": {"tolerance": TOLERANCE},
}
# Its dual has no bound that holds the labels together, so that b is regularized.
DUAL_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "dual-coordinate",
    "intercept": "penalised",
    "options": {"tolerance": TOLERANCE, "iterations": PASSES},
}

# What could change a result, besides an experiment's own module.
CODE = (
    *RUN_CODE,
    f"{__package__}.methods",
    f"{__package__}.collections",
    f"{__package__}.tasks",
    f"{__package__}.trainers",
)


@cache
def code_of(*modules: str) -> str:
    """Fingerprint of all that could change a result, these modules included; taken once."""
    return code_fingerprint(*CODE, *modules)


def binary_recipe(load: Load) -> Recipe:
    """The recipe of the binary tasks, each of which has 500 terms of its own.

    The paper says 500 features for a collection, and that its tasks are binary. One set for 90
    categories would leave the small ones hardly a term of theirs; the studies have it, too.
    """
    return replace(load(BINARY), expect=())


def svm(recipe: Recipe, learn: Mapping[str, Any], lam: float = LAMBDA) -> Recipe:
    """The recipe's texts, terms and decisions with the SVM learned as ``learn`` says."""
    strengths = {each.name for each in fields(Regularization)}
    kept = {name: value for name, value in learn.items() if name not in strengths}
    return replace(recipe, learn={**kept, "lam": lam}, expect=())


def by_solver(recipe: Recipe) -> dict[str, Recipe]:
    """The binary method of the paper, and the SVM by two solvers, on the same texts and terms."""
    return {
        SMO: svm(recipe, SMO_LEARN),
        DUAL: svm(recipe, DUAL_LEARN),
        MLR_CG: replace(recipe, expect=()),
    }

"""From a corpus to the regularization path of a category, as a recipe has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from postil.cli.progress import Steps

if TYPE_CHECKING:
    from postil.learn.path import RegularizationPath
    from postil.model.training_vectors import TrainingVectors
    from postil.recipes.recipe import Recipe


def method_of(recipe: Recipe, way: str) -> Any:  # noqa: ANN401 - a Method
    """The recipe's method without a strength of its own, which can be told in such a way."""
    from postil.errors import UsageError
    from postil.learn.learners import LinearLearner

    learner = recipe.learner()
    if recipe.representation.lsi is not None:
        raise UsageError(_no_path(recipe, "this one learns weights of directions, not of terms"))
    if not isinstance(learner, LinearLearner):
        kind = recipe.learn.get("learner", "linear")
        raise UsageError(_no_path(recipe, f"the learner {kind} learns otherwise"))
    try:
        learner.method.check_takes_strengths()
    except UsageError as error:
        raise UsageError(_no_path(recipe, str(error).partition(":")[0])) from None
    learner.method.check_takes_strengths(way)
    return recipe.searching(most_terms=None, exactly=False).learner().searched()


def _no_path(recipe: Recipe, why: str) -> str:
    return (
        f"recipe {recipe.name} has no path: a path shows one category at weaker and weaker "
        f"strengths of regularization, and {why}; take a recipe of a linear method with a "
        "strength, such as lasso-logistic or ridge-logistic"
    )


def learned_path(
    read: TrainingVectors,
    recipe: Recipe,
    method: Any,  # noqa: ANN401
    category: str,
    watch: Steps,
    **wanted: Any,  # noqa: ANN401 - what regularization_path takes
) -> RegularizationPath:
    """Learn the path of one category; cost: that of a native path."""
    from postil.learn.design import Design
    from postil.learn.labels import Labels
    from postil.learn.path import regularization_path

    at = _place(category, read.labels.names, read.training.corpus)
    labels = Labels((category,), read.labels.members[:, [at]])
    return regularization_path(
        Design(read.matrix),
        labels,
        method,
        selection=recipe.selection.chosen(read.matrix, labels.members),
        progress=lambda done, total: watch.reach("path", done, total),
        **wanted,
    )


def _place(category: str, names: Sequence[str], source: str) -> int:
    from postil.errors import InputError
    from postil.text.suggest import advice

    if category in names:
        return list(names).index(category)
    raise InputError(f"{source} has no category {category!r}{advice(category, sorted(names))}")

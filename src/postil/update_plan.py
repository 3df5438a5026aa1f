"""Whether a model can be updated, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from postil.errors import UsageError
from postil.learn.going_on import depends_on_number, has_units, updating_method
from postil.learn.method import Method
from postil.model.model import Model
from postil.recipes.aiming import trains_for_figures
from postil.recipes.recipe import Recipe, load_recipe, recipe_names

UPDATES = "updates"  # what a model's method says of those before


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How a model goes on: by its own recipe's method."""

    recipe: Recipe
    method: Method

    @property
    def needs_lambdas(self) -> bool:
        """Say whether learning goes on by the λ that each category had, not by one of documents."""
        return self.recipe.search is not None or depends_on_number(self.method)

    @classmethod
    def of(cls, model: Model, passes: int | None = None, seed: int = 0) -> UpdatePlan:
        """Refuse a model that cannot go on, before any work, with the way out."""
        if not model.recipe:
            raise UsageError(
                "the model was not trained by a recipe, and cannot be updated: train one by "
                f"{' or '.join(updatable_recipes())}"
            )
        recipe = Recipe.from_dict(model.recipe, "the model's recipe")
        _refuse_learned_apart(model, recipe)
        method = updating_method(recipe.learner(seed))
        if method is None and recipe.aim is not None and trains_for_figures(recipe.learn):
            raise UsageError(
                f"the model was learned for {recipe.aim.measure}, from all documents at once, and "
                "cannot be updated: train it anew on the old and the new ones, or, by a recipe "
                "that can be updated, with thresholds for the measure alone (--for with "
                "--no-compare)"
            )
        if method is None:
            raise UsageError(
                f"a model of the recipe {recipe.name} cannot be updated: its method learns from "
                "all documents at once; train it anew on the old and the new ones, or train by a "
                f"recipe that can be: {', '.join(updatable_recipes())}"
            )
        plan = cls(recipe, method)
        _check_kept(model, plan)
        if passes is None:
            return plan
        if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
            raise UsageError(f"passes is a whole number of at least 1, not {passes!r}")
        return cls(recipe, replace(method, options={**method.options, "iterations": passes}))


def _refuse_learned_apart(model: Model, recipe: Recipe) -> None:
    """Refuse weights that updates do not move: of directions, or of what is combined."""
    apart = ""
    if model.projection is not None or recipe.representation.lsi is not None:
        apart = "it was learned in the directions of LSI, which are those of the documents then"
    elif model.combination is not None:
        apart = f"its scores are combined ({model.combination.kind}), which no update learns"
    if apart:
        raise UsageError(
            f"a model of the recipe {recipe.name} cannot be updated: {apart}; train it anew on the "
            "old and the new documents"
        )


def updatable_recipes() -> list[str]:
    """The recipes of postil's own whose models can be updated."""
    return [name for name in recipe_names() if updating_method(load_recipe(name).learner())]


def _check_kept(model: Model, plan: UpdatePlan) -> None:
    missing = ""
    if has_units(plan.method) and model.units is None:
        missing = "the units of its weights, which have left the range of numbers"
    if plan.recipe.selection.measure is not None and model.selection is None:
        missing = "the terms that each category may use"
    if not _is_told(model, plan):
        missing = "how each category was learned"
    if missing:
        raise UsageError(
            f"the model cannot be updated: it does not keep {missing}; train it anew on the old "
            "and the new documents"
        )


def _is_told(model: Model, plan: UpdatePlan) -> bool:
    """Say whether a model tells what going on needs: anybody may write a file."""
    reports, updates = model.reports, model.method.get(UPDATES, ())
    if not isinstance(updates, list | tuple) or not all(map(_is_update, updates)):
        return False
    if not reports:  # a file may have had no room for them: the recipe's λ serves as well
        given = plan.method.regularization.lam is not None
        return not plan.needs_lambdas or (given and plan.recipe.search is None)
    return len(reports) == model.categories and all(
        isinstance(report.get("lam"), int | float) for report in reports
    )


def _is_update(done: object) -> bool:
    documents = done.get("documents") if isinstance(done, Mapping) else None
    return isinstance(documents, int) and documents > 0

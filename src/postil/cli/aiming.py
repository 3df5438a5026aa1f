"""The measure that `postil train --for` is told: what is asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from postil.recipes.recipe import Recipe

# How a way to a measure is called, by its name in a model.
WAYS = {
    "thresholds": "thresholds tuned for it",
    "training": "learning for it",
    "together": "learning for it as rivals",
}


def aiming(recipe: Recipe, measure: str | None, compare: bool | None) -> Recipe:
    """The recipe, for the measure if one is given; ``compare`` unless told."""
    from postil.errors import SpecError, UsageError

    if measure is None:
        if compare is not None:
            raise typer.BadParameter("--compare and --no-compare say how --for is meant: give it")
        return recipe
    try:
        return recipe.aimed_at(measure, compare=compare is not False)
    except SpecError as error:
        raise typer.BadParameter(f"--for: {error}") from None
    except UsageError as error:
        raise UsageError(f"--for {measure} with the recipe {recipe.name}: {error}") from None


def aim_sentence(aim: Mapping[str, Any] | None) -> str:
    """What a model was trained for, and how, in a line; empty if it was for nothing."""
    if not aim:
        return ""
    compared = aim.get("compared")
    if not compared:
        learned = f"learned for {aim.get('figure', 'it')}, and thresholds tuned"
        how = learned if aim["taken"] == "training" else "thresholds"
        return f"aimed at {aim['measure']}: {how} by the rule {aim['rule']}"
    taken = aim["taken"]
    others = [way for way in WAYS if way in compared and way != taken]
    parts = [
        f"took {WAYS[taken]}, {_standing(compared[taken])} held out in {compared['folds']} folds",
        *(f"{WAYS[way]} {_beside(compared, taken, way)}" for way in others),
        *(f"{WAYS[way]} was left out: {why}" for way, why in aim.get("left_out", {}).items()),
    ]
    return f"aimed at {aim['measure']}: {'; '.join(parts)}"


def _beside(compared: Mapping[str, Any], taken: str, way: str) -> str:
    """What another way came to; if it is better and was not taken, why not."""
    mine, other = compared[taken], compared[way]
    if _standing(mine) == _standing(other):
        return "came to the same"
    sign = -1 if compared.get("less_is_better") else 1
    close = sign * (other["value"] - mine["value"])
    bar = other.get("error_bar", 0.0)
    within = f", within an error bar of {bar:.4f}" if 0 < close <= bar else ""
    return f"had {_standing(other)}{within}"


def _standing(standing: Mapping[str, Any]) -> str:
    value = f"{standing['value']:.4f}"
    if "reached" not in standing:
        return value
    return f"{value} (the floor holds in {standing['reached']} of {standing['categories']})"

"""`postil recipes`: the recipes, and the numbers that their papers print."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument

from postil.cli.console import say, show_json, show_table
from postil.cli.options import AsJson


def recipes(
    name: Annotated[
        str | None, Argument(help="Recipe to show whole, as TOML (default: list all).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the recipes, or show one.

    A recipe is a method from text to decision in one TOML file. Copy one, change it, and give its
    path to postil train --recipe. The numbers that its paper prints appear on standard error;
    postil evaluate puts them beside those of your model.

    \b
    Examples:
      postil recipes
      postil recipes mod-least-squares > mine.toml
    """
    from postil.recipes.recipe import load_recipe, recipe_names, recipe_text

    if name is None:
        found = [load_recipe(each) for each in recipe_names()]
        if as_json:
            show_json([recipe.to_dict() for recipe in found])
            return
        rows = [(recipe.name, recipe.paper or "ours", recipe.title) for recipe in found]
        show_table(("recipe", "paper", "what it is"), rows)
        return
    recipe = load_recipe(name)
    if as_json:
        show_json(recipe.to_dict())
        return
    typer.echo(recipe_text(name), nl=False)
    for corpus in dict.fromkeys(each.corpus for each in recipe.expect):
        values = ", ".join(
            f"{each.measure} {each.value:g} ± {each.tolerance:g}"
            for each in recipe.expect
            if each.corpus == corpus
        )
        say(f"expected on {corpus}: {values} ({recipe.paper or 'no paper'})")

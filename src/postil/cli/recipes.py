"""`postil recipes`: the methods there are."""

from __future__ import annotations

from typing import Annotated

import typer

from postil.cli.console import show_json, show_table
from postil.cli.expected import say_expected


def recipes(
    name: Annotated[str | None, typer.Argument(help="Show this one whole, as TOML.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """List the recipes, or show one whole.

    A recipe is a method from text to decision in one TOML file: copy one, change it, and give its
    path to postil train --recipe. What its paper prints is said besides, on stderr: postil
    evaluate puts it beside what your model measures.

    \b
    postil recipes
    postil recipes mod-least-squares > mine.toml
    """
    from postil.recipes.recipe import load_recipe, recipe_names, recipe_text

    if name is not None:
        recipe = load_recipe(name)
        if as_json:
            show_json(recipe.to_dict())
        else:
            typer.echo(recipe_text(name), nl=False)
            say_expected(recipe)
        return
    found = [load_recipe(each) for each in recipe_names()]
    if as_json:
        show_json([recipe.to_dict() for recipe in found])
        return
    show_table(
        ("recipe", "paper", "what it is"),
        [(recipe.name, recipe.paper or "ours", recipe.title) for recipe in found],
    )

"""`postil recipes`: the methods there are.

What a paper prints, beside what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import say, show_json, show_table

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.model.model import Model
    from postil.recipes.parts import Beside
    from postil.recipes.recipe import Recipe


UNKNOWN = "–"


def expected_of(model: Model, corpus: str, report: Report) -> list[Beside]:
    """What the model's recipe expects on the corpus; nothing where it says nothing."""
    if not model.recipe.get("expect"):
        return []
    from postil.recipes.parts import beside
    from postil.recipes.recipe import Recipe

    return beside(Recipe.from_dict(model.recipe, "the model's recipe"), corpus, report)


def show_expected(expected: Sequence[Beside], paper: str) -> None:
    """Print the table, if there is anything in it."""
    if not expected:
        return
    typer.echo("\nwhat the recipe expects, in %")
    rows = [
        (
            each.measure,
            f"{each.printed:.1f}",
            UNKNOWN if each.ours is None else f"{each.ours:.1f}",
            UNKNOWN if each.difference is None else f"{each.difference:+.1f}",
            f"{each.tolerance:g}",
            "yes" if each.near else "no",
        )
        for each in expected
    ]
    show_table(
        ("measure", paper or "expected", "ours", "difference", "tolerance", "within"), rows, " rrrr"
    )


def say_expected(recipe: Recipe) -> None:
    """Say what a recipe expects, a line for each corpus, beside the recipe itself."""
    corpora = dict.fromkeys(each.corpus for each in recipe.expect)
    for corpus in corpora:
        values = ", ".join(
            f"{each.measure} {each.value:g} ± {each.tolerance:g}"
            for each in recipe.expect
            if each.corpus == corpus
        )
        say(f"expected on {corpus}: {values} ({recipe.paper or 'no paper'})")


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

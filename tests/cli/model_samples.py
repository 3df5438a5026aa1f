"""Models for the tests of commands that read one."""

from __future__ import annotations

from pathlib import Path

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe, load_recipe


def save_model(path: Path, recipe: str = "default", rule: str | None = None) -> str:
    """Train on the demo corpus by a recipe, its decision rule another if wanted."""
    told = load_recipe(recipe).to_dict()
    if rule is not None:
        told["decide"] = {"rule": rule, "folds": 3}
    categorizer = TextCategorizer(Recipe.from_dict(told, "a test"))
    categorizer.fit_documents(open_corpus("demo"), corpus="demo").save(path)
    return str(path)

"""Models for the commands to read, and the output of a process on a terminal."""

from __future__ import annotations

import os
from pathlib import Path

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe, load_recipe


def save_model(path: Path, recipe: str = "default", rule: str | None = None) -> str:
    """Train on the demo corpus by a recipe, its decision rule another if wanted."""
    tables = load_recipe(recipe).to_dict()
    if rule is not None:
        tables["decide"] = {"rule": rule, "folds": 3}
    categorizer = TextCategorizer(Recipe.from_dict(tables, "a test"))
    categorizer.fit_documents(open_corpus("demo"), corpus="demo").save(path)
    return str(path)


def small_model(path: Path, fields: tuple[str, ...] = ()) -> str:
    """Train a model in which road is transport and snow is weather; it reads these fields only."""
    tables = load_recipe("default").to_dict()
    if fields:
        tables["representation"]["fields"] = list(fields)
    names = fields or ("text",)
    documents = [
        Document(f"{word}-{i}", dict.fromkeys(names, f"{word} here"), (label,))
        for i in range(10)
        for word, label in (("road", "transport"), ("snow", "weather"))
    ]
    TextCategorizer(Recipe.from_dict(tables, "a test")).fit_documents(documents).save(path)
    return str(path)


def shown_on(terminal: int) -> bytes:
    """Everything written to the other end, until it is closed there."""
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how some systems say that nobody writes any more
            part = b""
        if not part:
            os.close(terminal)
            return shown
        shown += part

"""A model of two categories that is learned in no time."""

from __future__ import annotations

from pathlib import Path

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.recipes.recipe import Recipe, load_recipe


def small_model(path: Path, fields: tuple[str, ...] = ()) -> str:
    """Roads are transport and snow is weather; with fields, these alone are read."""
    told = load_recipe("default").to_dict()
    if fields:
        told["representation"]["fields"] = list(fields)
    names = fields or ("text",)
    documents = [
        Document(f"{word}-{i}", dict.fromkeys(names, f"{word} here"), (label,))
        for i in range(10)
        for word, label in (("road", "transport"), ("snow", "weather"))
    ]
    TextCategorizer(Recipe.from_dict(told, "a test")).fit_documents(documents).save(path)
    return str(path)

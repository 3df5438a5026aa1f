"""Recipes and documents for tests of updating, and the textbook's way to learn from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from postil.corpus.document import Document
from postil.recipes.recipe import Recipe

OLD = [
    ("wool prices rise at the fair", ("sheep",)),
    ("the ferry to the island", ("boats",)),
    ("sheep and wool on the ferry", ("sheep", "boats")),
    ("snow on the hills", ()),
    ("fleece of a sheep", ("sheep",)),
    ("harbour and boats in winter", ("boats",)),
    ("the council meets", ()),
]
NEW = [
    ("wool and snow", ("weather",)),
    ("the ferry is late in the snow", ("boats", "weather")),
    ("a sheep fair with ice", ("sheep",)),
    ("storm in the harbour", ("boats", "weather")),
    ("the council meets again", ()),
]


def documents(rows: Iterable[tuple[str, tuple[str, ...]]], **more: Any) -> list[Document]:
    return [
        Document(str(number), {"text": text}, labels, **more)
        for number, (text, labels) in enumerate(rows)
    ]


def recipe(learn: Mapping[str, Any] | None = None, **tables: Any) -> Recipe:
    """A perceptron that goes once over the documents in their order, or something near it."""
    table: dict[str, Any] = {
        "name": "online",
        "representation": {"analyzer": "words lower", "weights": "counts", "norm": "none"},
        "learn": {
            "loss": "perceptron",
            "solver": "mistake-driven",
            "options": {"rate": 0.5, "iterations": 1, "shuffle": False},
            **(learn or {}),
        },
        **tables,
    }
    return Recipe.from_dict(table, "a test")


def winnow(prior: str = "entropy", **options: Any) -> Recipe:
    return recipe({"prior": prior, "prior_options": {"mu": 0.01, **options}})


def margins(prior: str = "gaussian", **entries: Any) -> Recipe:
    """Dual variables of the hinge."""
    tables = {name: entries.pop(name) for name in ("search",) if name in entries}
    options = {"iterations": 50, "tolerance": 1e-8}
    return recipe(
        {"loss": "hinge", "prior": prior, "solver": "dual-gradient", "options": options, **entries},
        **tables,
    )


def irregular(count: int, words: int, seed: int) -> list[tuple[str, tuple[str, ...]]]:
    """Documents whose words stand as often as chance has it, so that no two scores are equal."""
    rng = np.random.default_rng(seed)
    often = rng.integers(0, 5, (count, words)) * (rng.random((count, words)) < 0.5)
    texts = [" ".join(f"word{j} " * int(n) for j, n in enumerate(row)) for row in often]
    inside = rng.random((count, 2)) < 0.4
    return [
        (text, tuple(name for name, is_in in zip(("boats", "sheep"), row, strict=True) if is_in))
        for text, row in zip(texts, inside, strict=True)
    ]


def textbook(
    vectors: np.ndarray,
    rows: list[tuple[str, tuple[str, ...]]],
    category: str,
    mu: float | None = None,
    rate: float = 0.5,
) -> np.ndarray:
    """Weights after one pass, that of a constant 1 last; a mistake adds η y x to θ.

    w = θ, or balanced w = μ (exp θ - exp -θ).
    """
    theta = np.zeros(vectors.shape[1] + 1)
    for x, (_, labels) in zip(np.insert(vectors, len(theta) - 1, 1, axis=1), rows, strict=True):
        y = 1 if category in labels else -1
        if (weights_of(theta, mu) @ x >= 0) != (y > 0):
            theta += rate * y * x
    return weights_of(theta, mu)


def weights_of(theta: np.ndarray, mu: float | None) -> np.ndarray:
    return theta.copy() if mu is None else 2 * mu * np.sinh(theta)

"""How training time grows with the documents: the claim of section 7, on the arXiv corpus.

Not in the paper, whose only large collection is RCV1. One category is learned against the rest from
more and more documents of a random order, each time with the 500 terms that the recipe selects on
them. Times are of one thread, of learning alone, the median of three where
they are short.

The exponent is the slope of a straight line through the logarithms of documents and seconds. SMO
stops growing after its first fit that takes longer than ``CAP`` seconds; a remark says where.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from postil.common.types import Indices
from postil.errors import UsageError
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    tell,
)
from postil_papers.paper import axis_column
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import ARXIV, documents_of
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import (
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    SMO,
    Load,
    binary_recipe,
    by_solver,
    code_of,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Task, Vectors, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.trainers import Trainer, timed, trainers_of

FIGURE, TABLE = "growth", "growth-exponents"
METHODS = (MLR_CG, SMO, DUAL, LIBLINEAR)
SIZES = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000)
SEED = 0
CAP = 120.0  # seconds


def row_of(category: str, method: str) -> str:
    """The row of a method in the figure."""
    return f"{category}: {method}"


def run_growth(category: str, settings: Settings) -> CellValues:
    """Seconds of each method at each size, and the exponent of each."""
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    recipe = Recipe.from_dict(next(iter(recipes.values())))
    vectors = vectors_of(documents_of(settings), recipe.representation)
    sizes = sizes_within(cast("list[int]", settings["sizes"]), len(vectors.learned))
    cap = cast("float", settings["cap"])
    taken = seconds_by_size(vectors, category, recipe.selection, sizes, trainers_of(settings), cap)
    found: dict[tuple[str, str, str], float | Measured] = {}
    for method, seconds in taken.items():
        for size, value in seconds.items():
            found[FIGURE, row_of(category, method), axis_column(size)] = value
        last = max(seconds)
        capped = f"up to {last} documents: more would take longer than {cap:g} seconds"
        slope = exponent(list(seconds), list(seconds.values()))
        remark = capped if last < max(sizes) else ""
        found[TABLE, category, method] = Measured(slope, remark=remark)
    return found


def seconds_by_size(
    vectors: Vectors,
    category: str,
    selection: TermSelection,
    sizes: Sequence[int],
    trainers: Mapping[str, Trainer],
    cap: float,
) -> dict[str, dict[int, float]]:
    """Seconds by method and number of documents; a method that took too long takes no more."""
    taken: dict[str, dict[int, float]] = {name: {} for name in trainers}
    for done, size in enumerate(sizes):
        tell(f"{category}, sizes", done, len(sizes))
        task = vectors.task(category, selection, first_rows(vectors.learned, size))
        task.warm()
        for name, trainer in trainers.items():
            if all(seconds <= cap for seconds in taken[name].values()):
                taken[name][size] = _seconds(trainer, task)
    return taken


def _seconds(trainer: Trainer, task: Task) -> float:
    return timed(partial(trainer, task))[0]


def first_rows(rows: Indices, size: int, seed: int = SEED) -> Indices:
    """The first rows in a random order, which is the same for every size; sorted."""
    chance = random.Random(seed)
    # Of a seeded generator only random() promises the same numbers in every Python.
    drawn = sorted((chance.random(), place) for place in range(len(rows)))
    return np.sort(rows[[place for _, place in drawn[:size]]])


def sizes_within(sizes: Sequence[int], documents: int) -> list[int]:
    """The sizes that there are documents for; two at least, or no slope can be told."""
    found = [size for size in sizes if size <= documents]
    if len(found) < 2:
        raise UsageError(f"growth is of two sizes or more, and there are {documents} documents")
    return found


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of ln(seconds) over ln(documents), by least squares."""
    if len(sizes) < 2:
        raise UsageError("one size alone tells nothing of growth: raise the cap")
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def experiments(load: Load) -> list[Experiment]:
    """One for each category."""
    recipes = by_solver(ARXIV.read_by(binary_recipe(load)))
    return [
        Experiment(
            name=f"{ARXIV.name}, growth of {category}",
            run=partial(run_growth, category),
            fills=(
                Fill(FIGURE, rows=tuple(row_of(category, method) for method in METHODS)),
                Fill(TABLE, (category,), METHODS),
            ),
            code=code_of(__name__),
            settings={
                **ARXIV.settings(),
                "sizes": list(SIZES),
                "cap": CAP,
                "recipes": {name: recipe.to_dict() for name, recipe in recipes.items()},
                "liblinear": LAMBDA,
            },
            data=partial(corpus_fingerprint, ARXIV.corpus),
        )
        for category in ARXIV.categories
    ]

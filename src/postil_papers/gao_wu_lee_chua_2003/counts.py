"""Section 6.1: how many documents, categories and terms there are."""

from __future__ import annotations

from typing import Any, cast

from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import experiment
from postil_papers.gao_wu_lee_chua_2003.methods import F1, Load, linear_svm
from postil_papers.gao_wu_lee_chua_2003.spaces import spaces_of

TABLE, ROW, TEXTS = "collection", "Reuters-21578", "texts"
COLUMNS = ("training", "test", "categories", "terms")


def run_counts(settings: Settings) -> CellValues:
    """Count what the learners see; costs reading the collection."""
    recipes = cast("dict[str, dict[str, Any]]", settings["recipes"])
    representation = Recipe.from_dict(recipes[TEXTS]).representation
    vectors = spaces_of(settings, representation).vectors
    found = (
        len(vectors.learned),
        len(vectors.tested),
        len(vectors.labels.names),
        vectors.matrix.shape[1],
    )
    return {(TABLE, ROW, name): float(value) for name, value in zip(COLUMNS, found, strict=True)}


def experiments(load: Load) -> list[Experiment]:
    """One."""
    return [
        experiment(
            "collection",
            run_counts,
            (Fill(TABLE, (ROW,), COLUMNS),),
            __name__,
            recipes={TEXTS: linear_svm(load(F1))},
        )
    ]

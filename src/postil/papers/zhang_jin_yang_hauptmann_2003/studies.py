"""Where Reuters may deviate: one thing that the paper leaves open changed at a time.

Not in the paper. ``table2-texts`` has the test error of the SVM with other words and other terms,
each beside the number that table 2 prints; ``whole-texts`` F1 over all categories, beside that of
section 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from postil.papers.cells import Measured
from postil.papers.corpora import corpus_fingerprint
from postil.papers.experiment import CellValues, Experiment, Fill, RunExperiment, Settings
from postil.papers.watching import tell
from postil.papers.zhang_jin_yang_hauptmann_2003.collections import REUTERS, documents_of
from postil.papers.zhang_jin_yang_hauptmann_2003.methods import (
    SMO,
    Load,
    binary_recipe,
    by_solver,
    code_of,
)
from postil.papers.zhang_jin_yang_hauptmann_2003.tasks import vectors_of
from postil.papers.zhang_jin_yang_hauptmann_2003.trainers import by_recipe
from postil.papers.zhang_jin_yang_hauptmann_2003.whole import ROW, measured
from postil.recipes.recipe import Recipe

TABLE, WHOLE = "table2-texts", "whole-texts"


@dataclass(frozen=True, slots=True)
class Variant:
    """What is changed: entries of ``[representation]`` and of ``[selection]``."""

    reading: Mapping[str, Any] = field(default_factory=dict)
    selection: Mapping[str, Any] = field(default_factory=dict)

    def of(self, recipe: Recipe) -> Recipe:
        """The recipe so changed."""
        return replace(
            recipe,
            representation=replace(recipe.representation, **self.reading),
            selection=replace(recipe.selection, **self.selection),
        )


VARIANTS = {
    "as in table 2": Variant(),
    "letters and digits": Variant({"analyzer": "words lower stop(smart) stem(porter)"}),
    "without stemming": Variant({"analyzer": "letters lower stop(smart)"}),
    "without a stop list": Variant({"analyzer": "letters lower stem(porter)"}),
    "with neither": Variant({"analyzer": "letters lower"}),
    "the words of titles apart": Variant({"apart": True}),
    "with datelines": Variant({"fields": ("title", "dateline", "body")}),
    "one choice of terms for all": Variant(selection={"scope": "corpus"}),
    "letters and digits, one choice for all": Variant(
        {"analyzer": "words lower stop(smart) stem(porter)"}, {"scope": "corpus"}
    ),
}


def run_variant(row: str, settings: Settings) -> CellValues:
    """Test errors of the categories, learned by SMO."""
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    vectors = vectors_of(documents_of(settings), recipe.representation)
    found = {}
    categories = cast("list[str]", settings["categories"])
    for done, category in enumerate(categories):
        tell("categories", done, len(categories))
        task = vectors.task(category, recipe.selection)
        learned = by_recipe(recipe, task)
        error = task.error(learned.weights, learned.intercept)
        found[TABLE, row, category] = Measured(error, remark=learned.remark)
    return found


def run_whole_variant(row: str, settings: Settings) -> CellValues:
    """Both averages of F1 over all categories, learned by SMO."""
    return {(WHOLE, row, ROW[average]): value for average, value in measured(settings).items()}


def experiments(load: Load) -> list[Experiment]:
    """Two for each variant: the four categories, and all of them."""
    recipe = by_solver(REUTERS.read_by(binary_recipe(load)))[SMO]
    changed = {row: variant.of(recipe) for row, variant in VARIANTS.items()}
    four = [
        _experiment(Fill(TABLE, (row,), REUTERS.categories), partial(run_variant, row), each)
        for row, each in changed.items()
    ]
    averages = tuple(ROW.values())
    return four + [
        _experiment(Fill(WHOLE, (row,), averages), partial(run_whole_variant, row), each)
        for row, each in changed.items()
    ]


def _experiment(fill: Fill, run: RunExperiment, recipe: Recipe) -> Experiment:
    (row,) = fill.rows or ()
    return Experiment(
        name=f"{fill.table}, {row}",
        run=run,
        fills=(fill,),
        code=code_of(__name__, f"{__package__}.whole"),
        settings={**REUTERS.settings(), "recipe": recipe.to_dict()},
        data=partial(corpus_fingerprint, REUTERS.corpus),
    )

"""One run: a recipe learned from the training documents and ranked on the test documents.

Tables, figure and findings look at the same runs; each is done once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.corpus.opening import open_corpus
from postil.evaluate.break_even import BreakEvenPoints
from postil.evaluate.curves import precision_recall_curve
from postil.evaluate.ranking import micro_cuts
from postil.features.inputs import Csr
from postil.model.model import Model
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.assess import Assessment
from postil_papers.harness import TOP_TEN, grid_remark, trained
from postil_papers.results import remember

DEFINITION = "nearest"
# The curve that goes through the micro-averaged break-even point; see evaluate.microcurves.
AVERAGING = "shifted"
ROUNDING = 1e-9  # of a recall in percent

# In the order of the printed columns.
RECIPES = {
    "Perceptron": "perceptron",
    "SVM": "svm-online",
    "UWin": "winnow-u",
    "LM-UWin": "lm-winnow-u",
    "NWin": "winnow-n",
    "LM-NWin": "lm-winnow-n",
}


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus, its largest categories, and the recalls in percent at which figure 1 is kept."""

    corpus: str
    largest: tuple[str, ...]
    recalls: tuple[float, ...]


# Every whole recall, and those of the printed break-even points.
REUTERS = Collection(
    "reuters-modapte", TOP_TEN, tuple(sorted([*map(float, range(50, 101)), 89.8, 91.5, 91.8]))
)


def selected(method: str) -> Recipe:
    """Return the recipe of table 1: terms by the Gini index, without rare ones."""
    return load_recipe(RECIPES[method])


def unselected(method: str) -> Recipe:
    """Return the recipe of table 2: every term, rare ones included; C is searched for again."""
    recipe = load_recipe(RECIPES[method])
    representation = replace(recipe.representation, min_occurrences=1)
    return replace(recipe, representation=representation, selection=TermSelection())


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    """The numbers kept of a run on test documents.

    ``precision`` is that of the micro-averaged curve of the largest categories at the wanted
    recalls, in percent. ``C`` is the choice of a search.
    """

    categories: list[str]
    points: BreakEvenPoints
    precision: list[float]
    C: float | None = None
    remark: str = ""

    def places(self, names: Sequence[str] | None) -> NDArray[np.intp]:
        """Return the places of these categories, or of all."""
        chosen = self.categories if names is None else names
        return np.array([self.categories.index(name) for name in chosen], dtype=np.intp)

    def micro(self, names: Sequence[str] | None = None) -> float:
        """Return the micro-averaged break-even point of some categories, or all, in percent."""
        return 100 * self.points.of(self.places(names)).micro

    def each(self, names: Sequence[str] | None = None) -> Floats:
        """Return the break-even point of each of some categories, or all, in percent."""
        values: Floats = 100 * self.points.of(self.places(names)).values
        return values


def run_of(collection: Collection, recipe: Recipe) -> RunFacts:
    """Return the run of a recipe, computed once."""
    return remember("zhang-2000: a run", _run, collection=collection, recipe=recipe)


def _run(collection: Collection, recipe: Recipe) -> RunFacts:
    corpus = collection.corpus
    model, tested = trained(open_corpus(corpus), recipe, corpus=corpus, title=recipe.name)
    return run_facts(model, tested, collection)


def run_facts(model: Model, tested: Assessment, collection: Collection) -> RunFacts:
    """Return what is kept of a model and its scores."""
    ranking = tested.report.ranking
    assert ranking is not None
    categories = list(tested.report.categories)
    columns = [categories.index(name) for name in collection.largest]
    search: Mapping[str, Any] | None = model.method.get("search")
    remark = ""
    if search is not None:
        grid = ((row["C"], row["value"]) for row in search["grid"])
        remark = f"C = {search['C']:g}; {grid_remark(search['measure'], 'C', grid)}"
    return RunFacts(
        categories=categories,
        points=ranking.break_even[DEFINITION],
        precision=precision_at(
            tested.truth[:, columns], tested.scores[:, columns], collection.recalls
        ),
        C=None if search is None else float(search["C"]),
        remark=remark,
    )


def precision_at(truth: Csr, scores: Floats, recalls: Sequence[float]) -> list[float]:
    """Return micro-averaged precision where recall first reaches each of these, in percent."""
    curve = precision_recall_curve(micro_cuts(truth, scores, AVERAGING))
    reached = np.searchsorted(100 * curve.recall, np.asarray(recalls) - ROUNDING)
    return [100 * float(value) for value in curve.precision[reached]]

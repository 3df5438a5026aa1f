"""Tables 2 and 3 and figure 6: the methods on Reuters, each by its recipe."""

from __future__ import annotations

from functools import partial

from postil.corpus.opening import open_corpus
from postil.evaluate import Options, Report, macro_over_top
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.assess import assess
from postil.train.train import train
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    by_name,
    corpus_fingerprint,
    tell,
)
from postil_papers.zhang_oles_2001.methods import RECIPES, code_of

CORPUS = "reuters-modapte"

LARGEST_FIVE = ("Earn", "Acq", "Money-fx", "Grain", "Crude")
TOP_TEN = (*LARGEST_FIVE, "Trade", "Interest", "Ship", "Wheat", "Corn")
LARGEST = (5, 10, 20, 40, 60, 80, 100, 118)


def run_recipe(method: str, settings: Settings) -> CellValues:
    """Learn the training documents by a recipe and measure on the test documents."""
    corpus = open_corpus(CORPUS)
    recipe = Recipe.from_dict(settings["recipe"])  # type: ignore[arg-type]
    model = train(corpus, recipe, corpus=CORPUS, progress=tell)
    report = assess(model, corpus.only("test"), corpus=CORPUS, options=Options(top=LARGEST))
    return {**_table_2(method, report), **_table_3(method, report), **_figure_6(method, report)}


def _table_2(method: str, report: Report) -> CellValues:
    assert report.ranking is not None
    values = {
        "Precision": report.micro["precision"],
        "Recall": report.micro["recall"],
        "F1": report.micro["f1"],
        "BEP": report.ranking.break_even["nearest"].micro,
    }
    return {("table2", row, method): 100 * value for row, value in values.items()}


def _table_3(method: str, report: Report) -> CellValues:
    f1 = dict(zip(report.categories, report.values["f1"], strict=True))
    return {("table3", name, method): 100 * float(f1[name.lower()]) for name in TOP_TEN}


def _figure_6(method: str, report: Report) -> CellValues:
    assert report.training_sizes is not None
    f1 = report.values["f1"]
    return {
        ("figure6", method, str(k)): 100 * macro_over_top(f1, report.training_sizes, k).value
        for k in LARGEST
    }


def _experiment(method: str, recipe: str) -> Experiment:
    return Experiment(
        name=f"reuters {recipe}",
        run=partial(run_recipe, method),
        fills=(
            Fill("table2", columns=(method,)),
            Fill("table3", columns=(method,)),
            Fill("figure6", rows=(method,)),
        ),
        code=code_of(__name__),
        settings={"recipe": load_recipe(recipe).to_dict()},
        data=partial(corpus_fingerprint, CORPUS),
    )


EXPERIMENTS = by_name(*(_experiment(method, recipe) for method, recipe in RECIPES.items()))

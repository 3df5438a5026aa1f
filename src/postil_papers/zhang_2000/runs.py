"""One run: a recipe learned from the training documents and ranked on the test documents.

Tables, figure and findings look at the same runs; each is done once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, cast

from postil.corpus.opening import open_corpus
from postil.model.model import Model
from postil.recipes.recipe import Recipe
from postil.train.assess import Assessment, assessment
from postil.train.train import train
from postil_papers.cache import Question, shared
from postil_papers.cells import Json, Measured
from postil_papers.experiment import (
    TOP_TEN,
    Experiment,
    Fill,
    RunExperiment,
    Settings,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_2000.facts import (
    DEFINITION,
    RunFacts,
    plain_points,
    precision_at,
    searched_remark,
)
from postil_papers.zhang_2000.methods import CORPUS, code_of

RUNS = __name__
FACTS = "postil_papers.zhang_2000.facts"

# Where the curves of figure 1 are kept, in percent: every point, and the printed break-even points.
RECALLS = tuple(sorted([*map(float, range(50, 101)), 89.8, 91.5, 91.8]))
ASKED = ("corpus", "largest", "recalls")


def experiment(
    name: str,
    recipes: Mapping[str, Recipe],
    run: RunExperiment,
    fills: tuple[Fill, ...],
    module: str,
) -> Experiment:
    """An experiment that looks at runs of these recipes, by names of its own."""
    return Experiment(
        name=name,
        run=run,
        fills=fills,
        code=code_of(RUNS, FACTS, module),
        settings={
            "corpus": CORPUS,
            "largest": list(TOP_TEN),
            "recalls": list(RECALLS),
            "recipes": {name: recipe.to_dict() for name, recipe in recipes.items()},
        },
        data=partial(corpus_fingerprint, CORPUS),
    )


def facts_of(settings: Settings, name: str) -> RunFacts:
    """The run of one of the recipes in the settings: shared, kept, or done now."""
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    asked = {key: settings[key] for key in ASKED}
    question = Question(
        "zhang-2000: a run",
        {**asked, "recipe": recipes[name]},
        corpus_fingerprint(str(settings["corpus"])),
        code_of(RUNS, FACTS),
    )
    found = shared(question, partial(_run, asked, Recipe.from_dict(recipes[name])))
    return RunFacts(**cast("dict[str, Any]", found))


def remarked(value: float, *runs: RunFacts) -> Measured:
    """A number with what the runs behind it had to say, each thing once."""
    return Measured(
        value, remark="; ".join(dict.fromkeys(run.remark for run in runs if run.remark))
    )


def largest(settings: Settings) -> list[str]:
    """The largest categories, by name."""
    return cast("list[str]", settings["largest"])


def _run(asked: Settings, recipe: Recipe) -> Json:
    corpus = str(asked["corpus"])
    documents = open_corpus(corpus)
    progress = partial(_tell_run, recipe.name)
    with counted_not_warned():
        model = train(documents, recipe, corpus=corpus, progress=progress)
    tested = assessment(model, documents.only("test"), corpus=corpus, progress=progress)
    recalls = cast("Sequence[float]", asked["recalls"])
    return asdict(run_facts(model, tested, largest(asked), recalls))


def run_facts(
    model: Model, tested: Assessment, names: Sequence[str], recalls: Sequence[float]
) -> RunFacts:
    """What is kept of a model and its scores; ``names`` are the categories of the curve."""
    ranking = tested.report.ranking
    assert ranking is not None
    categories = list(tested.report.categories)
    columns = [categories.index(name) for name in names]
    search: Mapping[str, Any] | None = model.method.get("search")
    return RunFacts(
        categories=categories,
        points=plain_points(ranking.break_even[DEFINITION]),
        precision=precision_at(tested.truth[:, columns], tested.scores[:, columns], recalls),
        C=None if search is None else float(search["C"]),
        remark="" if search is None else searched_remark(search),
    )


def _tell_run(run: str, step: str, done: int, total: int | None) -> None:
    tell(f"{run}, {step}", done, total)

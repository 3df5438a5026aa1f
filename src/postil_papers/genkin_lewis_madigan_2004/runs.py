"""One run: a recipe learned from a collection's training documents, tested on its test documents.

Several tables look at the same run. It is done once for both thresholds of section 5.5: the
recipe learns with tuned thresholds, and the default decisions are the scores at 0 and above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from postil.corpus.document import Document
from postil.decide.decision import Thresholds
from postil.errors import InputError
from postil.evaluate.counts import count
from postil.model.model import Model
from postil.recipes.recipe import Recipe
from postil.train.assess import Assessment, CategorySet, assessment
from postil.train.train import train
from postil_papers.cache import Question, shared
from postil_papers.cells import Json
from postil_papers.experiment import Settings, corpus_fingerprint, counted_not_warned, tell
from postil_papers.genkin_lewis_madigan_2004.collections import Collection, corpus_of
from postil_papers.genkin_lewis_madigan_2004.facts import RunFacts, tally
from postil_papers.genkin_lewis_madigan_2004.methods import by_chance, code_of

RUNS = __name__
FACTS = "postil_papers.genkin_lewis_madigan_2004.facts"
TUNED = "training-error"


def settings_for(collection: Collection, recipes: Mapping[str, Recipe]) -> dict[str, Json]:
    """Settings of an experiment that looks at runs of these recipes, by names of its own."""
    return {
        **collection.settings(),
        "recipes": {
            name: tuned(by_chance(collection.read_by(recipe))).to_dict()
            for name, recipe in recipes.items()
        },
    }


def tuned(recipe: Recipe) -> Recipe:
    """The recipe with thresholds of least training error; what it expects is not asked for."""
    return replace(recipe, decide=replace(recipe.decide, rule=TUNED), expect=())


def facts_of(settings: Settings, name: str, seed: int = 0) -> RunFacts:
    """The run of one of the recipes in the settings: shared, kept, or done now.

    ``seed`` is of the folds of its search.
    """
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    asked = {key: settings[key] for key in Collection.TOLD}
    question = Question(
        "genkin-lewis-madigan-2004: a run",
        {**asked, "recipe": recipes[name], "seed": seed},
        corpus_fingerprint(str(settings["corpus"])),
        code_of(__name__, FACTS),
    )
    found = shared(question, partial(_run, asked, Recipe.from_dict(recipes[name]), seed))
    return RunFacts(**cast("dict[str, Any]", found))


def _run(asked: Settings, recipe: Recipe, seed: int) -> Json:
    corpus = str(asked["corpus"])
    documents = corpus_of(asked)
    categories = cast("CategorySet", asked["categories"])
    wanted = cast("int | None", asked["wanted"])
    if categories == "all" and wanted is not None:
        refuse_more(documents, wanted, corpus)
    progress = partial(_tell_run, recipe.name)
    with counted_not_warned():
        model = train(documents, recipe, corpus=corpus, seed=seed, progress=progress)
    tested = assessment(
        model, documents.only("test"), corpus=corpus, categories=categories, progress=progress
    )
    return asdict(run_facts(model, tested, wanted))


def refuse_more(documents: Iterable[Document], wanted: int, corpus: str) -> None:
    """Refuse a corpus with more categories than the paper's list: OHSUMED has thousands.

    Costs one pass over the documents.
    """
    found = {label for document in documents for label in document.labels}
    if len(found) > wanted:
        raise InputError(
            f"{corpus} has {len(found)} categories here, and the paper's list {wanted}: let only "
            "these be labels (OHSUMED: one a line in categories.txt in its folder, or in "
            "ohsumed-categories.txt beside its archive)"
        )


def run_facts(model: Model, tested: Assessment, wanted: int | None) -> RunFacts:
    """Count what a model did; ``wanted`` is the number of categories that the paper has.

    A category that neither training nor test documents have is predicted for none of them, as
    the paper does: nothing is counted, and its F1 is 1. Costs documents times categories.
    """
    names = tested.report.categories
    absent = max(0, (wanted or 0) - len(names))
    reports = {str(report["category"]): report for report in model.reports}
    constants = dict(zip(model.names, (model.intercepts != 0).tolist(), strict=True))
    features = [_told(reports, name, "nonzeros") for name in names]
    at_zero = Thresholds(np.zeros(len(names))).accept(tested.scores)
    none = [0] * absent
    return RunFacts(
        categories=[*names, *(f"absent {number}" for number in range(1, absent + 1))],
        positives=[_told(reports, name, "members") for name in names] + none,
        features=features + none,
        parameters=[
            kept + constants.get(name, False) for name, kept in zip(names, features, strict=True)
        ]
        + none,
        documents=int(tested.truth.shape[0]),
        decided={
            "default": tally(count(tested.truth, sp.csr_matrix(at_zero)), absent),
            "tuned": tally(count(tested.truth, tested.decisions), absent),
        },
        remark=_remark(model),
    )


def _told(reports: Mapping[str, Mapping[str, Any]], name: str, what: str) -> int:
    """A number of a category's report; one that no training document has was not learned."""
    return int(reports[name][what]) if name in reports else 0


def _remark(model: Model) -> str:
    fits = len(model.reports)
    unfinished = sum(report.get("stopped") == "iterations" for report in model.reports)
    told = f"{model.recipe['name']}: {unfinished} of {fits} fits were stopped before convergence"
    return told if unfinished else ""


def _tell_run(run: str, step: str, done: int, total: int | None) -> None:
    tell(f"{run}, {step}", done, total)

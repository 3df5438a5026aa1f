"""Section 4's remark on WebKB: seven categories, a random 3-fold cross-validation, accuracy.

Each category is learned against the rest on every term, stop words included, and the largest w·x
decides. C is searched for in the two parts that are learned from, as the recipes say, but only two
of the five folds are run: categories are few, and large. Naive Bayes knows all categories at once,
with the smoothing of zhang-oles-2001. The study ``webkb-stop-words`` is the same without stop
words: the paper says that this can enhance the SVM.

**Pages.** As for zhang-oles-2001, whose author and numbers are the same: with the header of the
server's answer as a field apart; see its note on table 5.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from statistics import fmean, stdev
from typing import Any, cast

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.recipes.parts import Decide, TermSelection
from postil.recipes.recipe import Recipe
from postil.train.assess import assess
from postil.train.train import train
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_2000.methods import RECIPES, Load, code_of
from postil_papers.zhang_oles_2001.web_pages import pages_with_headers

TABLE, STUDY = "webkb", "webkb-stop-words"
ACCURACY = "accuracy"
FOLDS = 3
SEARCH_ROUNDS = 2
SEED = 0
FIELDS = ("headers", "body")

WINNOWS = ("LM-UWin", "LM-NWin")
METHODS = {**{name: RECIPES[name] for name in (*WINNOWS, "SVM")}, "Naive Bayes": "naive-bayes-1"}
ANALYZERS = {
    TABLE: "letters lower stem(porter)",
    STUDY: "letters lower stop(smart) stem(porter)",
}

READERS: dict[str, Callable[[], Iterable[Document]]] = {"webkb": pages_with_headers}


@lru_cache(maxsize=1)
def _documents(corpus: str) -> tuple[Document, ...]:
    """All documents, kept for the next method: reading the archive takes longer than some."""
    return tuple(READERS.get(corpus, partial(open_corpus, corpus))())


def run_folds(table: str, method: str, settings: Settings) -> CellValues:
    """Mean and standard deviation of the accuracies of the folds."""
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    documents = _documents(str(settings["corpus"]))
    folds = cast("int", settings["folds"])
    return {(table, method, ACCURACY): over_folds(documents, recipe, folds)}


def over_folds(documents: Sequence[Document], recipe: Recipe, folds: int) -> Measured:
    """Learn from all folds but one and measure on that, for each of them."""
    accuracies, chosen = [], []
    for number, marked in enumerate(folded(documents, folds, SEED), 1):
        progress = partial(_tell_fold, f"{recipe.name}, fold {number} of {folds}")
        with counted_not_warned():
            model = train(marked, recipe, progress=progress)
        report = assess(model, [document for document in marked if document.split == "test"])
        if report.accuracy is None:
            raise UsageError("accuracy is of documents with exactly one category each")
        accuracies.append(100 * report.accuracy)
        search: Mapping[str, Any] | None = model.method.get("search")
        chosen += [] if search is None else [f"{search['C']:g}"]
    remark = f"C of the folds: {', '.join(chosen)}" if chosen else ""
    return Measured(fmean(accuracies), stdev(accuracies), remark)


def folded(documents: Sequence[Document], folds: int, seed: int) -> Iterator[list[Document]]:
    """For each random fold all documents, those of the fold marked as test.

    They come in the order they were drawn in: the corpus is sorted by category, and updates that
    see one category after the other forget the first.
    """
    chance = random.Random(seed)
    # Of a seeded generator only random() promises the same numbers in every Python.
    drawn = sorted((chance.random(), place) for place in range(len(documents)))
    ordered = [documents[place] for _, place in drawn]
    for fold in range(folds):
        yield [
            replace(document, split="test" if rank % folds == fold else "train")
            for rank, document in enumerate(ordered)
        ]


def _tell_fold(fold: str, step: str, done: int, total: int | None) -> None:
    tell(f"{fold}, {step}", done, total)


def paged(recipe: Recipe, analyzer: str) -> Recipe:
    """The recipe on pages: every term, and the highest score decides.

    All methods see the same vectors, Naive Bayes too.
    """
    representation = replace(
        recipe.representation,
        analyzer=analyzer,
        fields=FIELDS,
        apart=True,
        min_occurrences=1,
    )
    search = recipe.search
    if search is not None:
        search = replace(search, rounds=SEARCH_ROUNDS)
    return replace(
        recipe,
        representation=representation,
        search=search,
        selection=TermSelection(),
        decide=Decide(rule="best"),
        expect=(),
    )


def experiments(load: Load) -> list[Experiment]:
    """A method each, with stop words and without."""
    return [_experiment(load, table, method) for table in ANALYZERS for method in METHODS]


def _experiment(load: Load, table: str, method: str) -> Experiment:
    return Experiment(
        name=f"{table}, {method}",
        run=partial(run_folds, table, method),
        fills=(Fill(table, (method,), (ACCURACY,)),),
        code=code_of(__name__, "postil_papers.zhang_oles_2001.web_pages"),
        settings={
            "corpus": "webkb",
            "folds": FOLDS,
            "recipe": paged(load(METHODS[method]), ANALYZERS[table]).to_dict(),
        },
        data=partial(corpus_fingerprint, "webkb"),
    )

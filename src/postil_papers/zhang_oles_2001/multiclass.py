"""Table 5: one category a document, five random splits of four parts to one.

Each category is learned against the rest and the highest score decides, without thresholds, with
the λ of table 1. The λ of Naive Bayes is its smoothing.

**Documents.** The paper says nothing of headers. On 20 Newsgroups accuracies near its own come
only from articles with all their header lines, some of which name the group; and on WebKB from
pages with their MIME header (the server's date, kind and version), which gives universities and
times away. So headers are kept here, as a field of their own; subjects are apart too, as titles
are on Reuters, and the titles of web pages stand in the text. Naive Bayes-1 joins all fields,
as its recipe says.

**Solvers.** The recipes' objectives by dual coordinate descent, until the duality gap is 1e-3 of
the objective or after 100 passes; the SVM by SMO. A remark counts the fits that were not done.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from statistics import fmean, stdev
from typing import Any, cast

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.assess import assess
from postil.train.train import train
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    by_name,
    corpus_fingerprint,
    counted_not_warned,
    tell,
)
from postil_papers.zhang_oles_2001.methods import PASSES, RECIPES, by_certificate, code_of
from postil_papers.zhang_oles_2001.web_pages import pages_with_headers

SPLITS = 5
TEST_SHARE = 0.2
TOLERANCE = 1e-3

METHODS = {
    "Naive Bayes-1": "naive-bayes-1",
    "Naive Bayes-2": "naive-bayes-2",
    **{name: recipe for name, recipe in RECIPES.items() if name != "Naive Bayes"},
}
# The paper's name of a corpus, ours, and the fields that are kept apart.
CORPORA = {
    "20NewsGroup": ("20news-19997", ("headers", "subject", "body")),
    "WebKB": ("webkb", ("headers", "body")),
}


def articles_with_headers() -> Iterable[Document]:
    """20 Newsgroups with all header lines."""
    return open_corpus("20news-19997", choices={"strip_headers": False})


READERS: Mapping[str, Callable[[], Iterable[Document]]] = {
    "20news-19997": articles_with_headers,
    "webkb": pages_with_headers,
}


@lru_cache(maxsize=1)
def _documents(corpus: str) -> tuple[Document, ...]:
    """All documents, kept for the next method: reading an archive costs more than Naive Bayes."""
    reader = READERS.get(corpus, partial(open_corpus, corpus))
    return tuple(reader())


@dataclass(slots=True)
class Runs:
    """What became of the splits: an accuracy for each, and the fits that were not done."""

    accuracies: list[float] = field(default_factory=list)
    fits: int = 0
    unfinished: int = 0

    def add(self, accuracy: float, reports: Sequence[Mapping[str, Any]]) -> None:
        """Take note of one split."""
        self.accuracies.append(accuracy)
        self.fits += len(reports)
        self.unfinished += sum(report.get("stopped") == "iterations" for report in reports)

    def measured(self) -> Measured:
        """Mean and standard deviation, in percent."""
        percent = [100 * accuracy for accuracy in self.accuracies]
        remark = ""
        if self.unfinished:
            remark = f"{self.unfinished} of {self.fits} fits were stopped after {PASSES} passes"
        return Measured(fmean(percent), stdev(percent), remark)


def run_splits(method: str, column: str, settings: Settings) -> CellValues:
    """Learn and measure on each split; mean and standard deviation of the accuracies."""
    recipe = Recipe.from_dict(cast("dict[str, Any]", settings["recipe"]))
    documents = _documents(str(settings["corpus"]))
    splits = cast("int", settings["splits"])
    runs = over_splits(documents, recipe, splits, cast("float", settings["test_share"]))
    return {("table5", method, column): runs.measured()}


def over_splits(
    documents: Sequence[Document], recipe: Recipe, splits: int, test_share: float = TEST_SHARE
) -> Runs:
    """Learn and measure on each of some random splits; the number of a split is its seed."""
    runs = Runs()
    for seed in range(splits):
        progress = partial(_tell_split, f"split {seed + 1} of {splits}")
        marked = list(randomly_split(documents, test_share, seed))
        with counted_not_warned():
            model = train(marked, recipe, progress=progress)
        report = assess(model, [document for document in marked if document.split == "test"])
        if report.accuracy is None:
            raise UsageError("accuracy is of documents with exactly one category each")
        runs.add(report.accuracy, model.reports)
    return runs


def _tell_split(split: str, step: str, done: int, total: int | None) -> None:
    tell(f"{split}, {step}", done, total)


def randomly_split(
    documents: Sequence[Document], test_share: float, seed: int
) -> Iterator[Document]:
    """Mark that share of the documents, drawn by the seed, as test and the others as training."""
    chance = random.Random(seed)
    # Of a seeded generator only random() promises the same numbers in every Python.
    drawn = sorted((chance.random(), place) for place in range(len(documents)))
    tested = {place for _, place in drawn[: round(test_share * len(documents))]}
    for place, document in enumerate(documents):
        yield replace(document, split="test" if place in tested else "train")


def _recipe(name: str, fields: tuple[str, ...]) -> Recipe:
    recipe = by_certificate(load_recipe(name), TOLERANCE, PASSES)
    representation = replace(recipe.representation, fields=fields)
    return replace(recipe, representation=representation, decide=Decide(rule="best"), expect=())


def _experiment(method: str, column: str) -> Experiment:
    corpus, fields = CORPORA[column]
    return Experiment(
        name=f"{corpus} {METHODS[method]}",
        run=partial(run_splits, method, column),
        fills=(Fill("table5", (method,), (column,)),),
        code=code_of(__name__, "postil_papers.zhang_oles_2001.web_pages"),
        settings={
            "corpus": corpus,
            "splits": SPLITS,
            "test_share": TEST_SHARE,
            "recipe": _recipe(METHODS[method], fields).to_dict(),
        },
        data=partial(corpus_fingerprint, corpus),
    )


EXPERIMENTS = by_name(*(_experiment(method, column) for column in CORPORA for method in METHODS))

"""Table 1: how many documents and classes the collections have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import cast

from postil.corpus.document import Document
from postil_papers.experiment import CellValues, Experiment, Fill, Settings, corpus_fingerprint
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    RCV1,
    REUTERS,
    UNIV_6,
    Collection,
    documents_of,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import BINARY, MULTICLASS, Load, code_of

TRAINING, TEST, CLASSES, FEATURES = "training", "test", "classes", "features"
COLUMNS = (TRAINING, TEST, CLASSES, FEATURES)
# The collections, and the recipes that say how many terms are kept.
RECIPES = ((REUTERS, BINARY), (RCV1, BINARY), (UNIV_6, MULTICLASS))


def run_counts(name: str, settings: Settings) -> CellValues:
    """Count one collection, in one pass; of a list of categories these are the classes used."""
    training, test, classes = counts(documents_of(settings))
    used = cast("list[str]", settings["classes"])
    found = (training, test, len(used) or classes, cast("int", settings["features"]))
    return {
        ("table1", name, column): float(value) for column, value in zip(COLUMNS, found, strict=True)
    }


def counts(documents: Iterable[Document]) -> tuple[int, int, int]:
    """Documents to learn from and to test on, and classes; without a split all are both."""
    tally: dict[str | None, int] = {}
    classes: set[str] = set()
    for document in documents:
        tally[document.split] = tally.get(document.split, 0) + 1
        classes.update(document.labels)
    both = tally.get(None, 0)
    return tally.get("train", 0) + both, tally.get("test", 0) + both, len(classes)


def experiments(load: Load) -> list[Experiment]:
    """One for each collection."""
    return [_experiment(each, load(recipe).selection.terms) for each, recipe in RECIPES]


def _experiment(collection: Collection, terms: int | None) -> Experiment:
    return Experiment(
        name=f"{collection.name}, counts",
        run=partial(run_counts, collection.name),
        fills=(Fill("table1", (collection.name,), COLUMNS),),
        code=code_of(__name__),
        settings={
            **collection.settings(),
            # Of Reuters four are in table 2 and all in the text; of RCV1 only the four are used.
            "classes": list(RCV1.categories) if collection is RCV1 else [],
            "features": terms or 0,
        },
        data=partial(corpus_fingerprint, collection.corpus),
    )

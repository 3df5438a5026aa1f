"""Table 3: one class a page, five parts in turn tested on, their decisions put together.

The 500 terms are those with the most information about the class, one choice for all classes, as
the recipe says, on the four parts that are learned from. The SVM learns each class against the
rest, on the same terms; the class with the highest score is decided for, by both. Micro- and
macro-averaged F1 are of the decisions on all five parts together.

**Univ-6.** The paper has 4,165 pages in six classes and refers to another for what they are. The
collection has 4,162 pages of four universities, and as many again from elsewhere. Of the four
universities' seven classes ``department`` has four pages, one for each: too few for five parts. So
Univ-6 is read as the pages of the four universities without ``department``; the study
``table3-readings`` has other readings.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from postil.common.types import Indices
from postil.corpus.document import Document
from postil.evaluate import count, macro, micro
from postil.evaluate.measures import f1
from postil.learn.job import Design, Job
from postil.recipes.recipe import Recipe
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
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    READERS,
    UNIV_6,
    all_but_department,
    all_but_other,
    department_as_other,
    documents_of,
    univ_6,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import (
    MMLR_CG,
    MULTICLASS,
    SMO_LEARN,
    SVM,
    Load,
    code_of,
    svm,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Vectors, vectors_of

PARTS = 5
SEED = 0
METHODS = (MMLR_CG, SVM)
COLUMNS = tuple(f"{method} {average}" for method in METHODS for average in ("micro", "macro"))
READINGS = tuple(
    name
    for name, read in READERS.items()
    if read in (univ_6, department_as_other, all_but_department, all_but_other)
)


def run_parts(table: str, row: str, settings: Settings) -> CellValues:
    """Learn and decide part by part, by both methods."""
    recipes = {
        method: Recipe.from_dict(recipe)
        for method, recipe in cast("Mapping[str, dict[str, Any]]", settings["recipes"]).items()
    }
    any_recipe = next(iter(recipes.values()))
    vectors = vectors_of(_unsplit(documents_of(settings)), any_recipe.representation)
    parts = list(equal_parts(len(vectors.learned), PARTS, SEED))
    found: dict[tuple[str, str, str], Measured] = {}
    for method, recipe in recipes.items():
        decided, remark = decisions(vectors, recipe, parts)
        told = f"{vectors.labels.documents} pages, {len(vectors.labels)} classes{remark}"
        for average, value in averages(vectors, decided).items():
            found[table, row, f"{method} {average}"] = Measured(100 * value, remark=told)
    return found


def decisions(vectors: Vectors, recipe: Recipe, parts: list[Indices]) -> tuple[Indices, str]:
    """The class of each document, by a model that has not seen its part; and a remark."""
    decided = np.zeros(vectors.labels.documents, dtype=np.intp)
    method, unfinished = recipe.method(), 0
    for number, held_out in enumerate(parts):
        tell("parts", number, len(parts))
        learned = np.setdiff1d(vectors.learned, held_out)
        labels = vectors.labels.of_documents(learned)
        matrix = vectors.matrix[learned]
        selection = recipe.selection.chosen(matrix, labels.members)
        with counted_not_warned():
            fit = method.fit(Job(Design(matrix), labels, selection, quiet=True))
        decided[held_out] = fit.scores(vectors.matrix[held_out]).argmax(axis=1)
        unfinished += any(report.stopped == "iterations" for report in fit.reports)
    stopped = unfinished and method.tolerance > 0
    return decided, f"; {unfinished} of {len(parts)} fits were stopped" if stopped else ""


def averages(vectors: Vectors, decided: Indices) -> dict[str, float]:
    """Micro- and macro-averaged F1 of one class decided for each document."""
    documents, classes = vectors.labels.members.shape
    ones = np.ones(documents, dtype=bool)
    given = sp.csr_matrix((ones, (np.arange(documents), decided)), shape=(documents, classes))
    counts = count(vectors.labels.members, given)
    return {"micro": micro(counts, "f1"), "macro": macro(f1(counts)).value}


def equal_parts(documents: int, parts: int, seed: int) -> Iterator[Indices]:
    """Places cut at random into parts whose sizes differ by one at most."""
    chance = random.Random(seed)
    # Of a seeded generator only random() promises the same numbers in every Python.
    drawn = sorted((chance.random(), place) for place in range(documents))
    order = np.array([place for _, place in drawn], dtype=np.intp)
    return (np.sort(order[part::parts]) for part in range(parts))


def _unsplit(documents: Iterable[Document]) -> Iterator[Document]:
    """Documents none of which is marked as test: the vocabulary is of all."""
    return (Document(each.id, each.fields, each.labels, None) for each in documents)


def experiments(load: Load) -> list[Experiment]:
    """Table 3 with the reading taken, and the study with all of them."""
    recipe = UNIV_6.read_by(load(MULTICLASS))
    recipes = {MMLR_CG: recipe, SVM: svm(recipe, SMO_LEARN)}
    rows = [("table3", UNIV_6.name, UNIV_6.documents)]
    rows += [("table3-readings", reading, reading) for reading in READINGS]
    return [_experiment(table, row, documents, recipes) for table, row, documents in rows]


def _experiment(table: str, row: str, documents: str, recipes: Mapping[str, Recipe]) -> Experiment:
    return Experiment(
        name=f"{table}, {row}",
        run=partial(run_parts, table, row),
        fills=(Fill(table, (row,), COLUMNS),),
        code=code_of(__name__),
        settings={
            **UNIV_6.settings(),
            "documents": documents,
            "recipes": {name: {**each.to_dict(), "expect": []} for name, each in recipes.items()},
        },
        data=partial(corpus_fingerprint, UNIV_6.corpus),
    )

"""Tables 1 to 3 and section 6.1: sizes of collections, and one, all and exclusive categories.

A task of table 2 has the 500 terms that the recipe selects on all training documents. Times are of
one thread, of learning alone: vectors, terms and their order by columns are there before. The
threshold is 0, as the paper tunes none here. The SVM is learned by SMO on Reuters. On the 781,265
documents of RCV1 that would take too long (``growth`` shows how its time grows): there it is
learned by dual coordinate descent, which regularizes b too, and a remark says so.

Section 6.1 has micro- and macro-averaged F1 of all 90 categories of Reuters. Both methods learn
from the same terms and tune a threshold for each category out of five folds, as the recipe says.

Table 3 has one class a page; each of five parts is tested on in turn, and the averages of F1 are of
the decisions on all parts together. The 500 terms are chosen once for all classes on the four parts
that are learned from. The SVM learns each class against the rest on the same terms; both methods
decide for the class with the highest score.

**Univ-6.** The paper has 4,165 pages in six classes and refers to another for what they are. The
collection has 4,162 pages of four universities, and as many again from elsewhere. Of the four
universities' seven classes ``department`` has four pages, one for each: too few for five parts. So
Univ-6 is read as the pages of the four universities without ``department``; the study
``table3-readings`` has other readings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Indices
from postil.corpus.document import Document
from postil.evaluate.counts import count
from postil.evaluate.measures import f1, macro, micro
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import Problem, random_order, report, stopped_early, trained, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    RCV1,
    REUTERS,
    UNIV_6,
    UNIV_6_READERS,
    Collection,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import (
    BINARY,
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    MMLR_CG,
    MULTICLASS,
    SMO,
    SMO_LEARN,
    SVM,
    Task,
    learn,
    solvers_of,
    svm,
    task_of,
    timed,
)

SIZE_COLUMNS = ("training", "test", "classes", "features")
# The collections, and the recipes that say how many terms are kept.
SIZES = ((REUTERS, BINARY), (RCV1, BINARY), (UNIV_6, MULTICLASS))

TABLE, STUDY = "table2", "table2-solvers"
# The table and the column of a solver on each collection.
PLACES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    REUTERS.name: {
        SMO: (TABLE, SVM),
        MLR_CG: (TABLE, MLR_CG),
        DUAL: (STUDY, DUAL),
        LIBLINEAR: (STUDY, LIBLINEAR),
    },
    RCV1.name: {DUAL: (TABLE, SVM), MLR_CG: (TABLE, MLR_CG)},
}
REMARKS = {(RCV1.name, DUAL): "by dual coordinate descent, which regularizes b too"}

WHOLE_ROWS = {"micro": "micro F1", "macro": "macro F1"}
WHOLE_METHODS = {MLR_CG: MLR_CG, SVM: SMO}  # the columns, and the solvers

PARTS = 5
COLUMNS = tuple(
    f"{method} {average}" for method in (MMLR_CG, SVM) for average in ("micro", "macro")
)


def run_sizes(collection: Collection, used_classes: int, features: int) -> CellValues:
    """Fill a row of table 1; ``used_classes`` replaces the number of classes unless it is 0."""
    training, test, classes = sizes(collection.documents())
    found = (training, test, used_classes or classes, features)
    return {
        ("table1", collection.name, column): float(value)
        for column, value in zip(SIZE_COLUMNS, found, strict=True)
    }


def sizes(documents: Iterable[Document]) -> tuple[int, int, int]:
    """Return the number of training documents, test documents and classes.

    Documents without a split count as both.
    """
    tally: dict[str | None, int] = {}
    classes: set[str] = set()
    for document in documents:
        tally[document.split] = tally.get(document.split, 0) + 1
        classes.update(document.labels)
    both = tally.get(None, 0)
    return tally.get("train", 0) + both, tally.get("test", 0) + both, len(classes)


def columns(method: str) -> tuple[str, str]:
    """Return the columns of a method: its seconds and its error."""
    return f"{method} training", f"{method} error"


def run_binary(collection: Collection, solvers: Mapping[str, Recipe | float]) -> CellValues:
    """Fill table 2 and its study: every category of a collection by every solver."""
    recipe = solvers[MLR_CG]
    assert isinstance(recipe, Recipe)
    vectors = vectors_of(collection.documents(), recipe.representation)
    found: dict[tuple[str, str, str], Measured] = {}
    for done, category in enumerate(collection.categories):
        report("categories", done, len(collection.categories))
        task = task_of(vectors, category, recipe.selection)
        for name, solver in solvers.items():
            table, method = PLACES[collection.name][name]
            measured = measure(task, solver, REMARKS.get((collection.name, name), ""))
            for column, value in zip(columns(method), measured, strict=True):
                found[table, category, column] = value
    return found


def measure(task: Task, solver: Recipe | float, remark: str = "") -> tuple[Measured, Measured]:
    """Return the seconds of training, and the error on the test documents."""
    task.prepare()
    seconds, learned = timed(lambda: learn(solver, task))
    remarks = "; ".join(filter(None, (remark, learned.remark)))
    return Measured(seconds, remark=remarks), Measured(task.error(learned), remark=remarks)


def run_whole(method: str, collection: Collection, recipe: Recipe) -> CellValues:
    """Fill both averages of F1 by one method."""
    values = whole_f1(collection, recipe)
    return {(table, WHOLE_ROWS[table], method): value for table, value in values.items()}


def whole_f1(collection: Collection, recipe: Recipe) -> dict[str, Measured]:
    """Learn all categories and return both averages of F1 on the test documents, in percent."""
    documents = list(collection.documents())
    _, tested = trained(documents, recipe, corpus=collection.corpus)
    measured = tested.report
    remark = f"{len(measured.categories)} categories, {measured.counts.cases} test documents"
    found = {"micro": measured.micro["f1"], "macro": measured.macro["f1"].value}
    return {average: Measured(100 * value, remark=remark) for average, value in found.items()}


def run_parts(
    table: str, row: str, collection: Collection, recipes: Mapping[str, Recipe]
) -> CellValues:
    """Fill a row: learn and decide part by part, by both methods."""
    representation = recipes[MMLR_CG].representation
    # None is marked as test: the vocabulary is of all pages.
    documents = (replace(document, split=None) for document in collection.documents())
    problem = vectors_of(documents, representation).problem()
    pages, classes = problem.labels.members.shape
    parts = equal_parts(pages, PARTS)
    found: dict[tuple[str, str, str], Measured] = {}
    for method, recipe in recipes.items():
        decided, stopped = decisions(problem, recipe, parts)
        remark = f"{pages} pages, {classes} classes"
        remark += f"; {stopped} of {len(parts)} fits were stopped" if stopped else ""
        for average, value in averages(problem, decided).items():
            found[table, row, f"{method} {average}"] = Measured(100 * value, remark=remark)
    return found


def decisions(problem: Problem, recipe: Recipe, parts: Sequence[Indices]) -> tuple[Indices, int]:
    """Return the class of each page by a model that has not seen its part.

    The second value is the number of models whose solver was stopped early.
    """
    decided = np.zeros(problem.design.documents, dtype=np.intp)
    stopped = 0
    for number, held_out in enumerate(parts):
        report("parts", number, len(parts))
        learned = np.setdiff1d(np.arange(problem.design.documents), held_out)
        part = problem.part(learned, held_out)
        fit = part.learn(recipe, part.selection(recipe), quiet=True)
        decided[held_out] = fit.scores(part.unseen).argmax(axis=1)
        stopped += bool(stopped_early(fit.reports))
    return decided, stopped if recipe.method().tolerance > 0 else 0


def averages(problem: Problem, decided: Indices) -> dict[str, float]:
    """Return micro- and macro-averaged F1 of one decided class for each page."""
    pages, classes = problem.labels.members.shape
    ones = np.ones(pages, dtype=bool)
    given = sp.csr_matrix((ones, (np.arange(pages), decided)), shape=(pages, classes))
    counts = count(problem.labels.members, given)
    return {"micro": micro(counts, "f1"), "macro": macro(f1(counts)).value}


def equal_parts(documents: int, parts: int, seed: int = 0) -> list[Indices]:
    """Return places cut at random into parts whose sizes differ by one at most."""
    order = np.array(random_order(documents, seed), dtype=np.intp)
    return [np.sort(order[part::parts]) for part in range(parts)]


def _binary(collection: Collection) -> Experiment:
    places = PLACES[collection.name]
    known: dict[str, Any] = {**solvers_of(collection), LIBLINEAR: LAMBDA}
    return experiment(
        f"{collection.name}, binary tasks",
        run_binary,
        *(Fill(table, collection.categories, columns(name)) for table, name in places.values()),
        collection=collection,
        solvers={name: known[name] for name in places},
    )


def _multiclass(table: str, row: str, reader: str) -> Experiment:
    recipe = UNIV_6.read_by(load_recipe(MULTICLASS))
    return experiment(
        f"{table}, {row}",
        partial(run_parts, table, row),
        Fill(table, (row,), COLUMNS),
        collection=replace(UNIV_6, reader=reader),
        recipes={MMLR_CG: recipe, SVM: svm(recipe, SMO_LEARN)},
    )


EXPERIMENTS = [
    *(
        experiment(
            f"{collection.name}, counts",
            run_sizes,
            Fill("table1", (collection.name,), SIZE_COLUMNS),
            collection=collection,
            # Of Reuters four are in table 2 and all in the text; of RCV1 only the four are used.
            used_classes=len(RCV1.categories) if collection is RCV1 else 0,
            features=load_recipe(name).selection.terms or 0,
        )
        for collection, name in SIZES
    ),
    *(_binary(collection) for collection in (REUTERS, RCV1)),
    *(
        experiment(
            f"{REUTERS.name}, all categories by {method}",
            partial(run_whole, method),
            *(Fill(table, (row,), (method,)) for table, row in WHOLE_ROWS.items()),
            collection=REUTERS,
            recipe=solvers_of(REUTERS)[solver],
        )
        for method, solver in WHOLE_METHODS.items()
    ),
    _multiclass("table3", UNIV_6.name, UNIV_6.reader),
    *(_multiclass("table3-readings", reader, reader) for reader in UNIV_6_READERS),
]

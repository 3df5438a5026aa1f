"""Tables 1 and 2 and section 6.1: sizes of the collections, single categories, all categories.

A task of table 2 has the 500 terms that the recipe selects on all training documents. Times are of
one thread, of learning alone: vectors, terms and their order by columns are there before. The
threshold is 0, as the paper tunes none here. The SVM is learned by SMO on Reuters. On the 781,265
documents of RCV1 that would take too long (``growth`` shows how its time grows): there it is
learned by dual coordinate descent, which regularizes b too, and a remark says so.

Section 6.1 has micro- and macro-averaged F1 of all 90 categories of Reuters. Both methods learn
from the same terms and tune a threshold for each category out of five folds, as the recipe says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from postil.corpus.document import Document
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import report, trained, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    RCV1,
    REUTERS,
    UNIV_6,
    Collection,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import (
    BINARY,
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    MULTICLASS,
    SMO,
    SVM,
    Task,
    learn,
    solvers_of,
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


def size_experiments() -> list[Experiment]:
    """Return the counts of each collection."""
    return [
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
    ]


def binary_experiments() -> list[Experiment]:
    """Return the tasks of each collection."""
    found = []
    for collection in (REUTERS, RCV1):
        places = PLACES[collection.name]
        known: dict[str, Any] = {**solvers_of(collection), LIBLINEAR: LAMBDA}
        fills = (
            Fill(table, collection.categories, columns(method)) for table, method in places.values()
        )
        found.append(
            experiment(
                f"{collection.name}, binary tasks",
                run_binary,
                *fills,
                collection=collection,
                solvers={name: known[name] for name in places},
            )
        )
    return found


def whole_experiments() -> list[Experiment]:
    """Return the averages over all categories of Reuters by each method."""
    solvers = solvers_of(REUTERS)
    return [
        experiment(
            f"{REUTERS.name}, all categories by {method}",
            partial(run_whole, method),
            *(Fill(table, (row,), (method,)) for table, row in WHOLE_ROWS.items()),
            collection=REUTERS,
            recipe=solvers[solver],
        )
        for method, solver in WHOLE_METHODS.items()
    ]

"""Table 2: training time and test error of single categories, each against the rest.

A task has the 500 terms that the recipe selects on all training documents. Times are of one
thread, of learning alone: vectors, terms and their order by columns are there before. The
threshold is 0, as the paper tunes none here.

The SVM is learned by SMO on Reuters. On the 781,265 documents of RCV1 that would take too long
(``growth`` says how its time grows): there it is learned by dual coordinate descent, which
regularizes b too, and a remark says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, cast

from postil.corpus.document import Document
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import (
    CellValues,
    Experiment,
    Fill,
    Settings,
    corpus_fingerprint,
    tell,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    RCV1,
    REUTERS,
    Collection,
    documents_of,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import (
    DUAL,
    LAMBDA,
    LIBLINEAR,
    MLR_CG,
    SMO,
    SVM,
    Load,
    binary_recipe,
    by_solver,
    code_of,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Task, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.trainers import Trainer, timed, trainers_of

TABLE, STUDY = "table2", "table2-solvers"
INSTEAD = "by dual coordinate descent, which regularizes b too"

# Which table a solver is in, by which name, on each collection; the first is the paper's SVM.
PLACES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    REUTERS.name: {
        SMO: (TABLE, SVM),
        MLR_CG: (TABLE, MLR_CG),
        DUAL: (STUDY, DUAL),
        LIBLINEAR: (STUDY, LIBLINEAR),
    },
    RCV1.name: {DUAL: (TABLE, SVM), MLR_CG: (TABLE, MLR_CG)},
}
REMARKS = {(RCV1.name, DUAL): INSTEAD}


def columns(method: str) -> tuple[str, str]:
    """The columns of a method: its seconds and its error."""
    return f"{method} training", f"{method} error"


def run_binary(collection: str, settings: Settings) -> CellValues:
    """Learn every category of the settings by every solver."""
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    recipe = Recipe.from_dict(next(iter(recipes.values())))
    trainers = trainers_of(settings)
    wanted = cast("list[str]", settings["categories"])
    found: dict[tuple[str, str, str], float | Measured] = {}
    for done, task in enumerate(tasks(documents_of(settings), recipe, wanted)):
        tell("categories", done, len(wanted))
        for solver, trainer in trainers.items():
            table, method = PLACES[collection][solver]
            measured = measure(task, trainer, REMARKS.get((collection, solver), ""))
            for column, value in zip(columns(method), measured, strict=True):
                found[table, task.category, column] = value
    return found


def tasks(documents: Iterable[Document], recipe: Recipe, categories: list[str]) -> Iterable[Task]:
    """A task for each category, one at a time; one pass over the documents."""
    vectors = vectors_of(documents, recipe.representation)
    return (vectors.task(category, recipe.selection) for category in categories)


def measure(task: Task, trainer: Trainer, remark: str = "") -> tuple[Measured, Measured]:
    """Seconds of training, and errors on the test documents."""
    task.warm()
    work: Callable[[], Any] = partial(trainer, task)
    seconds, learned = timed(work)
    told = "; ".join(each for each in (remark, learned.remark) if each)
    error = task.error(learned.weights, learned.intercept)
    return Measured(seconds, remark=told), Measured(error, remark=told)


def experiments(load: Load) -> list[Experiment]:
    """One for each collection."""
    return [_experiment(collection, load) for collection in (REUTERS, RCV1)]


def _experiment(collection: Collection, load: Load) -> Experiment:
    places = PLACES[collection.name]
    recipes = by_solver(collection.read_by(binary_recipe(load)))
    return Experiment(
        name=f"{collection.name}, binary tasks",
        run=partial(run_binary, collection.name),
        fills=tuple(
            Fill(table, collection.categories, columns(method)) for table, method in places.values()
        ),
        code=code_of(__name__),
        settings={
            **collection.settings(),
            "recipes": {name: recipes[name].to_dict() for name in places if name in recipes},
            "liblinear": LAMBDA if LIBLINEAR in places else None,
        },
        data=partial(corpus_fingerprint, collection.corpus),
    )

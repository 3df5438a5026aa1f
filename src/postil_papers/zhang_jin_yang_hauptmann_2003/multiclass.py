"""Table 3: one class a page, five parts in turn tested on, their decisions put together.

The 500 terms are those with the most information about the class, one choice for all classes, as
the recipe says, on the four parts that are learned from. The SVM learns each class against the
rest, on the same terms; both decide for the class with the highest score. Micro- and macro-averaged
F1 are of the decisions on all five parts together.

**Univ-6.** The paper has 4,165 pages in six classes and refers to another for what they are. The
collection has 4,162 pages of four universities, and as many again from elsewhere. Of the four
universities' seven classes ``department`` has four pages, one for each: too few for five parts. So
Univ-6 is read as the pages of the four universities without ``department``; the study
``table3-readings`` has other readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from postil.common.types import Indices
from postil.evaluate.counts import count
from postil.evaluate.measures import f1, macro, micro
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.harness import Problem, random_order, report, stopped_early, vectors_of
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import (
    UNIV_6,
    UNIV_6_READERS,
    Collection,
)
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import (
    MMLR_CG,
    MULTICLASS,
    SMO_LEARN,
    SVM,
    svm,
)

PARTS = 5
COLUMNS = tuple(
    f"{method} {average}" for method in (MMLR_CG, SVM) for average in ("micro", "macro")
)


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


def multiclass_experiments() -> list[Experiment]:
    """Return table 3 with the reading taken, and the study with all of them."""
    recipe = UNIV_6.read_by(load_recipe(MULTICLASS))
    recipes = {MMLR_CG: recipe, SVM: svm(recipe, SMO_LEARN)}
    rows = [("table3", UNIV_6.name, UNIV_6.reader)]
    rows += [("table3-readings", reader, reader) for reader in UNIV_6_READERS]
    return [
        experiment(
            f"{table}, {row}",
            partial(run_parts, table, row),
            Fill(table, (row,), COLUMNS),
            collection=replace(UNIV_6, reader=reader),
            recipes=recipes,
        )
        for table, row, reader in rows
    ]

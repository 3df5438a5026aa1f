"""A study of section 4.3: categories thinned out, which gives more evidence about rare ones.

The test documents of the 17 categories that are rare by nature are too few to compare two forms.
Here some larger categories are made rare: all but one to three of their training documents are
removed, three of these are to be found again, and a quarter of the other training documents is
tested on, too. That is done in several cuts. No test document has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats, Indices
from postil.recipes.recipe import Recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.gao_wu_lee_chua_2003.runs import COLLECTION, learned, spaces_of
from postil_papers.gao_wu_lee_chua_2003.studies import (
    FEWEST,
    FORMS,
    MULTI_FIGURES,
    RARE,
    formed,
)
from postil_papers.harness import Problem, report
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

COLUMNS = ("made rare", "micro F1 beside those made rare")
CUTS = 20
THINNED = 15  # categories of a cut, half of those there are at most
SIZES = (10, 120)  # of these categories before
SOUGHT = 3  # documents of each to be found again


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Documents to learn from and to test on, and the categories that were made rare."""

    learned: Indices
    tested: Indices
    thinned: list[int]


def cut_of(members: sp.csc_matrix[Any], seed: int) -> Cut:
    """Make some categories rare; a document of several counts for each."""
    chance = np.random.default_rng(seed)
    sizes = np.asarray(members.sum(axis=0)).ravel()
    fitting = np.flatnonzero((sizes >= SIZES[0]) & (sizes <= SIZES[1]))
    thinned = chance.choice(fitting, min(THINNED, len(fitting) // 2), replace=False)
    kept = _drawn(members, thinned, chance, set(), lambda: int(chance.integers(1, FEWEST)))
    sought = _drawn(members, thinned, chance, kept, lambda: SOUGHT)
    touched = np.asarray(members[:, thinned].sum(axis=1)).ravel() > 0
    others = chance.permutation(np.flatnonzero(~touched))
    quarter = len(others) // 4
    return Cut(
        np.sort(np.concatenate([others[quarter:], np.array(sorted(kept), dtype=np.intp)])),
        np.sort(np.concatenate([others[:quarter], np.array(sorted(sought), dtype=np.intp)])),
        thinned.tolist(),
    )


def _drawn(
    members: sp.csc_matrix[Any],
    thinned: Indices,
    chance: np.random.Generator,
    without: set[int],
    wanted: Callable[[], int],
) -> set[int]:
    """Draw documents until every category has as many as wanted, or no more."""
    drawn: set[int] = set()
    for category in thinned.tolist():
        own = members[:, [category]].nonzero()[0].tolist()
        missing = wanted() - sum(document in drawn for document in own)
        free = [document for document in own if document not in drawn | without]
        if missing > 0 and free:
            drawn.update(chance.choice(free, min(missing, len(free)), replace=False).tolist())
    return drawn


def found_in(problem: Problem, cut: Cut, recipe: Recipe) -> tuple[float, float]:
    """Return the mean F1 of the categories made rare, and micro-averaged F1 of all."""
    tally = learned(problem, recipe).at_zero
    names, sizes = problem.labels.names, problem.labels.sizes()
    rare = [names[category] for category in cut.thinned if 0 < sizes[category] < FEWEST]
    return tally.of(rare).mean(), tally.micro()


def run_cuts(
    baseline: str, collection: Collection, recipes: Mapping[str, Recipe], cuts: int
) -> CellValues:
    """Fill all forms of a figure, on the same cuts."""
    whole = spaces_of(collection, recipes[baseline].representation).whole()
    members: sp.csc_matrix[Any] = sp.csc_matrix(whole.labels.members)
    found: dict[str, list[tuple[float, float]]] = {row: [] for row in recipes}
    for seed in range(cuts):
        cut = cut_of(members, seed)
        problem = whole.part(cut.learned, cut.tested)
        for row, recipe in recipes.items():
            report(f"cut {seed + 1}, {row}", seed, cuts)
            found[row].append(found_in(problem, cut, recipe))
    alone = np.array(found[baseline])
    return {
        (RARE, row, column): _measured(np.array(values)[:, place], alone[:, place])
        for row, values in found.items()
        for place, column in enumerate(COLUMNS)
    }


def _measured(values: Floats, alone: Floats) -> Measured:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    remark = f"standard error {error:.3f}"
    if not np.array_equal(values, alone):
        remark += f"; above binary in {int((values > alone).sum())} of {len(values)} cuts"
    return Measured(float(values.mean()), remark=remark)


def thinning_experiments() -> list[Experiment]:
    """Return an experiment for each figure of merit."""
    found = []
    for figure in MULTI_FIGURES:
        recipes = {f"{form}, {figure}": formed(form, figure) for form in FORMS}
        baseline = next(iter(recipes))
        found.append(
            experiment(
                f"categories made rare, {figure}",
                partial(run_cuts, baseline),
                Fill(RARE, tuple(recipes), COLUMNS),
                collection=COLLECTION,
                recipes=recipes,
                cuts=CUTS,
            )
        )
    return found

"""A study of section 4.3: categories made rare, so that more can be said of rare ones.

The test documents of the 17 categories that are rare by nature are too few to tell one form from
another. Here some larger categories are made rare: all but one to three of their training documents
are taken away, three of these are to be found again, and a quarter of the other training documents
is tested on, too. That is done in several cuts. No test document has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.types import Indices
from postil.learn.job import Design
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings, tell
from postil_papers.gao_wu_lee_chua_2003.asking import experiment
from postil_papers.gao_wu_lee_chua_2003.methods import MULTI, Load
from postil_papers.gao_wu_lee_chua_2003.multi import FEWEST, FIGURES, FORMS, RARE, formed, row_of
from postil_papers.gao_wu_lee_chua_2003.runs import learned
from postil_papers.gao_wu_lee_chua_2003.spaces import Space, spaces_of

MADE_RARE, OF_ALL = "made rare", "micro F1 beside those made rare"
COLUMNS = (MADE_RARE, OF_ALL)
CUTS = 20
MADE = 15  # categories of a cut, of half of those there are at most
SIZES = (10, 120)  # that they have before
SOUGHT = 3  # documents of each to be found again


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Documents to learn from and to test on, and the categories that were made rare."""

    learned: Indices
    tested: Indices
    made: list[int]


def cut_of(members: sp.csc_matrix[Any], seed: int) -> Cut:
    """Make some categories rare. A document of several counts for each."""
    random = np.random.default_rng(seed)
    sizes = np.asarray(members.sum(axis=0)).ravel()
    fitting = np.flatnonzero((sizes >= SIZES[0]) & (sizes <= SIZES[1]))
    made = random.choice(fitting, min(MADE, len(fitting) // 2), replace=False)
    kept = _drawn(members, made, random, set(), lambda: int(random.integers(1, FEWEST)))
    sought = _drawn(members, made, random, kept, lambda: SOUGHT)
    touched = np.asarray(members[:, made].sum(axis=1)).ravel() > 0
    others = random.permutation(np.flatnonzero(~touched))
    quarter = len(others) // 4
    return Cut(
        np.sort(np.concatenate([others[quarter:], _numbers(kept)])),
        np.sort(np.concatenate([others[:quarter], _numbers(sought)])),
        made.tolist(),
    )


def _drawn(
    members: sp.csc_matrix[Any],
    made: Indices,
    random: np.random.Generator,
    without: set[int],
    wanted: Callable[[], int],
) -> set[int]:
    """Documents drawn until every category has as many as wanted, or no more."""
    drawn: set[int] = set()
    for category in made.tolist():
        own = members[:, [category]].nonzero()[0].tolist()
        missing = wanted() - sum(document in drawn for document in own)
        free = [document for document in own if document not in drawn | without]
        if missing > 0 and free:
            drawn.update(random.choice(free, min(missing, len(free)), replace=False).tolist())
    return drawn


def _numbers(documents: set[int]) -> Indices:
    return np.array(sorted(documents), dtype=np.intp)


def space_of(whole: Space, cut: Cut) -> Space:
    """The documents of a cut, all of them training documents of the whole."""
    rows = sp.csr_matrix(whole.design.rows)
    return Space(
        Design(rows[cut.learned]),
        whole.labels.of_documents(cut.learned),
        rows[cut.tested],
        whole.labels.of_documents(cut.tested).members.toarray(),
    )


def found_in(space: Space, cut: Cut, recipe: Recipe) -> tuple[float, float]:
    """F1 of the categories that were made rare, the mean; and micro-averaged F1 of all."""
    facts = learned(space, recipe)
    sizes = np.asarray(space.labels.members.sum(axis=0)).ravel()
    rare = [space.labels.names[category] for category in cut.made if 0 < sizes[category] < FEWEST]
    return facts.at_zero.of(rare).mean(), facts.at_zero.micro()


def run_figure(figure: str, settings: Settings) -> CellValues:
    """All forms of a figure, on the same cuts."""
    recipes = {
        row: Recipe.from_dict(recipe)
        for row, recipe in cast("Mapping[str, dict[str, Any]]", settings["recipes"]).items()
    }
    whole = spaces_of(settings, next(iter(recipes.values())).representation).whole()
    members: sp.csc_matrix[Any] = sp.csc_matrix(whole.labels.members)
    count = cast("int", settings["cuts"])
    found: dict[str, list[tuple[float, float]]] = {row: [] for row in recipes}
    for seed in range(count):
        cut = cut_of(members, seed)
        space = space_of(whole, cut)
        for row, recipe in recipes.items():
            tell(f"cut {seed + 1}, {row}", seed, count)
            found[row].append(found_in(space, cut, recipe))
    alone = np.array(found[row_of("binary", figure)])
    return {
        (RARE, row, column): _measured(np.array(values)[:, at], alone[:, at])
        for row, values in found.items()
        for at, column in enumerate(COLUMNS)
    }


def _measured(values: NDArray[np.float64], alone: NDArray[np.float64]) -> Measured:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    remark = f"standard error {error:.3f}"
    if not np.array_equal(values, alone):
        remark += f"; above binary in {int((values > alone).sum())} of {len(values)} cuts"
    return Measured(float(values.mean()), remark=remark)


def experiments(load: Load) -> list[Experiment]:
    """One for each figure."""
    recipe = load(MULTI)
    return [
        experiment(
            f"categories made rare, {figure}",
            partial(run_figure, figure),
            (Fill(RARE, tuple(row_of(form, figure) for form in FORMS), COLUMNS),),
            __name__,
            recipes={row_of(form, figure): formed(recipe, form, figure) for form in FORMS},
            cuts=CUTS,
        )
        for figure in FIGURES
    ]

"""A study of β in the class loss (eq. 4.7), which the text describes in ways that do not agree.

Section 6.2 sets β to the mean of d at every step. A reading says

- whether β is that mean, or its negative, which centres the sigmoid on the documents;
- whether d is ``-f`` for every document, or for members alone and ``f`` for others (eq. 4.8);
- whether β is added to d (eq. 4.7) or to αd, as the text under figure 2 has it;
- whether documents are decided at 0, or where the sigmoid is ½: at β, or at β/α.

Each is measured on five folds of the training documents, which decide, and on the test documents,
beside the paper's number. The slopes take β for a constant, as the text calls it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from postil.common.types import Flags, Floats
from postil.decide.folds import make_folds
from postil.learn.merit.objective import Merit, Table
from postil.learn.merit.options import GpdOptions
from postil.learn.merit.starts import FigureSlopes
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.experiment import CellValues, Experiment, Fill, Measured, experiment
from postil_papers.gao_wu_lee_chua_2003.descents import gpd_on
from postil_papers.gao_wu_lee_chua_2003.runs import (
    AVERAGES,
    COLLECTION,
    F1,
    average_cells,
    spaces_of,
    tally_of,
)
from postil_papers.gao_wu_lee_chua_2003.tables import FEW, REDUCED, STOPS
from postil_papers.harness import Problem, report
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

TABLE = "beta"
OF_FOLDS = ("micro F1 of folds", "macro F1 of folds")
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of β: ``sign`` times the mean of d, where 0 is no β.

    With ``signed``, d of others is ``f``; with ``outside``, the loss is that of ``αd + β``. The
    sigmoid of a signed d is ½ at f = β for members and at -β for others: that is decided at 0.
    """

    sign: int = 0
    signed: bool = False
    outside: bool = False

    def rows(self) -> tuple[str, ...]:
        """Return the rows of its decisions: at 0, and where the sigmoid is ½."""
        if self.sign == 0:
            return ("β = 0",)
        parts = (
            "signed d" if self.signed else "",
            "αd + β" if self.outside else "",
            "β = mean d" if self.sign > 0 else "β = -mean d",
        )
        name = ", ".join(filter(None, parts))
        return (name,) if self.signed else (name, f"{name}, at {'αf' if self.outside else 'f'} > β")


class ReadingSlopes(FigureSlopes):
    """Slopes of a figure of merit whose sigmoid is moved as a reading says."""

    def __init__(self, merit: Merit, options: GpdOptions, reading: Reading) -> None:
        super().__init__(merit, replace(options, offset="none"))
        self.reading = reading
        self.unit = options.steepness if reading.outside else 1.0
        self.sides = merit.cases if reading.signed else np.ones_like(merit.cases)

    def middles(self, scores: Table) -> Floats:
        """Return the score of a member, by problem, where the sigmoid is ½: β, or β/α."""
        means: Floats = np.mean(scores * self.sides, axis=0, dtype=np.float64)
        return -self.reading.sign * means / self.unit

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """Write the slope of the figure by each score; return the sums by problem."""
        moved = scores - (self.sides * self.middles(scores)).astype(scores.dtype)
        return super().__call__(moved, slopes)


def decided(problem: Problem, recipe: Recipe, reading: Reading, steps: int) -> list[Flags]:
    """Learn with a reading; return the documents accepted, by each of its decisions."""
    with gpd_on(problem, recipe) as gpd:
        slopes = gpd.slopes = ReadingSlopes(gpd.merit, gpd.options, reading)
        weights = gpd.start()
        for _, weights in gpd.descent(steps):  # noqa: B007
            pass
        scores = problem.unseen @ weights.terms + weights.intercepts
        middles = slopes.middles(weights.scores(gpd.products))
    return [scores > place for place in (0.0, middles)[: len(reading.rows())]]


def run_reading(
    reading: Reading,
    collection: Collection,
    recipe: Recipe,
    dimensions: int,
    steps: int,
    folds: int,
) -> CellValues:
    """Fill the rows of a reading, by test documents and by folds of the training documents."""
    whole = spaces_of(collection, recipe.representation).of_directions(dimensions)
    labels, rows = whole.labels, reading.rows()
    truth = labels.members.toarray()
    held = [np.zeros(truth.shape, dtype=bool) for _ in rows]
    for number, (learned, unseen) in enumerate(make_folds(labels.members, folds)):
        report(f"{rows[0]}, folds", number, folds)
        accepted = decided(whole.part(learned, unseen), recipe, reading, steps)
        for place, flags in enumerate(accepted):
            held[place][unseen] = flags
    found: dict[tuple[str, str, str], Measured] = {}
    tested = decided(whole, recipe, reading, steps)
    for row, of_test, of_folds in zip(rows, tested, held, strict=True):
        tally = tally_of(labels.names, of_test, whole.truth.toarray())
        folded = tally_of(labels.names, of_folds, truth)
        values = dict(zip(OF_FOLDS, (folded.micro(), folded.macro()), strict=True))
        found |= average_cells(TABLE, row, tally, "", **values)
    return found


READINGS = (
    Reading(),
    *(
        Reading(sign, signed, outside)
        for signed in (False, True)
        for outside in (False, True)
        for sign in (1, -1)
    ),
)


def _experiments() -> Iterator[Experiment]:
    for reading in READINGS:
        rows = reading.rows()
        yield experiment(
            f"{TABLE}, {rows[0]}",
            partial(run_reading, reading),
            Fill(TABLE, rows, (*AVERAGES, *OF_FOLDS)),
            collection=COLLECTION,
            recipe=load_recipe(F1),
            dimensions=REDUCED,
            steps=STOPS[FEW],
            folds=FOLDS,
        )


EXPERIMENTS = list(_experiments())

"""Steps along a gradient of all documents: GPD, and the batch perceptron.

Both go ``W ← W + size · Σ slope(x) x`` (gao-wu-lee-chua-2003, eq. 5.3 and 5.2), and differ in the
slopes: those of a figure of merit, or 1 for each mistake. A step costs two products of the
documents with a table of all problems, and documents × problems for the slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.learn.merit.objective import Evaluation, Merit
from postil.learn.merit.options import GpdOptions, StepOptions
from postil.learn.merit.products import Products
from postil.learn.merit.weights import Weights

Floats = NDArray[np.float64]
Table = NDArray[Any]
# Scores and a table to write slopes to; gives their sums by problem.
Slopes = Callable[[Table, Table], Floats]


def steps(
    products: Products,
    start: Weights,
    slopes_at: Slopes,
    options: StepOptions,
    kept: Floats | None = None,
) -> Iterator[tuple[int, Weights]]:
    """Step by step: how many were taken, and the weights, which the next step writes over.

    ``kept`` (features × problems) is 0 where a problem may not use a feature.
    """
    terms, intercepts = start.terms.copy(), start.intercepts.copy()
    slopes = np.empty((products.documents, len(intercepts)), dtype=np.float32)
    for step in range(options.iterations):
        weights = Weights(terms, intercepts)
        sums = slopes_at(weights.scores(products), slopes)
        size = options.size(step)
        change = products.gradient(slopes)
        if kept is not None:
            change *= kept
        terms += size * change
        intercepts += size * sums
        yield step + 1, weights


class FigureSlopes:
    """Slopes of a figure of merit; remembers what was seen last."""

    def __init__(self, merit: Merit, options: GpdOptions) -> None:
        self.merit = merit
        self.steepness = np.full(merit.problems, options.steepness)
        self.follows_mean = options.offset == "mean"
        self.seen: Evaluation | None = None
        self.steepest: Floats | None = None

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """How the figure of each problem grows with each score."""
        offsets = self._offsets(scores)
        self.seen = self.merit.evaluate(scores, self.steepness, offsets, slopes)
        return self.merit.slopes(scores, self.seen, self.steepness, slopes)

    def _offsets(self, scores: Table) -> Floats:
        if not self.follows_mean:
            return np.zeros(self.merit.problems)
        # The mean of d = -f over the documents of each problem.
        counted = self.merit.members + self.merit.others
        inside = np.where(self.merit.cases != 0, self.merit.margins(scores), 0.0)
        return -np.asarray(self.merit.documents @ inside) / np.maximum(counted, 1e-300)


class MistakeSlopes:
    """1 for a member that is not accepted, -1 for another that is (eq. 5.1 and 5.2)."""

    def __init__(self, merit: Merit) -> None:
        self.merit = merit
        self.mistakes = np.zeros(merit.problems)

    def __call__(self, scores: Table, slopes: Table) -> Floats:
        """The sum over mistakes is what weights move by."""
        cases, documents = self.merit.cases, self.merit.documents
        wrong = ((cases > 0) != (scores > 0)) & (cases != 0)
        np.multiply(wrong, cases, out=slopes, casting="unsafe")
        slopes *= documents.astype(np.float32)[:, None]
        self.mistakes = np.asarray(documents @ wrong, dtype=np.float64)
        totals: Floats = slopes.sum(axis=0, dtype=np.float64)
        return totals

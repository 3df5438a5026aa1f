"""Tables of scores, the native calls on them, and the direct formulas of rivals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from postil import _native
from postil.learn.merit.figures import SmoothCounts

KINDS = pytest.mark.parametrize("kind", [np.float32, np.float64])
SHARPNESSES = pytest.mark.parametrize("sharpness", [1e-6, 0.3, 1.0, 20.0, 1e6])
TOLERANCE = {np.float32: 2e-6, np.float64: 1e-12}
Table = NDArray[np.floating]
Floats = NDArray[np.float64]


class Sample:
    """Scores of documents for problems, with members, others and entries that have no part."""

    def __init__(self, kind, documents=300, problems=7, seed=0, size=2.0):
        rng = np.random.default_rng(seed)
        self.scores = (size * rng.normal(size=(documents, problems))).astype(kind)
        self.cases = rng.integers(-1, 2, (documents, problems)).astype(np.int8)
        self.weights = rng.choice([0.0, 0.5, 1.0, 3.0], documents)
        self.steepness = rng.uniform(0.2, 3.0, problems)
        self.offsets = rng.normal(size=problems)
        self.by_member = rng.uniform(0.0, 2.0, problems)
        self.by_other = -rng.uniform(0.0, 2.0, problems)

    def accept(self, scores, threads=1):
        acceptances = np.full_like(scores, 7.0)
        counts = _native.accept(
            scores, self.cases, self.weights, self.steepness, self.offsets, acceptances, threads
        )
        return counts, acceptances

    def slopes(self, acceptances, by_member, by_other, threads=1):
        slopes = acceptances.copy()
        sums = _native.slopes_of(
            slopes, self.cases, self.weights, self.steepness, by_member, by_other, threads
        )
        return sums, slopes

    def counted(self, scores) -> SmoothCounts:
        (hits, alarms, _, _), _ = self.accept(scores)
        return SmoothCounts(hits, alarms, self.total(self.cases > 0), self.total(self.cases < 0))

    def total(self, chosen) -> Floats:
        return np.asarray(self.weights @ chosen)


def margins_of(scores: Table, sharpness: float, threads: int = 1) -> Table:
    margins = np.full_like(scores, 7.0)
    _native.margins_over_rivals(scores, sharpness, margins, threads)
    return margins


def slopes_through(scores: Table, sharpness: float, slopes: Table, threads: int = 1) -> Table:
    through = slopes.copy()
    _native.slopes_through_rivals(scores, sharpness, through, threads)
    return through


def direct_margins(scores: Table, sharpness: float) -> Floats:
    scores = scores.astype(np.longdouble)
    margins = np.empty(scores.shape)
    for j in range(scores.shape[1]):
        rivals = np.delete(scores, j, axis=1)
        highest = rivals.max(axis=1, keepdims=True)
        mean = np.exp(sharpness * (rivals - highest)).mean(axis=1)
        margins[:, j] = scores[:, j] - highest[:, 0] - np.log(mean) / sharpness
    return margins


def direct_slopes(scores: Table, sharpness: float, slopes: Table) -> Floats:
    """``g_k - Σ_j g_j share_jk``, each category with shares of its own."""
    through = slopes.astype(float)
    for j in range(scores.shape[1]):
        powers = sharpness * scores.astype(float)
        powers[:, j] = -np.inf
        shares = np.exp(powers - powers.max(axis=1, keepdims=True))
        through -= slopes[:, [j]] * shares / shares.sum(axis=1, keepdims=True)
    return through

"""The memory of L-BFGS, for many problems side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Dots = Callable[[NDArray[Any], NDArray[Any]], Floats]

# A pair of less curvature than this share of its lengths says nothing of the way down.
LEAST_CURVATURE = 1e-8


def dots_alone(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """Products of the columns of two tables, each for itself."""
    products: Floats = np.einsum("fp,fp->p", left, right, dtype=np.float64)
    return products


def dots_together(left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """The product of two tables as one long vector, once for each column."""
    return np.full(left.shape[1], dots_alone(left, right).sum())


class Memory:
    """Steps and changes of gradients, the last few of each problem (a column of every table).

    A problem whose pair has no curvature to speak of, which happens where what is climbed is not
    concave, has 0 in its place, so that it is passed over. Memory: 8 bytes × pairs × features ×
    problems; a direction costs four passes over it.
    """

    def __init__(self, pairs: int, dots: Dots) -> None:
        self._dots = dots
        self._kept: deque[tuple[Singles, Singles, Floats]] = deque(maxlen=pairs)
        self._scale: Floats | None = None

    @property
    def knows_curvature(self) -> bool:
        """Whether directions have a length that means something."""
        return self._scale is not None

    def keep(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and how the gradient changed with it."""
        curvature = self._dots(steps, changes)
        lengths = self._dots(changes, changes)
        used = curvature > LEAST_CURVATURE * np.sqrt(self._dots(steps, steps) * lengths)
        rates = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=used)
        self._kept.append((steps.astype(np.float32), changes.astype(np.float32), rates))
        before = np.ones_like(curvature) if self._scale is None else self._scale
        self._scale = np.divide(curvature, lengths, out=before.copy(), where=used)

    def direction(self, gradient: Floats) -> Floats:
        """The way down: the gradient turned by what is remembered of the curvature."""
        way = -gradient
        taken = []
        for steps, changes, rates in reversed(self._kept):
            shares = rates * self._dots(steps, way)
            way -= changes * shares
            taken.append(shares)
        if self._scale is not None:
            way *= self._scale
        for (steps, changes, rates), shares in zip(self._kept, reversed(taken), strict=True):
            way += steps * (shares - rates * self._dots(changes, way))
        return way

    def of(self, problems: NDArray[Any]) -> Memory:
        """The same for some of the problems."""
        kept = Memory(self._kept.maxlen or 0, self._dots)
        for steps, changes, rates in self._kept:
            kept._kept.append((steps[:, problems], changes[:, problems], rates[problems]))
        kept._scale = None if self._scale is None else self._scale[problems]
        return kept

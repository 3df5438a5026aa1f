"""How a search chooses: the best value, or the first that is nearly as good."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def choose(worth: Floats, standard_errors: Floats | None = None) -> int:
    """The place of the highest worth, of equal ones the first; undefined ones are the worst.

    With standard errors it is the first place within one standard error of the highest.
    """
    known = np.where(np.isnan(worth), -np.inf, worth)
    best = int(np.argmax(known))
    if standard_errors is None or not np.isfinite(standard_errors[best]):
        return best
    return int(np.argmax(known >= known[best] - standard_errors[best]))


def jackknife(tallies: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """The standard error of a value of summed tallies, folds on the first axis.

    With θ₍ᵢ₎ the value without fold i, √((k-1)/k Σ (θ₍ᵢ₎ - mean θ)²): for a mean over folds of one
    size it is their standard deviation over √k. Undefined where one of them is.
    """
    folds = len(tallies)
    # Summed anew, not taken away from the sum: 0 has to come out as 0.
    without = value(np.stack([np.delete(tallies, i, axis=0).sum(axis=0) for i in range(folds)]))
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    result: Floats = np.sqrt((folds - 1) / folds * spread)
    return result

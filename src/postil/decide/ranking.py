"""The best few of each row, as flags."""

from __future__ import annotations

import numpy as np

from postil.decide.inputs import Flags, Floats


def best_of_rows(values: Floats, places: int) -> Flags:
    """Flag the ``places`` largest values of each row; of equal ones those in the lower columns.

    Linear in the values. Infinite values are allowed, NaN is not.
    """
    width = values.shape[1]
    if places <= 0 or places >= width:
        return np.full(values.shape, places > 0, dtype=np.bool_)
    spare = width - places
    last = np.partition(values, spare, axis=1)[:, spare, np.newaxis]
    sure = values > last
    tied = values == last
    left = places - sure.sum(axis=1, keepdims=True)
    chosen: Flags = sure | (tied & (np.cumsum(tied, axis=1) <= left))
    return chosen

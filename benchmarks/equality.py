"""Whether two matrices say the same, whatever the order of their columns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.registry import UnequalError

TOLERANCE = 1e-6


Named = tuple[Any, Iterable[str]]
"""A matrix and the names of its columns."""


def check_equal(ours: Named, theirs: Named) -> float:
    """Return the largest difference of two matrices, at most ``TOLERANCE``."""
    (our_matrix, our_names), (their_matrix, their_names) = ours, theirs
    their_names = list(their_names)
    column_of = {name: column for column, name in enumerate(our_names)}
    if column_of.keys() != set(their_names):
        only_ours = _some(column_of.keys() - set(their_names))
        only_theirs = _some(set(their_names) - column_of.keys())
        raise UnequalError(f"terms differ: only ours {only_ours}, only theirs {only_theirs}")
    if our_matrix.shape != their_matrix.shape:
        raise UnequalError(f"shapes differ: {our_matrix.shape} and {their_matrix.shape}")
    reordered = our_matrix[:, np.asarray([column_of[name] for name in their_names])]
    difference = float(abs(reordered - their_matrix).max())
    if not difference <= TOLERANCE:
        raise UnequalError(f"weights differ by {difference:.2g}, more than {TOLERANCE:g}")
    return difference


def _some(terms: Iterable[str]) -> str:
    return ", ".join(map(repr, islice(sorted(terms), 5))) or "none"

"""Whole numbers in as few bytes as they need, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError
from postil.vectors.matrices import index_type

Integers = NDArray[np.integer[Any]]

WIDTHS = (np.uint8, np.uint16, np.uint32, np.uint64)


def smallest_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest unsigned type that holds 0 to ``largest``."""
    return next(width for width in WIDTHS if largest <= np.iinfo(width).max)


def narrowed(values: Integers) -> NDArray[np.unsignedinteger[Any]]:
    """The same numbers, none below 0, in the narrowest type that holds all."""
    largest = int(values.max()) if len(values) else 0
    return values.astype(smallest_type(largest), copy=False)


def as_indices(values: Integers, entries: int) -> NDArray[np.signedinteger[Any]]:
    """The numbers as SciPy wants indices of a matrix with so many entries.

    32-bit numbers are looked at through another type, narrower ones are copied.
    """
    index = index_type(entries)
    if values.dtype == np.uint32 and index is np.int32:
        return values.view(np.int32)
    return values.astype(index, copy=False)


def check_below(values: Integers, limit: int, name: str) -> None:
    """Refuse numbers of ``limit`` and more."""
    if len(values) and int(values.max()) >= limit:
        raise InputError(f"{name!r} holds {int(values.max())}, and {limit} is beyond its end")


def check_starts(values: Integers, entries: int, name: str) -> None:
    """Refuse numbers that do not rise, or stay, from 0 to the number of entries."""
    # Compared, not subtracted: differences of unsigned numbers wrap around.
    rising = bool((values[1:] >= values[:-1]).all())
    if not rising or int(values[0]) != 0 or int(values[-1]) != entries:
        raise InputError(f"{name!r} does not rise from 0 to {entries}")

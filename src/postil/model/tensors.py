"""The arrays of a model file by name, each looked at before it is believed.

Whole numbers in as few bytes as they need, and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError
from postil.vectors.matrices import index_type

Arrays = dict[str, NDArray[Any]]

_KINDS: Mapping[str, str] = {"u": "whole numbers of 0 and more", "f4": "float32", "f8": "float64"}


class Parts(NamedTuple):
    """A part of a model as a file holds it: settings that JSON can hold, and arrays by name."""

    settings: dict[str, Any]
    arrays: Arrays


def prefixed(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays under names that begin with ``prefix``, the way :meth:`Tensors.group` reads."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


class Tensors:
    """Arrays to be taken, each by the part of the model it belongs to.

    What nobody has taken in the end belongs to nothing this postil knows, and is refused.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._left = dict(arrays)

    def take(self, name: str, kind: str, *shape: int | None) -> NDArray[Any]:
        """Take an array of this kind ("u", "f4", "f8") and shape; None is any length."""
        array = self._left.pop(name, None)
        if array is None:
            raise InputError(f"the tensor {name!r} is missing")
        if kind not in (array.dtype.kind, array.dtype.str[1:]):
            raise InputError(f"{name!r} should be of {_KINDS[kind]}, is of {array.dtype}")
        fits = len(shape) == array.ndim and all(
            wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = " × ".join("any" if size is None else str(size) for size in shape)
            got = " × ".join(map(str, array.shape))
            raise InputError(f"{name!r} should have {wanted} entries, has {got}")
        return array

    def has(self, name: str) -> bool:
        """Whether an array of this name is left."""
        return name in self._left

    def has_group(self, prefix: str) -> bool:
        """Whether arrays are left whose names begin with ``prefix`` and a dot."""
        return any(name.startswith(f"{prefix}.") for name in self._left)

    def group(self, prefix: str) -> Arrays:
        """Take all arrays whose names begin with ``prefix`` and a dot, by the rest of them."""
        head = f"{prefix}."
        names = [name for name in self._left if name.startswith(head)]
        return {name.removeprefix(head): self._left.pop(name) for name in names}

    def finish(self) -> None:
        """Refuse what is left."""
        if self._left:
            raise InputError(f"the tensor {min(self._left)!r} belongs to nothing that is known")


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

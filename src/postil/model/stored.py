"""Settings and arrays as a model file stores them, each checked before it is used."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.model.container import Arrays
from postil.vectors.matrices import index_type

Kinds = type | tuple[type, ...]
Integers = NDArray[np.integer[Any]]

NONE = type(None)
LARGEST_COUNT = 2**63 - 1
DEEPEST = 64
WIDTHS = (np.uint8, np.uint16, np.uint32, np.uint64)

_DATES = (datetime.date, datetime.time)
_KIND_NAMES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a mapping",
    NONE: "null",
}
_ARRAY_KINDS = {"u": "whole numbers of 0 and more", "f4": "float32", "f8": "float64"}


class Parts(NamedTuple):
    """A part of a model as a file holds it: settings that JSON can hold, and arrays by name."""

    settings: dict[str, Any]
    arrays: Arrays


class Tensors:
    """The arrays of a file, to be taken by the part of the model that each belongs to."""

    def __init__(self, arrays: Arrays) -> None:
        self._left = dict(arrays)

    def take(self, name: str, kind: str, *shape: int | None) -> NDArray[Any]:
        """Take an array of this kind ("u", "f4", "f8") and shape; None is any length."""
        array = self._left.pop(name, None)
        if array is None:
            raise InputError(f"the tensor {name!r} is missing")
        if kind not in (array.dtype.kind, array.dtype.str[1:]):
            raise InputError(f"{name!r} should be of {_ARRAY_KINDS[kind]}, is of {array.dtype}")
        fits = len(shape) == array.ndim and all(
            wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = " × ".join("any" if size is None else str(size) for size in shape)
            got = " × ".join(map(str, array.shape))
            raise InputError(f"{name!r} should have {wanted} entries, has {got}")
        return array

    def group(self, prefix: str) -> Arrays:
        """Take all arrays whose names begin with ``prefix`` and a dot, by the rest of the name."""
        head = f"{prefix}."
        names = [name for name in self._left if name.startswith(head)]
        return {name.removeprefix(head): self._left.pop(name) for name in names}

    def check_all_taken(self) -> None:
        """Raise InputError if an array is left, which belongs to no known part."""
        if self._left:
            raise InputError(f"the tensor {min(self._left)!r} belongs to no part of a model")


def prefixed(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays under names that begin with ``prefix``, for :meth:`Tensors.group`."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def checked(settings: object, schema: Mapping[str, Kinds], place: str) -> dict[str, Any]:
    """Return settings that have exactly the schema's keys, each of a kind it allows.

    Unknown keys are refused, too: a setting that is ignored could change the meaning of a model.
    """
    if not isinstance(settings, dict):
        raise InputError(f"{place} should be a mapping, is {_kind_name(settings)}")
    unknown, absent = sorted(settings.keys() - schema), sorted(schema.keys() - settings)
    if unknown or absent:
        what = f"has no {absent[0]!r}" if absent else f"has {unknown[0]!r}, which is unknown"
        raise InputError(f"{place} {what}")
    for name, kinds in schema.items():
        check_kind(settings[name], kinds, f"{place}.{name}")
    return settings


def check_kind(value: object, kinds: Kinds, place: str) -> None:
    """Raise InputError for a value of another kind; True is no number, counts are 0 or more."""
    allowed = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(value) not in allowed:
        names = " or ".join(_KIND_NAMES[kind] for kind in allowed)
        raise InputError(f"{place} should be {names}, is {_kind_name(value)}")
    if type(value) is int and not 0 <= value <= LARGEST_COUNT:
        raise InputError(f"{place} should be from 0 to 2^63 - 1")


def texts(value: object, place: str) -> tuple[str, ...]:
    """Return a list of texts as a tuple."""
    check_kind(value, list, place)
    assert isinstance(value, list)
    for at, text in enumerate(value):
        check_kind(text, str, f"{place}[{at}]")
    return tuple(value)


def _kind_name(value: object) -> str:
    return _KIND_NAMES.get(type(value), type(value).__name__)


def smallest_type(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds 0 to ``largest``."""
    return next(width for width in WIDTHS if largest <= np.iinfo(width).max)


def narrowed(values: Integers) -> NDArray[np.unsignedinteger[Any]]:
    """Return the same numbers, none below 0, in the narrowest type that holds all."""
    largest = int(values.max()) if len(values) else 0
    return values.astype(smallest_type(largest), copy=False)


def as_indices(values: Integers, entries: int) -> NDArray[np.signedinteger[Any]]:
    """Return the numbers in the type of indices of a matrix with this many entries.

    32-bit numbers are viewed through another type, narrower ones are copied.
    """
    index = index_type(entries)
    if values.dtype == np.uint32 and index is np.int32:
        return values.view(np.int32)
    return values.astype(index, copy=False)


def check_rows(starts: Integers, values: Integers, limit: int, names: tuple[str, str]) -> None:
    """Raise InputError unless rows of indices begin at ``starts``, rise and stay below a limit.

    ``names`` are those of the two arrays in the file.
    """
    check_starts(starts, len(values), names[0])
    check_below(values, limit, names[1])
    rising = values[1:] > values[:-1]
    # From one row to the next an index may fall; empty rows at the ends have no step there.
    borders = starts[(starts > 0) & (starts < len(values))]
    rising[borders.astype(np.int64) - 1] = True
    if not rising.all():
        raise InputError(f"{names[1]!r} does not rise within every row")


def check_below(values: Integers, limit: int, name: str) -> None:
    """Raise InputError if a number is ``limit`` or more."""
    if len(values) and int(values.max()) >= limit:
        raise InputError(f"{name!r} holds {int(values.max())}, and {limit} is beyond its end")


def check_starts(values: Integers, entries: int, name: str) -> None:
    """Raise InputError unless the numbers rise, or stay, from 0 to the number of entries."""
    # Compared, not subtracted: differences of unsigned numbers wrap around.
    rising = bool((values[1:] >= values[:-1]).all())
    if not rising or int(values[0]) != 0 or int(values[-1]) != entries:
        raise InputError(f"{name!r} does not rise from 0 to {entries}")


def plain(value: object, place: str, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Rebuild a value of dicts, lists, texts and numbers, as JSON can hold it.

    Tuples become lists, NumPy's numbers Python's, dates their ISO text, and numbers that are not
    finite None. Anything else raises UsageError, which names the ``place``.
    """
    if depth > DEEPEST:
        raise UsageError(f"{place}: is nested more than {DEEPEST} deep; nest it less")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, _DATES):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {
            _key(key, place): plain(item, f"{place}[{key!r}]", depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item, f"{place}[{at}]", depth + 1) for at, item in enumerate(value)]
    raise UsageError(
        f"{place}: a model file cannot keep {type(value).__name__}; give texts, numbers, "
        "true, false, None, lists and mappings of them"
    )


def plain_mapping(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Rebuild a mapping as :func:`plain` does."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{place}: must be a mapping of names to values, got {value!r}")
    rebuilt: dict[str, Any] = plain(value, place)
    return rebuilt


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{place}: the key {key!r} must be a text")
    return key

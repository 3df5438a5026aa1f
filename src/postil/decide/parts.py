"""Arrays that come back from a file are looked at before they are believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError


def stored(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    dtype: type[np.generic],
    length: int | None = None,
) -> NDArray[Any]:
    """Take the one-dimensional array ``name``, of this type and, if said, this length."""
    array = arrays.get(name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        got = "nothing" if array is None else f"{array.ndim} dimensions of {array.dtype}"
        raise InputError(
            f"stored decisions are damaged: {name!r} should be a row of {dtype.__name__}, got {got}"
        )
    if length is not None and len(array) != length:
        raise InputError(
            f"stored decisions are damaged: {name!r} should have {length} entries, has {len(array)}"
        )
    return array

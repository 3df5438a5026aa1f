"""One text for one value: JSON that does not depend on the order of keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import isfinite
from typing import TypeAlias

from postil.errors import UsageError

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def canonical_json(value: Json) -> str:
    """Write a value as JSON in ASCII: keys sorted, no spaces, numbers by their shortest text.

    Equal values give equal texts, different ones different texts: a tuple counts as a list, and
    1, 1.0 and true are three things. What JSON cannot hold is refused, with its place: NaN and
    infinities, keys that are not texts, other types. Costs the size of the value, sorting keys.
    """
    return json.dumps(
        _checked(value, "value"),
        ensure_ascii=True,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def digest(value: Json) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def _checked(value: object, place: str) -> object:
    """Rebuild the value of plain dicts and lists; json would turn a key 1 into "1" silently."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise UsageError(f"{place}: {value} cannot be kept as JSON; give a finite number")
        return value
    if isinstance(value, Mapping):
        return {
            _key(key, place): _checked(item, f"{place}[{key!r}]") for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_checked(item, f"{place}[{index}]") for index, item in enumerate(value)]
    raise UsageError(
        f"{place}: {type(value).__name__} cannot be kept as JSON; give texts, numbers, true, "
        "false, null, lists and mappings"
    )


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{place}: the key {key!r} is not a text; write it as one")
    return key

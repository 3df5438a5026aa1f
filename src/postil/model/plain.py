"""Values that JSON can hold, and one text for each of them."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from postil.errors import InputError, UsageError

DEEPEST = 64
_DATES = (datetime.date, datetime.time)


def plain(value: object, place: str, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Rebuild a value of dicts, lists, texts and numbers; ``place`` names it in an error.

    Tuples become lists, NumPy's numbers Python's, dates their ISO text. A number that is not
    finite becomes None, as undefined measures do everywhere. Anything else is refused.
    """
    if depth > DEEPEST:
        raise UsageError(f"{place}: is nested more than {DEEPEST} deep; keep it flatter")
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
        f"{place}: {type(value).__name__} cannot be kept in a model file; give texts, numbers, "
        "true, false, None, lists and mappings of them"
    )


def plain_mapping(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Rebuild a mapping as :func:`plain` does."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{place}: must be a mapping of names to values, not {value!r}")
    rebuilt: dict[str, Any] = plain(value, place)
    return rebuilt


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{place}: the key {key!r} is not a text; write it as one")
    return key


def to_text(value: object) -> str:
    """Write a plain value: ASCII, keys sorted, no spaces. Equal values give equal texts."""
    return json.dumps(
        value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def from_text(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON from a stranger: a key that stands twice, NaN and deep nesting are refused."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except RecursionError:
        raise InputError("its JSON is nested too deep") from None
    except json.JSONDecodeError as error:
        raise InputError(f"its JSON cannot be read: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise InputError("its JSON has a key twice")
    return unique


def _refuse_constant(name: str) -> NoReturn:
    raise InputError(f"its JSON holds {name}, which is no number")

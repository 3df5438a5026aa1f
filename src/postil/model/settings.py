"""The settings of a manifest, looked at before they are believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil.errors import InputError

Kinds = type | tuple[type, ...]
NONE = type(None)
LARGEST_COUNT = 2**63 - 1

_WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a mapping",
    NONE: "null",
}


def checked(settings: object, schema: Mapping[str, Kinds], place: str) -> dict[str, Any]:
    """Take a mapping that has exactly the schema's keys, each of a kind it allows.

    Strict on purpose: whatever a file means must be known here, or its version is another.
    """
    if not isinstance(settings, dict):
        raise InputError(f"{place} should be a mapping, is {_word_of(settings)}")
    unknown, absent = sorted(settings.keys() - schema), sorted(schema.keys() - settings)
    if unknown or absent:
        what = f"has no {absent[0]!r}" if absent else f"has {unknown[0]!r}, which is unknown"
        raise InputError(f"{place} {what}")
    for name, kinds in schema.items():
        check_kind(settings[name], kinds, f"{place}.{name}")
    return settings


def check_kind(value: object, kinds: Kinds, place: str) -> None:
    """Refuse a value of another kind; True is no number here, and counts are 0 or more."""
    allowed = kinds if isinstance(kinds, tuple) else (kinds,)
    if type(value) not in allowed:
        words = " or ".join(_WORDS[kind] for kind in allowed)
        raise InputError(f"{place} should be {words}, is {_word_of(value)}")
    if type(value) is int and not 0 <= value <= LARGEST_COUNT:
        raise InputError(f"{place} should be from 0 to 2^63 - 1")


def texts(value: object, place: str) -> tuple[str, ...]:
    """Take a list of texts."""
    check_kind(value, list, place)
    assert isinstance(value, list)
    for at, text in enumerate(value):
        check_kind(text, str, f"{place}[{at}]")
    return tuple(value)


def _word_of(value: object) -> str:
    return _WORDS.get(type(value), type(value).__name__)

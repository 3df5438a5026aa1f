"""What a value may be, in words and as a test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple


class Rule(NamedTuple):
    """A test of a value, and what it should have been: "a whole number of at least 1"."""

    words: Callable[[object], str]
    holds: Callable[[object], bool]


def whole(least: int, most: int) -> Rule:
    """A whole number between two others."""

    def holds(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    def words(value: object) -> str:
        too_large = isinstance(value, int) and value > most
        return f"at most {most}" if too_large else f"a whole number of at least {least}"

    return Rule(words, holds)


def number(words: str, test: Callable[[float], bool], *, finite: bool = True) -> Rule:
    """A number that passes a test; infinity only where that means something."""

    def holds(value: object) -> bool:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or math.isnan(value):
            return False
        return (math.isfinite(value) or not finite) and test(value)

    return Rule(_always(words), holds)


def one_of(*names: str) -> Rule:
    """One of some words."""
    return Rule(_always(" or ".join(map(repr, names))), lambda value: value in names)


def _always(words: str) -> Callable[[object], str]:
    def say(value: object) -> str:  # noqa: ARG001 - the same words for every value
        return words

    return say

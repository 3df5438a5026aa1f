"""What parts of a method can be told: options with rules, and how the native core gets them.

What a value may be, in words and as a test.

What losses, priors and solvers have in common: a name, a title, and what they provide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeVar

from postil import _native
from postil.common.suggest import advice
from postil.errors import UsageError


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


@dataclass(frozen=True, slots=True)
class PartOptions:
    """Options of a loss, a prior or a solver; by itself, none."""

    def __post_init__(self) -> None:
        for name, rule in self.rules().items():
            value = getattr(self, name)
            if not rule.holds(value):
                raise UsageError(f"{name} is {rule.words(value)}, not {value!r}")

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {}

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this part."""


Options = TypeVar("Options", bound=PartOptions)


def made_options(part: str, kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Options from names and values, as a recipe holds them; ``part`` is whose they are."""
    known = {f.name for f in fields(kind)}
    unknown = sorted(set(given) - known)
    if unknown:
        has = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise UsageError(f"the {part} has no option {unknown[0]!r}: {has}")
    return kind(**given)


@dataclass(frozen=True, slots=True)
class Part:
    """A named part with the abilities others may need of it."""

    name: str
    title: str
    provides: frozenset[str]


P = TypeVar("P", bound=Part)


def registry(*parts: P) -> dict[str, P]:
    """Parts by name."""
    return {part.name: part for part in parts}


def find(kind: str, parts: Mapping[str, P], name: str) -> P:
    """The part of that name, or an error that says which there are."""
    if name in parts:
        return parts[name]
    raise UsageError(f"there is no {kind} {name!r}{advice(name, sorted(parts))}")

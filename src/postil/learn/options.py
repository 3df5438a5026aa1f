"""Parts of a method: losses, priors and solvers have a name, abilities, and options with rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

from postil import _native
from postil.common.suggest import advice
from postil.errors import UsageError


class Rule(NamedTuple):
    """A test of a value, and its words for a message: "a whole number of at least 1"."""

    words: Callable[[object], str]
    holds: Callable[[object], bool]


def whole(least: int, most: int) -> Rule:
    """Return the rule of a whole number between two others."""

    def holds(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    def words(value: object) -> str:
        too_large = isinstance(value, int) and value > most
        return f"at most {most}" if too_large else f"a whole number of at least {least}"

    return Rule(words, holds)


def number(words: str, test: Callable[[float], bool], *, finite: bool = True) -> Rule:
    """Return the rule of a number that passes a test, and is finite unless it may be infinite."""

    def holds(value: object) -> bool:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or math.isnan(value):
            return False
        return (math.isfinite(value) or not finite) and test(value)

    return Rule(lambda _: words, holds)


def between(least: float, most: float) -> Rule:
    """Return the rule of a number from one to another."""
    words = f"from {_short(least)} to {_short(most)}"
    return number(words, lambda value: least <= value <= most)


def _short(value: float) -> str:
    """Return a number as people write it: 1e-4 and 1e6 rather than 0.0001 and 1e+06."""
    if value == 0 or 1e-3 <= value < 1e5:
        return f"{value:g}"
    digits, exponent = f"{value:.0e}".split("e")
    return f"{digits}e{int(exponent)}"


def one_of(*names: str) -> Rule:
    """Return the rule of one of some names."""
    words = " or ".join(map(repr, names))
    return Rule(lambda _: words, lambda value: value in names)


def option(default: Any, rule: Rule) -> Any:  # noqa: ANN401 - a field of any type
    """Return a field of options with a default and a rule."""
    return field(default=default, metadata={"rule": rule})


Native = TypeVar("Native")


def filled(options: Native, **values: Any) -> Native:  # noqa: ANN401 - as the native core has them
    """Set the attributes of native options, and return them."""
    for name, value in values.items():
        setattr(options, name, value)
    return options


@dataclass(frozen=True, slots=True)
class PartOptions:
    """Options of a loss, a prior or a solver; the base class has none."""

    def __post_init__(self) -> None:
        for name, rule in self.rules().items():
            value = getattr(self, name)
            if not rule.holds(value):
                raise UsageError(f"{name} must be {rule.words(value)}, not {value!r}")

    @classmethod
    def rules(cls) -> dict[str, Rule]:
        """Return the rules of the options that have one; the others are true or false."""
        return {each.name: each.metadata["rule"] for each in fields(cls) if each.metadata}

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this part."""


Options = TypeVar("Options", bound=PartOptions)


def made_options(part: str, kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Return options from names and values, as a recipe holds them; ``part`` names their owner."""
    known = {f.name for f in fields(kind)}
    unknown = sorted(set(given) - known)
    if unknown:
        has = f"it has {', '.join(sorted(known))}" if known else "it has none"
        raise UsageError(f"the {part} has no option {unknown[0]!r}: {has}")
    return kind(**given)


@dataclass(frozen=True, slots=True)
class Part:
    """A named part, and the abilities that others may need of it."""

    name: str
    title: str
    provides: frozenset[str]


P = TypeVar("P", bound=Part)


def registry(*parts: P) -> dict[str, P]:
    """Return parts by name."""
    return {part.name: part for part in parts}


def find(kind: str, parts: Mapping[str, P], name: str) -> P:
    """Return the part of that name; raise UsageError with a suggestion if there is none."""
    if name in parts:
        return parts[name]
    raise UsageError(f"there is no {kind} {name!r}{advice(name, sorted(parts))}")

"""What parts of a method can be told: options with rules, and how the native core gets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from postil import _native
from postil.errors import UsageError
from postil.learn.option_rules import Rule


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

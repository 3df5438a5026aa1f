"""What losses, priors and solvers have in common: a name, a title, and what they provide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from postil.errors import UsageError
from postil.text.suggest import advice


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

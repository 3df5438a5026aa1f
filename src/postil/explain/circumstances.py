"""What a decision rests on beside a sum over terms: how each is told, and kept as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

from postil.escaping import visible
from postil.explain.figures import Figures, counted

SHOWN_RIVALS = 5
LEAST_SHARE = 0.01  # of a bar, for a rival to be named


class Circumstance(Protocol):
    """One of them."""

    key: ClassVar[str]
    title: ClassVar[str]

    def lines(self) -> list[str]:
        """What is said of it, a sentence a line."""

    def facts(self) -> dict[str, Any]:
        """The same as JSON can hold it."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """A document's vector, scaled by ``factor`` so that its point in LSI has the ``length``."""

    directions: int
    length: float
    factor: float
    key: ClassVar[str] = "scaling"
    title: ClassVar[str] = "The directions"

    def lines(self) -> list[str]:
        """Why values are not those of the vector alone."""
        where = f"in {counted(self.directions, 'direction')} of LSI"
        if self.factor == 0:
            return [f"The document is nowhere {where}: its terms add nothing."]
        return [
            f"Values are those of the vector times {self.factor:.4g}, which scales the document's "
            f"point {where} to the length {self.length:g}."
        ]

    def facts(self) -> dict[str, Any]:
        """The three numbers."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RivalScore:
    """Another category, its own score, and the part it has in the bar."""

    category: str
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar that the other categories set for one (gao-wu-lee-chua-2003, eq. 4.13).

    ``rivals`` are those that set it most, of ``others`` in all. A ``capped`` bar is held below 0.
    """

    category: str
    score: float
    height: float
    sharpness: float
    capped: bool
    rivals: tuple[RivalScore, ...]
    others: int
    key: ClassVar[str] = "bars"
    title: ClassVar[str] = "The bar that its rivals set"

    def lines(self) -> list[str]:
        """The bar, and who sets it."""
        write = Figures([self.score, self.height, *(each.score for each in self.rivals)]).plain
        listed = [
            f"{visible(each.category)} ({write(each.score)}, {each.share:.0%} of it)"
            for each in self.rivals
        ]
        more = self.others - len(listed)
        capped = ", held below 0" if self.capped else ""
        return [
            f"{visible(self.category)} scores {write(self.score)} for itself, and its bar is at "
            f"{write(self.height)} (sharpness {self.sharpness:g}{capped}); it is set by "
            f"{', '.join([*listed, f'… and {more} more'] if more > 0 else listed)}."
        ]

    def facts(self) -> dict[str, Any]:
        """The bar and the rivals listed."""
        return asdict(self) | {"rivals": [asdict(each) for each in self.rivals]}


@dataclass(frozen=True, slots=True)
class NodeScore:
    """A node on the way: its name, its score, and whether that is a yes."""

    node: str
    score: float
    accepted: bool


@dataclass(frozen=True, slots=True)
class Path:
    """The way of a document through the tree of a category; the last node decides."""

    category: str
    steps: tuple[NodeScore, ...]
    key: ClassVar[str] = "paths"
    title: ClassVar[str] = "The way through its tree"

    def lines(self) -> list[str]:
        """A line for each node."""
        write = Figures([step.score for step in self.steps]).signed
        *passed, last = (
            f"{visible(self.category)}: {visible(step.node)} {write(step.score)}: "
            f"{'yes' if step.accepted else 'no'}"
            for step in self.steps
        )
        return [*passed, f"{last}, and here it ends: the terms are those of this node"]

    def facts(self) -> dict[str, Any]:
        """The nodes in their order."""
        return {"category": self.category, "nodes": [asdict(step) for step in self.steps]}


def facts_of(circumstances: tuple[Circumstance, ...]) -> dict[str, list[dict[str, Any]]]:
    """All of them by key."""
    told: dict[str, list[dict[str, Any]]] = {}
    for each in circumstances:
        told.setdefault(each.key, []).append(each.facts())
    return told


def blocks_of(circumstances: tuple[Circumstance, ...]) -> dict[str, list[str]]:
    """What is said of all of them, by title."""
    told: dict[str, list[str]] = {}
    for each in circumstances:
        told.setdefault(each.title, []).extend(each.lines())
    return told

"""One category's linear rule: what an explanation explains.

Numbers as a reader sees them.

What a decision rests on beside a sum over terms: how each is told, and kept as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from postil.common.escaping import visible
from postil.common.types import Floats
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.explain.judging import Judge


DIGITS = 4
MOST_DECIMALS = 9
DECIMALS_OF_A_NEAR_MISS = 20


class Figures:
    """Writes numbers of one kind with the same number of decimals, so that they line up.

    The largest has four digits that count.
    """

    def __init__(self, numbers: Iterable[float]) -> None:
        largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
        before = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
        self.decimals = min(max(DIGITS - before, 0), MOST_DECIMALS)

    def tell_apart(self, one: float, other: float) -> None:
        """Take as many decimals as two different numbers need to be written differently."""
        while one != other and self.plain(one) == self.plain(other):
            if self.decimals == DECIMALS_OF_A_NEAR_MISS:
                break
            self.decimals += 1

    def plain(self, number: float) -> str:
        """Without a plus sign."""
        return f"{number:.{self.decimals}f}"

    def signed(self, number: float) -> str:
        """With a sign, whichever it is."""
        return f"{number:+.{self.decimals}f}"


def times(count: int) -> str:
    """How often, where it is more than once."""
    return f" ×{count}" if count > 1 else ""


def counted(count: int, noun: str) -> str:
    """A number of things: ``1 term``, ``2 terms``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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


@dataclass(frozen=True, slots=True, eq=False)
class CategoryRule:
    """A document x is given the category where factor (w·x) + b - bar ≥ threshold.

    ``weights`` holds w, one for each column of the vectorizer, and ``intercept`` is b. A
    threshold of -inf gives the category to every document, +inf to none. ``probability`` maps a
    margin to the calibrated probability, where there is one. ``note`` is said beside the
    decision, such as how an unusual threshold came about. ``factor`` and ``bar`` are this
    document's own, ``circumstances`` say where they come from, and ``judge`` scores what would be
    left of the document: without one, factor and bar are taken to be the same for any.

    Where a decision rests on more than the category's own score (the best k, the best of all),
    ``threshold`` is the score it would have needed for this document, or ``over`` makes the rule
    that tells two categories apart.
    """

    name: str
    weights: Floats
    intercept: float = 0.0
    threshold: float = 0.0
    probability: Callable[[float], float] | None = None
    note: str = ""
    factor: float = 1.0
    bar: float = 0.0
    circumstances: tuple[Circumstance, ...] = ()
    judge: Judge | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _checked_weights(self.name, self.weights))
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "threshold", float(self.threshold))
        if not math.isfinite(self.intercept) or math.isnan(self.threshold):
            raise UsageError(
                f"category {self.name!r}: the intercept is a finite number and the threshold a "
                f"number, received {self.intercept} and {self.threshold}"
            )

    def accepts(self, margin: float) -> bool:
        """Whether a document of this margin is given the category."""
        return margin >= self.threshold

    def over(self, other: CategoryRule) -> CategoryRule:
        """Make the rule that tells this category from another: the difference of the two.

        It says yes where this one scores at least as high, which is how one of several
        categories is picked.
        """
        if self.weights.shape != other.weights.shape:
            raise UsageError(
                f"{self.name!r} has {len(self.weights)} weights and {other.name!r} "
                f"{len(other.weights)}: only categories of one model can be compared"
            )
        return CategoryRule(
            f"{self.name} rather than {other.name}",
            self.weights - other.weights,
            self.intercept - other.intercept,
            factor=self.factor,
            bar=self.bar - other.bar,
            circumstances=(*self.circumstances, *other.circumstances),
        )


def _checked_weights(name: str, received: ArrayLike) -> Floats:
    weights = np.asarray(received, dtype=np.float64)
    if weights.ndim != 1 or not np.isfinite(weights).all():
        raise UsageError(
            f"category {name!r}: its weights are one finite number for each column, received an "
            f"array of shape {weights.shape}"
            + ("" if np.isfinite(weights).all() else " with NaN or infinity")
        )
    return weights

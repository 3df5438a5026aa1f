"""The linear rule of one category, which an explanation explains.

Beside the weights, a decision may rest on circumstances of the document: a scaling in LSI, a bar
that rival categories set, a path through a tree, the support documents of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from postil.common.escaping import visible
from postil.common.types import Floats, Ints
from postil.errors import UsageError

DIGITS = 4
MOST_DECIMALS = 9
DECIMALS_OF_A_NEAR_MISS = 20


class Figures:
    """Writes numbers of one kind with the same number of decimals, so that they line up.

    The largest number has four significant digits.
    """

    def __init__(self, numbers: Iterable[float]) -> None:
        largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
        before = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
        self.decimals = min(max(DIGITS - before, 0), MOST_DECIMALS)

    def tell_apart(self, one: float, other: float) -> None:
        """Add decimals until two different numbers are written differently."""
        while one != other and self.plain(one) == self.plain(other):
            if self.decimals == DECIMALS_OF_A_NEAR_MISS:
                break
            self.decimals += 1

    def plain(self, number: float) -> str:
        """Write a number without a plus sign."""
        return f"{number:.{self.decimals}f}"

    def signed(self, number: float) -> str:
        """Write a number with its sign, plus or minus."""
        return f"{number:+.{self.decimals}f}"


def counted(count: int, noun: str) -> str:
    """Write a number of things: ``1 term``, ``2 terms``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def list_of(names: list[str], in_all: int) -> str:
    """Join the first names of a list of ``in_all``, and the number of those left out."""
    more = in_all - len(names)
    return ", ".join([*names, f"… and {more} more"] if more > 0 else names)


SHOWN_RIVALS = 5
LEAST_SHARE = 0.01  # of a bar, for a rival to be named


@dataclass(frozen=True, slots=True)
class Scaling:
    """The ``factor`` that scales a document so that its point in LSI has the ``length``."""

    directions: int
    length: float
    factor: float
    key: ClassVar[str] = "scaling"
    title: ClassVar[str] = "The directions"

    def lines(self) -> list[str]:
        """Say why values differ from those of the vector alone."""
        space = f"in {counted(self.directions, 'direction')} of LSI"
        if self.factor == 0:
            return [f"The document's point {space} is the origin: its terms add nothing."]
        return [
            f"Values are those of the vector times {self.factor:.4g}, which scales the document's "
            f"point {space} to the length {self.length:g}."
        ]


@dataclass(frozen=True, slots=True)
class RivalScore:
    """Another category, its own score, and its share of the bar."""

    category: str
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar that the other categories set for one (gao-wu-lee-chua-2003, eq. 4.13).

    ``rivals`` are those with the largest shares, of ``others`` in all. A ``capped`` bar is held
    below 0.
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
        """Describe the bar and the rivals that set it."""
        write = Figures([self.score, self.height, *(each.score for each in self.rivals)]).plain
        listed = [
            f"{visible(each.category)} ({write(each.score)}, {each.share:.0%} of it)"
            for each in self.rivals
        ]
        capped = ", held below 0" if self.capped else ""
        return [
            f"{visible(self.category)} scores {write(self.score)} for itself, and its bar is at "
            f"{write(self.height)} (sharpness {self.sharpness:g}{capped}); it is set by "
            f"{list_of(listed, self.others)}."
        ]


@dataclass(frozen=True, slots=True)
class NodeScore:
    """A node of a tree, the document's score there, and the answer."""

    node: str
    score: float
    accepted: bool


@dataclass(frozen=True, slots=True)
class Path:
    """The path of a document through the tree of a category; the last node decides."""

    category: str
    nodes: tuple[NodeScore, ...]
    key: ClassVar[str] = "paths"
    title: ClassVar[str] = "The way through its tree"

    def lines(self) -> list[str]:
        """Return a line for each node."""
        write = Figures([each.score for each in self.nodes]).signed
        *passed, last = (
            f"{visible(self.category)}: {visible(each.node)} {write(each.score)}: "
            f"{'yes' if each.accepted else 'no'}"
            for each in self.nodes
        )
        return [*passed, f"{last}, and here it ends: the terms are those of this node"]


SHOWN_DOCUMENTS = 5


@dataclass(frozen=True, slots=True)
class SupportShare:
    """A support document, its product with the document, and what it adds to the score."""

    id: str
    product: float
    added: float


@dataclass(frozen=True, slots=True)
class Support:
    """The support documents of a kernel that add most to the score of a category, each way.

    ``count`` documents share terms with the one that is explained, and add ``total_up`` and
    ``total_down``. What the kernel of documents without common terms adds is in the intercept.
    """

    category: str
    kernel: str
    up: tuple[SupportShare, ...]
    down: tuple[SupportShare, ...]
    count: int
    total_up: float
    total_down: float
    key: ClassVar[str] = "support"
    title: ClassVar[str] = "The training documents that decide"

    def lines(self) -> list[str]:
        """List the documents for and against, and say what the weights of terms are."""
        write = Figures([self.total_up, self.total_down]).signed
        sides = (("for", self.up, self.total_up), ("against", self.down, self.total_down))
        listed = [
            f"{way} ({write(total)} in all): "
            + (", ".join(f"{visible(each.id)} {write(each.added)}" for each in found) or "none")
            for way, found, total in sides
        ]
        return [
            f"{visible(self.category)}: {counted(self.count, 'training document')} with terms of "
            f"this one, by the kernel {self.kernel}",
            *listed,
            "The weights of terms below hold for this document alone.",
        ]


Circumstance: TypeAlias = Scaling | Bar | Path | Support
"""A fact that a decision rests on beside the sum over terms."""


def lines_by_title(circumstances: tuple[Circumstance, ...]) -> dict[str, list[str]]:
    """Return the sentences of all circumstances, by title."""
    found: dict[str, list[str]] = {}
    for each in circumstances:
        found.setdefault(each.title, []).extend(each.lines())
    return found


class VariantScorer(Protocol):
    """Scores variants of a document: with terms removed, or with one more."""

    def margins(self, values: Floats, columns: Ints) -> Floats:
        """Return the margins of documents × terms with these columns (-1 is unknown), fast."""

    def margins_with(
        self, row: Floats, columns: Ints, more: Ints, sizes: Floats, scale: Floats
    ) -> Floats:
        """Return the margins of a row with each of ``more`` terms added, times a scale, fast."""

    def margin(self, values: Floats, columns: Ints) -> float:
        """Return the margin of one document, exactly as the model scores it."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoryRule:
    """A rule that gives a category to a document x where factor (w·x) + b - bar ≥ threshold.

    Where a decision rests on more than the category's own score (the best k, the best of all),
    ``threshold`` is the score that the category would have needed for this document, or ``over``
    makes the rule that tells two categories apart.

    Parameters
    ----------
    name:
        The category.
    title:
        The category as people call it, by default the name.
    weights:
        w, one number for each column of the vectorizer.
    intercept:
        b.
    threshold:
        -inf gives the category to every document, +inf to none.
    probability:
        Function from a margin to the calibrated probability, if there is one.
    note:
        Sentence shown beside the decision, such as the origin of an unusual threshold.
    factor, bar:
        This document's own scale and bar; ``circumstances`` say where they come from.
    rather_than:
        The other category, if the rule tells two apart.
    scorer:
        Scores variants of the document. Without one, factor and bar are taken to be the same for
        every variant.
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
    rather_than: str | None = None
    scorer: VariantScorer | None = None
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)
        weights = np.asarray(self.weights, dtype=np.float64)
        finite = bool(np.isfinite(weights).all())
        if weights.ndim != 1 or not finite:
            raise UsageError(
                f"category {self.name!r}: weights must be one finite number for each column, "
                f"received an array of shape {weights.shape}"
                f"{'' if finite else ' with NaN or infinity'}"
            )
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "threshold", float(self.threshold))
        if not math.isfinite(self.intercept) or math.isnan(self.threshold):
            raise UsageError(
                f"category {self.name!r}: the intercept must be finite and the threshold must be "
                f"a number, received {self.intercept} and {self.threshold}"
            )

    def accepts(self, margin: float) -> bool:
        """Return True if a document with this margin is given the category."""
        return margin >= self.threshold

    def over(self, other: CategoryRule) -> CategoryRule:
        """Return the rule that tells this category from another: the difference of the two.

        It accepts where this category scores at least as high as the other, which is how one of
        several categories is picked.
        """
        if self.weights.shape != other.weights.shape:
            raise UsageError(
                f"{self.name!r} has {len(self.weights)} weights and {other.name!r} "
                f"{len(other.weights)}: only categories of one model can be compared"
            )
        return CategoryRule(
            self.name,
            self.weights - other.weights,
            self.intercept - other.intercept,
            factor=self.factor,
            bar=self.bar - other.bar,
            rather_than=other.name,
            circumstances=(*self.circumstances, *other.circumstances),
            title=f"{self.title} rather than {other.title}",
        )

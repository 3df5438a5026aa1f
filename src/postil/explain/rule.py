"""One category's linear rule: what an explanation explains."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.errors import UsageError
from postil.explain.circumstances import Circumstance

if TYPE_CHECKING:
    from postil.explain.judging import Judge

Weights = NDArray[np.float64]


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
    weights: Weights
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


def _checked_weights(name: str, received: ArrayLike) -> Weights:
    weights = np.asarray(received, dtype=np.float64)
    if weights.ndim != 1 or not np.isfinite(weights).all():
        raise UsageError(
            f"category {name!r}: its weights are one finite number for each column, received an "
            f"array of shape {weights.shape}"
            + ("" if np.isfinite(weights).all() else " with NaN or infinity")
        )
    return weights

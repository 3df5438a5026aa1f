"""What the solvers of figures of merit can be told.

What has to be above 0 for a category to be given: a score, or a score over a bar.

Weights of many problems side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats, Singles
from postil.learn.merit.objective import Products
from postil.learn.options import Part, PartOptions, Rule, number, one_of, registry, whole

Offset: TypeAlias = Literal["none", "mean"]
MOST_STEPS = 1_000_000
LARGEST = 1e9


@dataclass(frozen=True, slots=True)
class StepOptions(PartOptions):
    """Steps of a size that falls by a rule, over all documents at a time.

    The size is ``rate`` for ``hold`` steps, then falls linearly to ``last_share`` of it until step
    ``falling_until``, and stays there, so that fewer steps are the beginning of more.
    """

    iterations: int = 2000
    rate: float = 0.05
    hold: int = 10
    falling_until: int = 3000
    last_share: float = 0.1

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            "iterations": whole(0, MOST_STEPS),
            "rate": number("above 0 and finite", lambda value: 0 < value <= LARGEST),
            "hold": whole(0, MOST_STEPS),
            "falling_until": whole(1, MOST_STEPS),
            "last_share": number("above 0, 1 at most", lambda value: 0 < value <= 1),
        }

    def size(self, step: int) -> float:
        """How long a step is; the first has number 0."""
        if step <= self.hold or self.falling_until <= self.hold:
            gone = float(step > self.hold)
        else:
            gone = min(1.0, (step - self.hold) / (self.falling_until - self.hold))
        return self.rate * (1.0 - gone * (1.0 - self.last_share))


@dataclass(frozen=True, slots=True)
class GpdOptions(StepOptions):
    """Generalized probabilistic descent (gao-wu-lee-chua-2003, eq. 5.3) with the numbers of 6.2.

    ``steepness`` is α of eq. 4.7. ``offset`` is β: none, or the mean of d over all documents at
    every step, as section 6.2 has it.
    """

    steepness: float = 20.0
    offset: Offset = "none"

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **StepOptions.rules(self),
            "steepness": _steepness(),
            "offset": one_of("none", "mean"),
        }


@dataclass(frozen=True, slots=True)
class LbfgsOptions(PartOptions):
    """L-BFGS in ``stages`` of growing steepness, each from where the last ended.

    The last has a steepness of ``steepness``, over the distance between members and others where
    the climb begins, so that the unit of the scores does not matter; each before it has ``1 /
    growth`` of the next. ``iterations`` and ``tolerance``, a share of the slope at the start, are
    of each stage. ``pairs`` is how many steps are remembered.
    """

    iterations: int = 15
    tolerance: float = 1e-3
    steepness: float = 30.0
    stages: int = 1
    growth: float = 2.0
    pairs: int = 10

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            "iterations": whole(0, MOST_STEPS),
            "tolerance": number("from 0 to 1", lambda value: 0 <= value <= 1),
            "steepness": _steepness(),
            "stages": whole(1, 20),
            "growth": number("from 1 to 100", lambda value: 1 <= value <= 100),
            "pairs": whole(1, 100),
        }

    def shares(self) -> list[float]:
        """The steepness of each stage, as a share of the last's."""
        return [self.growth ** (stage + 1 - self.stages) for stage in range(self.stages)]


def _steepness() -> Rule:
    return number("above 0 and at most 1e9", lambda value: 0 < value <= LARGEST)


@dataclass(frozen=True, slots=True)
class Form(Part):
    """A misclassification function's negative, the margin.

    ``has_rivals`` says that all categories are trained together; ``capped``, that the bar of a
    category is 0 at most.
    """

    has_rivals: bool = False
    capped: bool = False


_NONE: frozenset[str] = frozenset()
FORMS: Mapping[str, Form] = MappingProxyType(
    registry(
        Form("binary", "the score of the category alone (eq. 4.8)", _NONE),
        Form("rivals", "the score over that of competing classes (eq. 4.13)", _NONE, True),
        Form(
            "unclaimed",
            "the score, over a bar that is lower where no rival claims the document",
            _NONE,
            has_rivals=True,
            capped=True,
        ),
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights (features × problems) and intercepts of some problems."""

    terms: Floats
    intercepts: Floats

    def stacked(self) -> Floats:
        """Both in one table, intercepts last."""
        return np.vstack([self.terms, self.intercepts])

    def scores(self, products: Products) -> Singles:
        """Documents × problems."""
        scores = products.scores(self.terms)
        scores += self.intercepts.astype(scores.dtype)
        return scores

    def of(self, problems: NDArray[Any]) -> Weights:
        """The same for some of the problems."""
        return Weights(self.terms[:, problems], self.intercepts[problems])

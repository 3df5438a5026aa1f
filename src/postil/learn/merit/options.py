"""Options of the solvers of figures of merit, and the forms of a margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from postil.learn.options import Part, PartOptions, between, number, one_of, option, registry, whole

MOST_STEPS = 1_000_000
LARGEST = 1e9
_STEEPNESS = number("above 0 and at most 1e9", lambda value: 0 < value <= LARGEST)


@dataclass(frozen=True, slots=True)
class StepOptions(PartOptions):
    """Options of gradient steps over all documents, of a size that falls by a rule.

    The size is ``rate`` for ``hold`` steps, then falls linearly to ``last_share`` of it until step
    ``falling_until``, and stays there. It does not depend on the number of ``iterations``.
    """

    iterations: int = option(2000, whole(0, MOST_STEPS))
    rate: float = option(0.05, number("above 0 and finite", lambda value: 0 < value <= LARGEST))
    hold: int = option(10, whole(0, MOST_STEPS))
    falling_until: int = option(3000, whole(1, MOST_STEPS))
    last_share: float = option(0.1, number("above 0, 1 at most", lambda value: 0 < value <= 1))

    def size(self, step: int) -> float:
        """Return the size of a step; the first has number 0."""
        if step <= self.hold or self.falling_until <= self.hold:
            gone = float(step > self.hold)
        else:
            gone = min(1.0, (step - self.hold) / (self.falling_until - self.hold))
        return self.rate * (1.0 - gone * (1.0 - self.last_share))


@dataclass(frozen=True, slots=True)
class GpdOptions(StepOptions):
    """Options of generalized probabilistic descent (gao-wu-lee-chua-2003, eq. 5.3, section 6.2).

    ``steepness`` is α of eq. 4.7. ``offset`` is β: none, or the mean of d over all documents at
    every step, as in section 6.2.
    """

    steepness: float = option(20.0, _STEEPNESS)
    offset: Literal["none", "mean"] = option("none", one_of("none", "mean"))


@dataclass(frozen=True, slots=True)
class LbfgsOptions(PartOptions):
    """Options of L-BFGS in ``stages`` of growing steepness, each from the end of the one before.

    The steepness of the last stage is ``steepness`` divided by the distance between members and
    others at the start, so that the unit of the scores does not matter; each earlier stage has ``1
    / growth`` of the next. Each stage has ``iterations`` and a ``tolerance``, a share of the slope
    at the start. ``pairs`` is the number of steps in memory.
    """

    iterations: int = option(15, whole(0, MOST_STEPS))
    tolerance: float = option(1e-3, between(0, 1))
    steepness: float = option(30.0, _STEEPNESS)
    stages: int = option(1, whole(1, 20))
    growth: float = option(2.0, between(1, 100))
    pairs: int = option(10, whole(1, 100))

    def shares(self) -> list[float]:
        """Return the steepness of each stage, as a share of that of the last."""
        return [self.growth ** (stage + 1 - self.stages) for stage in range(self.stages)]


@dataclass(frozen=True, slots=True)
class Form(Part):
    """A form of the margin, the negative of the misclassification function.

    With ``has_rivals`` all categories are trained together; with ``capped`` the bar of a category
    is at most 0.
    """

    has_rivals: bool = False
    capped: bool = False


_form = partial(Form, provides=frozenset())
FORMS: Mapping[str, Form] = registry(
    _form("binary", "the score of the category alone (eq. 4.8)"),
    _form("rivals", "the score over that of competing classes (eq. 4.13)", has_rivals=True),
    _form(
        "unclaimed",
        "the score, over a bar that is lower where no rival claims the document",
        has_rivals=True,
        capped=True,
    ),
)

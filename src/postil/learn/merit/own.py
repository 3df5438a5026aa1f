"""A user's own measure, as a function of the four counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np

from postil.errors import UsageError
from postil.learn.merit.figures import Attained, Floats, SmoothCounts

Function = Callable[[Floats, Floats, Floats, Floats], Floats]
Gains = Callable[[Floats, Floats, Floats, Floats], tuple[Floats, Floats]]

Answer = TypeVar("Answer")

# The cube root of the rounding of numbers: where a central difference is best.
STEP = 6e-6
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)


class OwnFigure:
    """``function(tp, fp, fn, tn)`` of arrays, one number for each problem: the more the better.

    ``gains(tp, fp, fn, tn)`` are its slopes with TP and with FP while members and others stay as
    they are: FN falls as TP rises, TN as FP. Where none are given they are central differences of
    the counts, one-sided where a count cannot be less or more; that costs four calls of the
    function. With ``pooled`` it is taken of the counts of all problems together. The function must
    do with fractions of documents, and may say nan where it is undefined, which is taken for 0, as
    infinite slopes are.
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False

    def __init__(
        self, function: Function, name: str, gains: Gains | None = None, pooled: bool = False
    ) -> None:
        if not callable(function):
            raise UsageError(
                f"figure {name!r}: it needs a function of tp, fp, fn and tn, got {function!r}"
            )
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                "a figure's own name is of small letters, digits and hyphens, as 'g-mean', got "
                f"{name!r}"
            )
        self._function = function
        self._gains = gains
        self._name = name
        self._pooled = pooled

    @property
    def name(self) -> str:
        """What its maker calls it."""
        return self._name

    @property
    def pooled(self) -> bool:
        """Whether all problems have one value."""
        return self._pooled

    def alone(self) -> OwnFigure:
        """The same, taken of each problem by itself."""
        return OwnFigure(self._function, self._name, self._gains)

    def values(self, counts: SmoothCounts) -> Floats:
        """The value of each problem."""
        return self._known(counts.added() if self.pooled else counts)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """The given slopes, or differences."""
        taken = counts.added() if self.pooled else counts
        if self._gains is not None:
            by_found, by_wrong = self._asked(self._gains, taken)
            return self._finite(by_found, taken), self._finite(by_wrong, taken)
        found, wrong = taken.true_positives, taken.false_positives

        def at_found(moved: Floats) -> Floats:
            return self._known(SmoothCounts(moved, wrong, taken.members, taken.others))

        def at_wrong(moved: Floats) -> Floats:
            return self._known(SmoothCounts(found, moved, taken.members, taken.others))

        return _slope(at_found, found, taken.members), _slope(at_wrong, wrong, taken.others)

    def attained(self, counts: SmoothCounts) -> Attained:
        """The function of counted decisions; undefined where it says so."""
        values = self._raw(counts)
        return Attained(values, np.ones(values.shape, dtype=np.bool_))

    def _known(self, counts: SmoothCounts) -> Floats:
        return self._finite(self._raw(counts), counts)

    def _finite(self, given: Floats, counts: SmoothCounts) -> Floats:
        values = self._shaped(given, counts)
        return np.where(np.isfinite(values), values, 0.0)

    def _raw(self, counts: SmoothCounts) -> Floats:
        return self._shaped(self._asked(self._function, counts), counts)

    def _asked(self, function: Callable[..., Answer], counts: SmoothCounts) -> Answer:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                return function(*_four(counts))
        except Exception as error:
            raise UsageError(
                f"figure {self.name!r}: its function of the arrays tp, fp, fn and tn fails with "
                f"{type(error).__name__}: {error}"
            ) from error

    def _shaped(self, given: Floats, counts: SmoothCounts) -> Floats:
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(
                f"figure {self.name!r}: its function gives numbers, and gave {given!r}"
            ) from None
        if values.shape != counts.members.shape:
            raise UsageError(
                f"figure {self.name!r}: its function gives a number for each problem, and gave "
                f"shape {values.shape} for counts of shape {counts.members.shape}"
            )
        return values


def _four(counts: SmoothCounts) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        counts.true_positives,
        counts.false_positives,
        counts.false_negatives,
        counts.true_negatives,
    )


def _slope(value: Callable[[Floats], Floats], at: Floats, most: Floats) -> Floats:
    step = STEP * np.maximum(1.0, most)
    below, above = np.maximum(at - step, 0.0), np.minimum(at + step, most)
    apart = above - below
    rise = value(above) - value(below)
    result: Floats = np.divide(rise, apart, out=np.zeros_like(apart), where=apart > 0)
    return result

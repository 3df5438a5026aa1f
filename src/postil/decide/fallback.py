"""What a category gets whose scores are too poor to tune on (SCut.fbr, Yang 2001).

Of a rare category's few members most score like the crowd, and the cut that looks best among
them may accept half of all documents. Where the best F1 any cut reaches is below the floor
``fbr``, no cut is trusted. Accepting everything has an F1 of 2π/(1 + π) for a category with the
share π of the documents, so with a floor of 0.3 only categories under 18 % can fall back.

The best F1 judges the category also where something else is tuned for: it says how far the
scores can be trusted, whatever the wish. A stated precision that no cut reaches falls back at
any floor; a stated recall is not kept for a category that falls back.

``few`` looks at the number of members alone: learners that train for a measure put the threshold
of a rare category where few members say more than a cut of their scores would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from postil.decide.cuts import Cuts


@dataclass(frozen=True, slots=True)
class FallbackKind:
    """When a category falls back, by its number, and to which threshold."""

    meaning: str
    least: float
    most: float
    distrusts: Callable[[Cuts, float], bool]
    threshold: Callable[[Cuts], float]
    whole: bool = False


def _is_poor(cuts: Cuts, floor: float) -> bool:
    return float(cuts.f1.max()) < floor


def _has_few(cuts: Cuts, enough: float) -> bool:
    return cuts.members < enough


def _infinite(cuts: Cuts) -> float:  # noqa: ARG001 - whatever the cuts are
    return float(np.inf)


def _highest_score(cuts: Cuts) -> float:
    return float(cuts.levels[0])


def _untuned(cuts: Cuts) -> float:  # noqa: ARG001
    return 0.0


FALLBACKS: dict[str, FallbackKind] = {
    # SCutFBR.0: the category is never given.
    "fbr.0": FallbackKind("the floor of F1", 0, 1, _is_poor, _infinite),
    # SCutFBR.1: only to a document that scores as high as the highest seen out of fold.
    "fbr.1": FallbackKind("the floor of F1", 0, 1, _is_poor, _highest_score),
    # A category of so few members keeps the threshold it was trained for.
    "few": FallbackKind("a number of members", 1, 2**31 - 1, _has_few, _untuned, whole=True),
}
DEFAULT_FLOOR = 0.3


@dataclass(frozen=True, slots=True)
class Fallback:
    """A kind of ``FALLBACKS`` and its number; an F1 floor of 0 trusts every category."""

    kind: str = "fbr.1"
    floor: float = DEFAULT_FLOOR

    def distrusts(self, cuts: Cuts) -> bool:
        """Say whether the category is not to be tuned."""
        return FALLBACKS[self.kind].distrusts(cuts, self.floor)

    def threshold(self, cuts: Cuts) -> float:
        """Give the threshold in place of a tuned one."""
        return FALLBACKS[self.kind].threshold(cuts)

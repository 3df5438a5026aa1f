"""How many terms a category keeps: its best k, all that score high enough, or above a bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.absent import AbsentTerms
from postil.features.inputs import Floats, Indices


class Rule(Protocol):
    """What a category keeps of its candidates, and how many absent terms are candidates."""

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find the absent terms that may have to be kept, with their scores."""
        ...

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:
        """Keep some of the candidates, in any order."""
        ...


@dataclass(frozen=True)
class Best:
    """The ``k`` terms that score highest; of equal scores those first in ``tie_order``."""

    k: int

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find the best k absent terms."""
        return terms.best(self.k, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:
        """Keep the best k; linear in the candidates, sorting only the ties for the last places."""
        spare = len(terms) - self.k
        if spare <= 0:
            return terms
        if self.k == 0:
            return terms[:0]
        last = np.partition(scores, spare)[spare]
        sure = terms[scores > last]
        tied = terms[scores == last]
        places = self.k - len(sure)
        return np.concatenate([sure, tied[np.argsort(tie_order[tied])[:places]]])


@dataclass(frozen=True)
class AtLeast:
    """Every term whose score reaches ``threshold``."""

    threshold: float

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find all absent terms at or over the threshold."""
        return terms.above(self.threshold, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:  # noqa: ARG002
        """Keep those at or over the threshold."""
        return terms[scores >= self.threshold]


@dataclass(frozen=True)
class Above:
    """Every term whose score is above ``bar``."""

    bar: float

    def absent(self, terms: AbsentTerms, touched: Indices, size: int) -> tuple[Indices, Floats]:
        """Find all absent terms at or over the bar."""
        return terms.above(self.bar, touched, size)

    def keep(self, terms: Indices, scores: Floats, tie_order: NDArray[np.intp]) -> Indices:  # noqa: ARG002
        """Keep those above it."""
        return terms[scores > self.bar]


def rule_for(k: int | None, threshold: float | None) -> Rule:
    """Make the rule a caller asks for with exactly one of ``k`` and ``threshold``."""
    if k is not None and threshold is None:
        if k < 0:
            raise UsageError(f"k is how many terms a category keeps, 0 or more, got {k!r}")
        return Best(k)
    if threshold is not None and k is None:
        if np.isnan(threshold):
            raise UsageError("the threshold is not a number: give the lowest score to keep")
        return AtLeast(threshold)
    raise UsageError(f"say exactly one of k and threshold, got k={k!r} and threshold={threshold!r}")

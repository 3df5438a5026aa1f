"""Decisions on test documents, counted by category, and the paper's averages of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postil.common.types import Flags, Floats


def _share(above: Floats, below: Floats) -> Floats:
    """One over the other; 0/0 is 0."""
    result: Floats = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return result


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Tally:
    """TP, FP and FN of each category; a precision, recall or F1 of 0/0 is 0.

    Every average costs the number of categories.
    """

    categories: list[str]
    true_positives: list[int]
    false_positives: list[int]
    false_negatives: list[int]

    def of(self, names: Sequence[str]) -> Tally:
        """The same of some categories."""
        places = [self.categories.index(name) for name in names]
        return Tally(
            list(names),
            [self.true_positives[place] for place in places],
            [self.false_positives[place] for place in places],
            [self.false_negatives[place] for place in places],
        )

    def without(self, names: Sequence[str]) -> Tally:
        """The same of all other categories."""
        return self.of([name for name in self.categories if name not in names])

    def micro(self) -> float:
        """``2ΣTP / (ΣFP + ΣFN + 2ΣTP)`` (eq. 6.2)."""
        found = 2 * sum(self.true_positives)
        wrong = sum(self.false_positives) + sum(self.false_negatives)
        return found / (found + wrong) if found + wrong else 0.0

    def macro(self) -> float:
        """``2 ΣR ΣP / (N (ΣP + ΣR))`` (eq. 6.1): the F1 of mean precision and mean recall."""
        found, wrong, missed = self._counts()
        precision, recall = _share(found, found + wrong), _share(found, found + missed)
        return _harmonic(float(precision.mean()), float(recall.mean()))

    def mean(self) -> float:
        """``ΣF1 / N``, which is what others call macro-averaged F1."""
        return float(self.f1s().mean())

    def f1s(self) -> Floats:
        """F1 of each category (eq. 4.3)."""
        found, wrong, missed = self._counts()
        return _share(2 * found, 2 * found + wrong + missed)

    def f1_of(self, name: str) -> float:
        """F1 of one category."""
        return float(self.f1s()[self.categories.index(name)])

    def _counts(self) -> tuple[Floats, Floats, Floats]:
        return (
            np.array(self.true_positives, dtype=np.float64),
            np.array(self.false_positives, dtype=np.float64),
            np.array(self.false_negatives, dtype=np.float64),
        )


def tally_of(names: Sequence[str], accepted: Flags, truth: Flags) -> Tally:
    """Count decisions, documents × categories."""
    return Tally(
        list(names),
        (accepted & truth).sum(axis=0).tolist(),
        (accepted & ~truth).sum(axis=0).tolist(),
        (~accepted & truth).sum(axis=0).tolist(),
    )

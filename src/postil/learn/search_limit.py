"""What a limit of terms came to: how many terms each category keeps, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Squeezed:
    """At most, or exactly, so many terms for each category.

    ``terms`` are those that each category's model keeps, without the constant. ``held_out`` is the
    measure of its strength, ``free_held_out`` that of the strength it would have without a limit,
    ``free``, by which it would keep ``free_terms``. ``given_up`` is how much worse the limit makes
    it: below 0 where it is better.
    """

    most_terms: int
    exactly: bool
    terms: Counts
    held_out: Floats
    free: Floats
    free_terms: Counts
    free_held_out: Floats
    higher_is_better: bool

    @property
    def given_up(self) -> Floats:
        """The measure given up against the free choice, by category."""
        lost = self.free_held_out - self.held_out
        return lost if self.higher_is_better else -lost

    def row(self, category: int) -> dict[str, Any]:
        """What there is to say of a category."""
        return {
            "terms": int(self.terms[category]),
            "held_out": _plain(self.held_out[category]),
            "free": float(self.free[category]),
            "free_terms": int(self.free_terms[category]),
            "free_held_out": _plain(self.free_held_out[category]),
            "given_up": _plain(self.given_up[category]),
        }

    def to_dict(self) -> dict[str, Any]:
        """The limit, and how it went for all categories."""
        return {
            "most_terms": self.most_terms,
            "exactly": self.exactly,
            "most_reached": int(self.terms.max(initial=0)),
            "mean_terms": float(self.terms.mean()) if len(self.terms) else 0.0,
            "mean_given_up": _mean(self.given_up),
        }

    def notes(self, names: Sequence[str], measure: str) -> list[str]:
        """The limit in words; with ``exactly``, which categories have fewer."""
        limit = f"{'exactly' if self.exactly else 'at most'} {self.most_terms}"
        word = "term" if self.most_terms == 1 else "terms"
        lost = _mean(self.given_up)
        cost = "" if lost is None else f"; {measure} given up: {lost:.4f} on average"
        told = [f"{limit} {word}: {self._reached()} kept{cost}"]
        fewer = np.flatnonzero(self.terms < self.most_terms)
        if self.exactly and len(fewer):
            shown = ", ".join(f"{names[c]} ({self.terms[c]})" for c in fewer[:5])
            told.append(
                f"no strength was found that keeps exactly {self.most_terms}, so that fewer are "
                f"kept: {shown}{', …' if len(fewer) > 5 else ''}"
            )
        return told

    def _reached(self) -> str:
        most = int(self.terms.max(initial=0))
        least = int(self.terms.min(initial=most))
        return f"{most}" if least == most else f"{least} to {most}"


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None

"""How much documents and classes count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Emphasis:
    """How much documents count, and within each category its members and the others.

    ``classes`` is one pair (members, others) for all categories, a pair for each, or
    ``"balanced"``: both sides weigh n/2 together.
    """

    documents: Floats | None = None
    classes: tuple[float, float] | Sequence[tuple[float, float]] | str | None = None

    def of_documents(self, count: int) -> Floats:
        """The weight of each document."""
        if self.documents is None:
            return np.ones(count)
        weights = np.ascontiguousarray(self.documents, dtype=np.float64)
        if weights.shape != (count,):
            raise UsageError(f"there are {count} documents and {weights.shape} document weights")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise UsageError("document weights are finite, at least 0, and not all 0")
        return weights

    def of_classes(self, inside: Floats, total: float) -> tuple[Floats, Floats]:
        """The weights of members and of others, by category; ``inside`` is the members' sum."""
        if self.classes is None:
            return np.ones(len(inside)), np.ones(len(inside))
        if isinstance(self.classes, str):
            if self.classes != "balanced":
                raise UsageError(f"class weights are numbers or 'balanced', not {self.classes!r}")
            with np.errstate(divide="ignore"):
                return total / (2.0 * inside), total / (2.0 * (total - inside))
        given = np.asarray(self.classes, dtype=np.float64)
        if given.shape not in ((2,), (len(inside), 2)):
            raise UsageError(
                f"class weights are a pair (members, others), or {len(inside)} of them, one for "
                f"each category; they came as {' × '.join(map(str, given.shape)) or 'one number'}"
            )
        pairs = np.broadcast_to(given, (len(inside), 2))
        if not np.isfinite(pairs).all() or (pairs < 0).any():
            raise UsageError("class weights are finite and at least 0")
        return pairs[:, 0].copy(), pairs[:, 1].copy()

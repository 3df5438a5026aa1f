"""Weights of many problems side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.learn.merit.products import Products, Singles

Floats = NDArray[np.float64]


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

"""Perceptron, Winnow and their large margin forms in NumPy, as zhang-2000 prints them.

Balanced weights are positive ones of the embedding [x, -x]; nothing is clever here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Family:
    """Map from θ = Σ aᵢ yᵢ xᵢ to weights: 'additive', 'entropy' or 'normalised-entropy'."""

    kind: str
    mu: float = 0.01
    positive: bool = False
    threshold: float = 0.0
    total: float | None = None

    def embed(self, x: Floats) -> Floats:
        """The documents as the rule sees them."""
        if self.kind == "additive" or self.positive:
            return x
        return np.column_stack([x, -x])

    def weights(self, theta: Floats) -> Floats:
        """Return the weights of the embedded features."""
        if self.kind == "additive":
            return theta
        powers = self.mu * np.exp(theta)
        return powers if self.kind == "entropy" else self.sum(len(theta)) * powers / powers.sum()

    def sum(self, size: int) -> float:
        """W."""
        return self.mu * size if self.total is None else self.total

    def net(self, weights: Floats) -> Floats:
        """Weights of the documents as they are."""
        if self.kind == "additive" or self.positive:
            return weights
        half = len(weights) // 2
        return weights[:half] - weights[half:]

    def scores(self, x: Floats, theta: Floats) -> Floats:
        # Net weights first: what cancels is 0 and no rounding error.
        return x @ self.net(self.weights(theta)) - self.threshold

    def cost(self, weights: Floats) -> float:
        """R(w): half the square, or the relative entropy to μ."""
        if self.kind == "additive":
            return float(weights @ weights / 2)
        logs = np.where(weights > 0, weights * np.log(np.maximum(weights, 1e-300) / self.mu), 0.0)
        if self.kind == "entropy":
            return float((logs - weights + self.mu).sum())
        # On Σ w = W, beside its least value, which is at equal weights.
        total, size = weights.sum(), len(weights)
        return float(logs.sum() - total * np.log(total / (self.mu * size)))

    def dual(self, x: Floats, y: Floats, duals: Floats) -> float:
        """The dual objectives of section 2, with the constants that the paper leaves out."""
        theta = self.embed(x).T @ (duals * y)
        gain = float(duals @ (1 + self.threshold * y))
        if self.kind == "additive":
            return gain - float(theta @ theta / 2)
        if self.kind == "entropy":
            return gain - float((self.mu * (np.exp(theta) - 1)).sum())
        return gain - self.sum(len(theta)) * float(np.log(np.exp(theta).mean()))

    def primal(self, x: Floats, y: Floats, theta: Floats, bounds: Floats) -> float:
        """R(w) + Σ bound hinge."""
        margins = y * self.scores(x, theta)
        return self.cost(self.weights(theta)) + float(bounds @ np.maximum(0, 1 - margins))


def by_mistakes(family: Family, x, y, rate, passes, theta=None):
    """θ after so many passes in the order of the documents."""
    theta = np.zeros(family.embed(x).shape[1]) if theta is None else theta.copy()
    embedded = family.embed(x)
    for _ in range(passes):
        for i in range(len(y)):
            score = family.scores(x[i], theta)
            if (score >= 0) != (y[i] > 0):
                theta += rate * y[i] * embedded[i]
    return theta


def by_duals(family: Family, x, y, rate, passes, bounds):
    """Dual variables after so many passes."""
    embedded = family.embed(x)
    theta, duals = np.zeros(embedded.shape[1]), np.zeros(len(y))
    for _ in range(passes):
        for i in range(len(y)):
            margin = y[i] * family.scores(x[i], theta)
            new = min(max(duals[i] + rate * (1 - margin), 0.0), bounds[i])
            theta += (new - duals[i]) * y[i] * embedded[i]
            duals[i] = new
    return duals

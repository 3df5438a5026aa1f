"""Fit one sigmoid: two numbers, by Newton's method (Lin, Lin and Weng 2007)."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from postil.decide.inputs import Floats

# The largest component of the gradient, of a loss averaged over the weights.
TOLERANCE = 1e-10
MOST_ITERATIONS = 100
SHORTEST_STEP = 1e-10
SUFFICIENT_DECREASE = 1e-4
# Keeps the curvature above 0 where every probability has come to its end.
RIDGE = 1e-12


def fitted_sigmoid(x: Floats, targets: Floats, weights: Floats) -> tuple[float, float]:
    """Find slope and intercept of the sigmoid that fits targets best.

    Minimises the cross entropy ``Σ wᵢ (ln(1 + exp(zᵢ)) - tᵢ zᵢ)`` of ``z = slope·x + intercept``,
    with weights that add up to 1. It is convex, and targets inside (0, 1) keep the minimum
    finite. The loss in this form does not cancel or overflow, each full step is shortened until
    it pays (backtracking), and x is centred by its curvature so that the two equations come
    apart. A few passes over the documents.
    """
    at = np.array([0.0, float(logit(weights @ targets))])
    loss = _loss(at, x, targets, weights)
    for _ in range(MOST_ITERATIONS):
        gradient, step = _gradient_and_step(at, x, targets, weights)
        if np.abs(gradient).max() <= TOLERANCE:
            break
        length = 1.0
        while length >= SHORTEST_STEP:
            tried = at + length * step
            tried_loss = _loss(tried, x, targets, weights)
            if tried_loss < loss + SUFFICIENT_DECREASE * length * float(gradient @ step):
                break
            length /= 2
        else:
            # As low as rounding lets it come.
            break
        at, loss = tried, tried_loss
    return float(at[0]), float(at[1])


def _loss(at: Floats, x: Floats, targets: Floats, weights: Floats) -> float:
    z = at[0] * x + at[1]
    return float(weights @ (np.logaddexp(0, z) - targets * z))


def _gradient_and_step(
    at: Floats, x: Floats, targets: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Give the gradient and the full Newton step, both as (slope, intercept)."""
    p = expit(at[0] * x + at[1])
    residuals = weights * (p - targets)
    by_slope, by_intercept = residuals @ x, residuals.sum()
    curvatures = weights * p * (1 - p)
    total = curvatures.sum() + RIDGE
    centre = curvatures @ x / total
    spread = curvatures @ (x - centre) ** 2 + RIDGE
    slope_step = -(by_slope - centre * by_intercept) / spread
    intercept_step = -by_intercept / total - centre * slope_step
    return np.array([by_slope, by_intercept]), np.array([slope_step, intercept_step])

"""The learning problem in NumPy: dense, slow and obvious.

::

    P(w, b) = (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)        n = Σ dᵢ,  cᵢ = dᵢ × class weight

b = A w_b is the weight w_b of a constant feature of value A. A penalised w_b pays the prior like
any other weight, a free one pays nothing. Under ridge the dual, with a = -ζ of zhang-oles-2001, is

::

    D(a) = -(1/n) Σ cᵢ k(-aᵢ) - λ‖w(a)‖²     w(a) = (1/2λn) Σ cᵢ aᵢ yᵢ xᵢ   k(v) = sup_u (uv - f(u))

and a free constant asks for Σ cᵢ aᵢ yᵢ = 0.

Losses and priors are read from the formulas that their registries show to people: a new part needs
nothing here, and what is shown is what is minimised.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from postil.learn.losses import LOSSES
from postil.learn.priors import PRIORS

Floats = NDArray[np.float64]
Formula = Callable[..., Any]


def _larger(first, second):
    return np.where(np.real(second) > np.real(first), second, first)


_WORDS = {"max": _larger, "ln": np.log, "exp": np.exp, "abs": lambda x: _larger(x, -x)}


@cache
def read_formula(formula: str, *variables: str) -> Formula:
    """The function that a formula for people describes: ² is a square, a space multiplies."""
    python = re.sub(r"(?<=[\w)²]) (?=[\w(])", "*", formula).replace("²", "**2")
    names = ", ".join(variables)
    return eval(f"lambda {names}: {python}", dict(_WORDS))


def _slope(function: Formula, at: Floats) -> Floats:
    """The derivative by a complex step: exact to rounding, since nothing is subtracted."""
    return np.imag(function(at + 1e-30j)) / 1e-30


def loss_value(loss: str, margins: Floats) -> Floats:
    return read_formula(LOSSES[loss].formula, "z")(np.asarray(margins, float))


def loss_slope(loss: str, margins: Floats) -> Floats:
    return _slope(read_formula(LOSSES[loss].formula, "z"), np.asarray(margins, float))


def loss_conjugate(loss: str, duals: Floats, reach: float = 500.0) -> Floats:
    """k(-a) = sup_u (-ua - f(u)) by cutting the bracket [-reach, reach] again and again."""
    duals = np.asarray(duals, float)
    low, high = np.full(duals.shape, -reach), np.full(duals.shape, reach)

    def height(u):
        return -u * duals - loss_value(loss, u)

    for _ in range(110):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        is_left = height(left) > height(right)
        low, high = np.where(is_left, low, left), np.where(is_left, right, high)
    return height((low + high) / 2)


@dataclass(frozen=True)
class Problem:
    """One category: dense documents, labels ±1, weights c and their base n, and what is paid.

    Weights θ hold w and, unless the intercept is "none", last w_b.
    """

    x: Floats
    y: Floats
    c: Floats
    n: float
    lam: float
    loss: str
    prior: str
    intercept: str
    constant: float = 1.0

    @cached_property
    def features(self) -> Floats:
        """The documents, with the constant feature where there is one."""
        if self.intercept == "none":
            return self.x
        return np.column_stack([self.x, np.full(len(self.y), self.constant)])

    @cached_property
    def is_paid(self) -> NDArray[np.bool_]:
        """Which weights pay the prior."""
        paid = np.ones(self.features.shape[1], bool)
        if self.intercept == "free":
            paid[-1] = False
        return paid

    @property
    def is_smooth(self) -> bool:
        return "slope" in LOSSES[self.loss].provides and self.is_ridge

    @property
    def is_ridge(self) -> bool:
        return "ridge" in PRIORS[self.prior].provides

    def theta(self, weights: Floats, intercept: float) -> Floats:
        """The weights of all features, from w and b."""
        if self.intercept == "none":
            assert intercept == 0.0
            return weights
        return np.append(weights, intercept / self.constant)

    def margins(self, theta: Floats) -> Floats:
        return self.y * (self.features @ theta)

    def penalty(self, theta: Floats) -> Floats:
        paid = theta[self.is_paid]
        return read_formula(PRIORS[self.prior].formula, "λ", "w")(self.lam, paid)

    def objective(self, theta: Floats) -> float:
        losses = self.c * loss_value(self.loss, self.margins(theta))
        return float(losses.sum() / self.n + self.penalty(theta).sum())

    def gradient(self, theta: Floats) -> Floats:
        slopes = self.c * self.y * loss_slope(self.loss, self.margins(theta))
        gradient = self.features.T @ slopes / self.n
        prior = read_formula(PRIORS[self.prior].formula, "λ", "w")
        gradient[self.is_paid] += _slope(lambda w: prior(self.lam, w), theta[self.is_paid])
        return gradient

    def weights_of(self, duals: Floats) -> Floats:
        """w(a), with the constant's unless that is free."""
        factors = self.c * duals * self.y / (2 * self.lam * self.n)
        return self.features[:, self.is_paid].T @ factors

    def dual_objective(self, duals: Floats) -> float:
        if self.intercept == "free":
            imbalance = abs(np.sum(self.c * duals * self.y))
            assert imbalance <= 1e-9 * np.sum(self.c), "a free constant asks for balanced duals"
        conjugates = self.c * loss_conjugate(self.loss, duals)
        weights = self.weights_of(duals)
        return float(-conjugates.sum() / self.n - self.lam * weights @ weights)

    def relative_gap(self, theta: Floats, duals: Floats) -> float:
        objective = self.objective(theta)
        return (objective - self.dual_objective(duals)) / objective

    def kkt_residual(self, theta: Floats) -> float:
        """The largest slope, relative to the largest at zero weights."""
        at_zero = np.abs(self.gradient(np.zeros_like(theta))).max()
        return float(np.abs(self.gradient(theta)).max() / at_zero)

    def minimum(self) -> float:
        """The least objective of a smooth problem, by L-BFGS-B."""
        if self.features.shape[1] == 0:
            return self.objective(np.zeros(0))
        found = scipy.optimize.minimize(
            self.objective,
            np.zeros(self.features.shape[1]),
            jac=self.gradient,
            method="L-BFGS-B",
            options={"maxcor": 20, "maxiter": 20000, "maxfun": 40000, "ftol": 1e-13, "gtol": 1e-7},
        )
        return float(found.fun)

    def dual_maximum(self) -> float:
        """The greatest dual objective of a loss whose dual is linear on [0, 1], by L-BFGS-B.

        There k(-a) = -a (hinge), so that D has the slope cᵢ (1 - zᵢ)/n.
        """

        def negated(duals):
            weights = self.weights_of(duals)
            value = self.c @ duals / self.n - self.lam * weights @ weights
            return -value, -self.c * (1 - self.margins(weights)) / self.n

        found = scipy.optimize.minimize(
            negated,
            np.full(len(self.y), 0.5),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * len(self.y),
            options={"maxcor": 20, "maxiter": 20000, "maxfun": 40000, "ftol": 1e-12, "gtol": 1e-7},
        )
        return -float(found.fun)

"""The learning problem in NumPy: dense, slow and obvious.

::

    P(w, b) = (1/n) Σ cᵢ f(yᵢ (w·xᵢ + b)) + Σⱼ priorⱼ(wⱼ)       n = Σ dᵢ,  cᵢ = dᵢ × class weight

b = A w_b is the weight w_b of a constant feature of value A. A penalised w_b pays the prior like
any other weight, a free one pays nothing. The dual, with a = -ζ of zhang-oles-2001, is

::

    D(a) = -(1/n) Σ cᵢ k(-aᵢ) - Σⱼ priorⱼ*(vⱼ)     vⱼ = (1/n) Σ cᵢ aᵢ yᵢ xᵢⱼ

where k and prior* are Legendre transforms, k(v) = sup_u (uv - f(u)). Under ridge the weights of
given duals are w(a) = v/2λ; a free constant asks for Σ cᵢ aᵢ yᵢ = 0.

Losses and priors are read from the formulas that their registries show to people: a new part needs
nothing here, and what is shown is what is minimised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from postil.learn.losses import LOSSES
from postil.learn.priors import PRIORS

from .reference_priors import Floats, Formula, Paid, read_formula

__all__ = ["Paid", "Problem", "loss_conjugate", "loss_slope", "loss_value", "read_formula"]


_MINIMA: dict[tuple[object, ...], float] = {}


# γ of the smoothed hinge: far from the hinge, so that every solver finds its minimum soon.
GAMMA = 4.0


def _softplus(u: Floats) -> Floats:
    """ln(1 + exp(u)) without overflow."""
    small = np.exp(np.where(np.real(u) > 0, -u, u))
    return np.where(np.real(u) > 0, u, 0) + np.log1p(small)


def _smoothed_hinge(z: Floats, gamma: float = GAMMA) -> Floats:
    return _softplus(-gamma * (z - 1)) / gamma


# The formulas for people of these overflow.
_STABLE: dict[str, Formula] = {
    "logistic": lambda z: _softplus(-z),
    "smoothed-hinge": _smoothed_hinge,
}


def _formula(loss: str) -> Formula:
    return _STABLE.get(loss) or read_formula(LOSSES[loss].formula, "z")


def _slope(function: Formula, at: Floats) -> Floats:
    """The derivative by a complex step: exact to rounding, since nothing is subtracted."""
    return np.imag(function(at + 1e-30j)) / 1e-30


def loss_value(loss: str, margins: Floats) -> Floats:
    return _formula(loss)(np.asarray(margins, float))


def loss_slope(loss: str, margins: Floats) -> Floats:
    return _slope(_formula(loss), np.asarray(margins, float))


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

    Weights θ hold w and, unless the intercept is "none", last w_b; ``terms_pay`` has an entry for
    each term and last the constant's.
    """

    x: Floats
    y: Floats
    c: Floats
    n: float
    terms_pay: Paid
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
    def paid(self) -> Paid:
        """Return the prior's cost of all weights."""
        terms = self.x.shape[1]
        if self.intercept == "free":
            return self.terms_pay.put(
                terms, absolute=0.0, squared=0.0, mean=0.0, low=-np.inf, high=np.inf
            )
        return self.terms_pay.of(slice(terms if self.intercept == "none" else terms + 1))

    @cached_property
    def is_paid(self) -> NDArray[np.bool_]:
        """Return the weights that the prior penalises."""
        return (self.paid.absolute > 0) | (self.paid.squared > 0)

    @property
    def is_smooth(self) -> bool:
        """Return True if the loss is smooth; the rest of the priors can be split."""
        return "slope" in LOSSES[self.loss].provides

    @property
    def is_ridge(self) -> bool:
        return "ridge" in PRIORS[self.prior].provides

    @property
    def lam(self) -> float:
        """λ of a ridge that is the same for all terms."""
        assert self.is_ridge
        return float(self.terms_pay.squared[0])

    def theta(self, weights: Floats, intercept: float) -> Floats:
        """The weights of all features, from w and b."""
        if self.intercept == "none":
            assert intercept == 0.0
            return weights
        return np.append(weights, intercept / self.constant)

    def margins(self, theta: Floats) -> Floats:
        return self.y * (self.features @ theta)

    def objective(self, theta: Floats) -> float:
        losses = self.c * loss_value(self.loss, self.margins(theta))
        return float(losses.sum() / self.n + self.paid.value(theta).sum())

    def slopes(self, theta: Floats) -> Floats:
        """Return the gradient of the average loss."""
        slopes = self.c * self.y * loss_slope(self.loss, self.margins(theta))
        return self.features.T @ slopes / self.n

    def violations(self, theta: Floats) -> Floats:
        """Return the violation of each weight's optimality condition."""
        return self.paid.violation(self.slopes(theta), theta)

    def pulls(self, duals: Floats) -> Floats:
        """v(a), what the documents pull each weight with; balanced duals do not pull a free one."""
        pulls = self.features.T @ (self.c * duals * self.y) / self.n
        if self.intercept == "free":
            assert abs(pulls[-1]) <= 1e-9, "a free constant asks for balanced duals"
            pulls[-1] = 0.0
        return pulls

    def weights_of(self, duals: Floats) -> Floats:
        """w(a) of ridge, with the constant's unless that is free."""
        return self.pulls(duals)[self.is_paid] / (2 * self.lam)

    def dual_objective(self, duals: Floats) -> float:
        conjugates = self.c * loss_conjugate(self.loss, duals)
        return float(-conjugates.sum() / self.n - self.paid.conjugate(self.pulls(duals)).sum())

    def relative_gap(self, theta: Floats, duals: Floats) -> float:
        objective = self.objective(theta)
        return (objective - self.dual_objective(duals)) / objective

    def duals_at(self, theta: Floats) -> tuple[Floats, float]:
        """a = -s f'(z), and the share s <= 1 that keeps the dual objective finite.

        With a free constant the duals of the class with the larger sum are scaled down first.
        """
        duals = -loss_slope(self.loss, self.margins(theta))
        if self.intercept == "free":
            of_class = [self.y > 0, self.y < 0]
            sums = [float(self.c[members] @ duals[members]) for members in of_class]
            for members, each in zip(of_class, sums, strict=True):
                if each != min(sums):
                    duals[members] *= max(0.0, min(sums)) / each
            if min(sums) <= 0.0 and sums[0] != sums[1]:
                duals[:] = 0.0
        share = self.paid.feasible_share(self.pulls(duals))
        return share * duals, share

    def kkt_residual(self, theta: Floats) -> float:
        """The largest violation, each relative to its weight's unit.

        The unit is the steepest slope of the loss along the weight at zero weights, or what an
        absolute value holds the weight with, if that is less.
        """
        slope = abs(float(loss_slope(self.loss, np.zeros(1))[0]))
        steepest = slope * (self.c @ abs(self.features)) / self.n
        held = np.where(self.paid.absolute > 0, self.paid.absolute, np.inf)
        units = np.maximum(np.minimum(steepest, held), 4 * np.finfo(float).eps * steepest)
        relative = self.violations(theta) / np.where(units > 0, units, np.inf)
        return float(relative.max(initial=0.0))

    def minimum(self) -> float:
        """The least objective where the loss is smooth, by L-BFGS-B; remembered, as it is dear."""
        key = (self.loss, self.features.tobytes(), self.y.tobytes(), self.c.tobytes(), self.n)
        key += tuple(value.tobytes() for value in vars(self.paid).values())
        if key not in _MINIMA:
            _MINIMA[key] = self.objective(self.minimiser())
        return _MINIMA[key]

    def minimiser(self) -> Floats:
        """Return the minimum. Each w is m + p - q with p, q >= 0, so that |w - m| is p + q."""
        paid, size = self.paid, self.features.shape[1]
        if size == 0:
            return np.zeros(0)

        def at(parts):
            away = parts[:size] - parts[size:]
            theta = paid.mean + away
            losses = self.c @ loss_value(self.loss, self.margins(theta)) / self.n
            value = losses + paid.absolute @ (parts[:size] + parts[size:]) + paid.squared @ away**2
            slopes = self.slopes(theta) + 2 * paid.squared * away
            return value, np.concatenate([slopes + paid.absolute, paid.absolute - slopes])

        up, down = paid.high - paid.mean, paid.mean - paid.low
        bounds = [(0.0, float(most)) for most in np.concatenate([up, down])]
        options = {"maxcor": 50, "maxiter": 20000, "maxfun": 40000, "ftol": 1e-13, "gtol": 1e-8}
        parts, best = np.zeros(2 * size), np.inf
        # With bounds its line search gives up early: it begins anew while that helps.
        for _ in range(50):
            found = scipy.optimize.minimize(
                at, parts, jac=True, method="L-BFGS-B", bounds=bounds, options=options
            )
            parts = found.x - np.tile(np.minimum(found.x[:size], found.x[size:]), 2)
            if found.fun >= best * (1 - 1e-8):
                break
            best = found.fun
        weights = paid.mean + parts[:size] - parts[size:]
        return np.clip(weights, paid.low, paid.high)

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

"""Priors in NumPy: the penalties of all weights, one entry for each.

::

    prior(w) = a |w - m| + b (w - m)²    for low <= w <= high, else infinite

Everything that can be found by trying is: conjugates by cutting brackets, steps by a grid.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

from postil.learn.priors import PRIORS

Floats = NDArray[np.float64]
Formula = Callable[..., Any]


def _larger(first, second):
    return np.where(np.real(second) > np.real(first), second, first)


def _log_normal(z):
    """ln Φ(z), and the first order of a complex step: SciPy's own has half the digits."""
    value = scipy.special.log_ndtr(np.real(z))
    if not np.iscomplexobj(z):
        return value
    density = np.exp(-(np.real(z) ** 2) / 2 - np.log(2 * np.pi) / 2 - value)
    return value + 1j * np.imag(z) * density


_WORDS = {
    "max": _larger,
    "ln": np.log,
    "exp": np.exp,
    "abs": lambda x: _larger(x, -x),
    "lnΦ": _log_normal,
}


@cache
def read_formula(formula: str, *variables: str) -> Formula:
    """The function that a formula for people describes: ² is a square, a space multiplies."""
    python = re.sub(r"\|(\w+)\|", r"abs(\1)", formula).replace("ln Φ", "lnΦ")
    python = re.sub(r"(?<=[\w)²]) (?=[\w(])", "*", python).replace("²", "**2")
    names = ", ".join(variables)
    return eval(f"lambda {names}: {python}", dict(_WORDS))


def strength_of(prior: str, lam: float, mix: float) -> tuple[float, float]:
    """a and b of a registered prior, from its formula at w = 1 and w = 2."""
    formula = read_formula(PRIORS[prior].formula, "λ", "w", "ρ")
    one, two = float(formula(lam, 1.0, mix)), float(formula(lam, 2.0, mix))
    squared = (two - 2 * one) / 2
    return (0.0 if mix == 0 else one - squared), (0.0 if mix == 1 else squared)


@dataclass(frozen=True)
class Paid:
    """Return the penalty of each weight."""

    absolute: Floats
    squared: Floats
    mean: Floats
    low: Floats
    high: Floats

    @classmethod
    def alike(cls, absolute: float, squared: float, count: int) -> Paid:
        """The same for so many weights."""
        return cls(
            np.full(count, absolute),
            np.full(count, squared),
            np.zeros(count),
            np.full(count, -np.inf),
            np.full(count, np.inf),
        )

    def of(self, places) -> Paid:
        """The same for some of the weights."""
        return Paid(*(value[places] for value in vars(self).values()))

    def put(self, place: int, **values: float) -> Paid:
        """With other numbers at one place."""
        copies = {name: getattr(self, name).copy() for name in values}
        for name, value in values.items():
            copies[name][place] = value
        return replace(self, **copies)

    @property
    def rest(self) -> Floats:
        """Return the weights at which the prior is smallest."""
        return np.clip(self.mean, self.low, self.high)

    def value(self, weights: Floats) -> Floats:
        away = weights - self.mean
        inside = (self.low <= weights) & (weights <= self.high)
        return np.where(inside, self.absolute * np.abs(away) + self.squared * away**2, np.inf)

    def violation(self, slopes: Floats, weights: Floats) -> Floats:
        """Return the distance of 0 from the subgradient of slope·w + prior(w), an interval."""
        away = weights - self.mean
        pull = slopes + 2 * self.squared * away
        least = pull + np.where(away > 0, self.absolute, -self.absolute)
        most = pull + np.where(away < 0, -self.absolute, self.absolute)
        least = np.where(weights <= self.low, -np.inf, least)
        most = np.where(weights >= self.high, np.inf, most)
        return np.maximum(0, np.maximum(least, -most))

    def feasible_share(self, duals: Floats) -> float:
        """The greatest share of v for which all conjugates are finite."""
        bound = np.where(duals > 0, self.high, self.low)
        held = (self.squared > 0) | np.isfinite(bound) | (np.abs(duals) <= self.absolute)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(held, 1.0, self.absolute / np.abs(duals))
        return float(shares.min(initial=1.0))

    def conjugate(self, duals: Floats, reach: float = 1e6) -> Floats:
        """sup_w (vw - prior(w)) by cutting the bracket [m - reach, m + reach] within the bounds."""
        low, high = np.maximum(self.low, -reach), np.minimum(self.high, reach)
        low, high = low.copy(), high.copy()

        def height(weights):
            # Not value(): rounding may put a weight a bit beyond its bound.
            away = weights - self.mean
            return duals * weights - self.absolute * np.abs(away) - self.squared * away**2

        for _ in range(130):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            is_left = height(left) > height(right)
            low, high = np.where(is_left, low, left), np.where(is_left, right, high)
        # Narrow brackets may have missed a corner: it is one of these.
        found = [height((low + high) / 2), height(self.rest)]
        return np.max(found, axis=0)

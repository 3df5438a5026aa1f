"""Reference of polychotomous logistic regression in dense NumPy and SciPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from postil.learn.all_classes import PolychotomousMethod
from postil.learn.job import Design, Job, Labels
from postil.learn.strength import Regularization

TIGHT = {"tolerance": 1e-10, "iterations": 10_000}


def names(count):
    return tuple("abcdefghij"[:count])


def labels_of(y, classes):
    return Labels.of([[names(classes)[k]] for k in y], names(classes))


def design_of(x):
    return Design(sp.csr_matrix(x))


def sample(seed, documents=60, terms=8, classes=3, density=0.5):
    """Values that single precision holds exactly, and classes that lean on them."""
    rng = np.random.default_rng(seed)
    x = rng.choice([1.0, 0.5, -1.0, 2.0], (documents, terms))
    x *= rng.random(x.shape) < density
    scores = x @ rng.normal(size=(terms, classes)) + rng.gumbel(size=(documents, classes))
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return x, y


@dataclass(frozen=True)
class Multinomial:
    """The problem with a constant column, if any, last: classes × columns of everything."""

    x: np.ndarray
    y: np.ndarray
    absolute: np.ndarray
    squared: np.ndarray
    mean: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, x, y, classes, *, absolute=0.0, squared=0.0, mean=0.0, constant=None, weights=None):
        if constant is not None:
            x = np.column_stack([x, np.full(len(x), constant)])
        shape = (classes, x.shape[1])
        full = [np.broadcast_to(each, shape).astype(float) for each in (absolute, squared, mean)]
        return cls(x, y, *full, np.ones(len(y)) if weights is None else weights)

    def _shares(self):
        return self.weights / self.weights.sum()

    def loss(self, w):
        z = self.x @ w.T
        return self._shares() @ (logsumexp(z, axis=1) - z[np.arange(len(z)), self.y])

    def slopes(self, w):
        """Return the gradient of the average loss."""
        q = softmax(self.x @ w.T, axis=1)
        q[np.arange(len(q)), self.y] -= 1.0
        return (self._shares()[:, None] * q).T @ self.x

    def objective(self, w):
        away = w - self.mean
        return self.loss(w) + (self.absolute * abs(away) + self.squared * away**2).sum()

    def gap(self, w):
        """The objective less the dual at q = s p + (1 - s) y, for the largest feasible s."""
        v = -self.slopes(w)
        only = (self.squared == 0) & (abs(v) > self.absolute)
        share = (self.absolute[only] / abs(v[only])).min(initial=1.0)
        y = np.eye(len(w))[self.y]
        q = share * softmax(self.x @ w.T, axis=1) + (1 - share) * y
        return self.objective(w) - self.dual(q)

    def dual(self, q):
        """The dual objective; a pull on a weight that nothing holds is taken for rounding."""
        v = (self._shares()[:, None] * (np.eye(q.shape[1])[self.y] - q)).T @ self.x
        free = (self.squared == 0) & (self.absolute == 0)
        assert abs(v[free]).max(initial=0.0) <= 1e-9, "free weights ask for balanced duals"
        entropy = np.where(q > 0, q * np.log(np.maximum(q, 1e-300)), 0.0).sum(axis=1)
        excess = np.maximum(abs(v) - self.absolute, 0.0)
        conjugate = v * self.mean
        has_square = self.squared > 0
        conjugate[has_square] += excess[has_square] ** 2 / (4 * self.squared[has_square])
        return -self._shares() @ entropy - conjugate.sum()

    def minimum(self, low=-np.inf, high=np.inf):
        """By L-BFGS-B over w = mean + u - v with u, v >= 0, which makes |w - mean| smooth."""
        shape = self.mean.shape
        size = self.mean.size
        low, high = (np.broadcast_to(bound, shape) - self.mean for bound in (low, high))

        def parts(both):
            u, v = both[:size].reshape(shape), both[size:].reshape(shape)
            w = self.mean + u - v
            value = self.loss(w) + (self.absolute * (u + v) + self.squared * (u - v) ** 2).sum()
            slope = self.slopes(w) + 2 * self.squared * (u - v)
            return value, np.concatenate([(self.absolute + s * slope).ravel() for s in (1, -1)])

        most = [np.clip(high, 0, None).ravel(), np.clip(-low, 0, None).ravel()]
        bounds = [(0.0, m if np.isfinite(m) else None) for m in np.concatenate(most)]
        found = minimize(
            parts,
            np.zeros(2 * size),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-10},
        )
        return self.mean + (found.x[:size] - found.x[size:]).reshape(shape)


def whole(fit, constant=None):
    """The weights of a fit, the constant's last."""
    w = fit.weights.toarray()
    return w if constant is None else np.column_stack([w, fit.intercepts / constant])


def method_of(prior="gaussian", *, lam=1e-2, intercept="penalised", **rest):
    options = TIGHT | rest.pop("options", {})
    return PolychotomousMethod(prior, Regularization(lam=lam), intercept, options=options, **rest)


def learned(x, y, classes, method, **rest):
    return method.fit(Job(design_of(x), labels_of(y, classes), **rest))

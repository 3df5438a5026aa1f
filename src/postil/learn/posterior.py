"""Posterior variances of weights: the Laplace approximation around the mode.

With n documents of weights cᵢ, the negative logarithm of the posterior is n times the objective,

::

    L(w, b) = Σᵢ cᵢ ln(1 + exp(-yᵢ (w·xᵢ + b))) + n Σⱼ (aⱼ |wⱼ - mⱼ| + bⱼ (wⱼ - mⱼ)²)

with aⱼ and bⱼ as in :class:`~postil.learn.strength.Strengths` and
:class:`~postil.learn.term_priors.priors.TermPrior`. The Laplace approximation is a Gaussian whose
precision is the curvature of L at the mode, here along each weight alone, so that the variance of a
weight is 1/hⱼ:

::

    hⱼ = Σᵢ cᵢ pᵢ (1 - pᵢ) xᵢⱼ² + πⱼ,    pᵢ = 1/(1 + exp(-w·xᵢ - b))

πⱼ is the precision of the prior. That of the square is its curvature, 2nbⱼ: 1/σⱼ² for a Gaussian
prior. The absolute value has a curvature of 0 except at its corner. It is replaced by the quadratic
bound that touches it at the weight ŵ, |w| ≤ w²/(2|ŵ|) + |ŵ|/2 (Tibshirani 1996, section 2.5):

::

    πⱼ = 2 n bⱼ + n aⱼ/|wⱼ - mⱼ|

A weight at the corner, which for a mean of 0 is a weight of 0, thus counts as known. (A Gaussian of
the Laplace prior's own variance, 2/(naⱼ)², would constrain the weights of a wide prior too little,
and makes moderated probabilities of Reuters worse.)

The constant is one more weight u, of a feature of value k: b = k u has the variance k²/hᵤ, with
πᵤ = 0 where it is free. A prior of variance 0 gives a variance of 0.

Limits: weights of 0 count as known, so that the intervals of a lasso cover the terms it kept. Each
weight varies alone: weights of correlated terms are less certain than these variances say. Bounds
of a weight are ignored unless they are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Job
from postil.learn.tasks import CategoryTasks
from postil.learn.term_priors.priors import TermPrior, TermPriors

if TYPE_CHECKING:
    from postil.learn.method import Method

# The variance of a weight without any precision: the largest that a model file can hold.
WIDEST = float(np.finfo(np.float32).max)


def _logistic(scores: Floats) -> Floats:
    curvatures: Floats = expit(scores) * expit(-scores)  # p (1 - p), exact for large scores too
    return curvatures


# The curvature, by the score, of each loss that is the logarithm of a likelihood.
CURVATURES: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType({"logistic": _logistic})


def check_has_posterior(method: Method) -> None:
    """Raise UsageError if the objective of a method is not a posterior of this kind."""
    loss, prior, _ = method.parts
    if loss.name not in CURVATURES:
        raise UsageError(
            f"posterior: there are no variances for the loss {loss.name}; write loss = "
            f"{' or '.join(map(repr, CURVATURES))}, or leave posterior out"
        )
    if "strength" not in prior.provides:
        raise UsageError(
            f"posterior: the prior {prior.name} has no variance; use another prior, or leave "
            "posterior out"
        )


def with_variances(fit: LinearFit, job: Job, method: Method) -> LinearFit:
    """Return the fit with a variance for each of its weights and for its constants.

    The job and the method must be those of the fit. A category without anything to learn has
    variances of 0. The cost is two passes over the non-zeros of each category's kept terms; memory
    is that of the weights, and 20 bytes for each of these non-zeros of one category at a time.
    """
    check_has_posterior(method)
    design = job.design
    tasks = CategoryTasks(job.labels, job.sample_weights)
    pairs = tasks.pairs(method.regularization.of_job(job), method)[:, 0]
    precisions = _Precisions(job.term_priors, pairs, tasks.total, method, design.terms)
    members = job.labels.by_category()
    variances = np.zeros(fit.weights.nnz)
    intercepts = np.zeros(len(job.labels))
    for category in tasks.learnable.tolist():
        cells = slice(fit.weights.indptr[category], fit.weights.indptr[category + 1])
        terms = fit.weights.indices[cells]
        # The constant's weight comes last.
        constant = fit.intercepts[category] / method.constant
        weights = np.append(fit.weights.data[cells], constant)
        counts = _sample_weights_of(tasks, members, category)
        by_data = _data_precisions(design, terms, weights, counts, method)
        held = by_data + precisions.of(category, terms, weights)
        found = np.minimum(1.0 / np.maximum(held, 1.0 / WIDEST), WIDEST)
        variances[cells] = found[:-1]
        if method.intercept != "none":
            intercepts[category] = min(WIDEST, float(found[-1]) * method.constant**2)
    pattern = (variances, fit.weights.indices, fit.weights.indptr)
    return replace(
        fit,
        variances=sp.csr_matrix(pattern, shape=fit.weights.shape),
        intercept_variances=intercepts,
    )


class _Precisions:
    """The precisions that the prior gives each weight."""

    def __init__(
        self,
        priors: TermPriors | None,
        pairs: Floats,
        documents: float,
        method: Method,
        terms: int,
    ) -> None:
        self._pairs = pairs
        self._documents = documents
        self._method = method
        self._priors = priors or TermPriors(terms)
        self._common = self._priors.common(documents, method.share)

    def of(self, category: int, terms: NDArray[Any], weights: Floats) -> Floats:
        """Return the precisions at the weights of some terms and, last, of the constant."""
        places = np.append(terms, self._priors.terms)
        numbers = self._common[places]
        own = self._priors.own.get(category, {})
        for at in np.flatnonzero(np.isin(places, list(own))).tolist():
            prior = own[int(places[at])]
            numbers[at] = prior.numbers(self._documents, self._method.share)
        if self._method.intercept == "free":
            numbers[-1] = TermPrior(variance=math.inf).numbers(self._documents, self._method.share)
        absolute, squared = (numbers[:, :2] * self._pairs[category] + numbers[:, 2:4]).T
        mean, low, high = numbers[:, 4:].T
        held: Floats = 2.0 * self._documents * squared
        pulled = absolute > 0
        with np.errstate(divide="ignore"):  # at the corner the precision is infinite
            away = np.abs(weights - mean)[pulled]
            held[pulled] += self._documents * absolute[pulled] / away
        held[low == high] = np.inf
        return held


def _data_precisions(
    design: Design, terms: NDArray[Any], weights: Floats, counts: Floats, method: Method
) -> Floats:
    """Return the precisions that the documents give some terms and, last, the constant."""
    every = len(terms) == design.terms and bool((np.diff(terms) > 0).all())
    part: Any = (design.columns if every else design.columns[:, terms]).astype(np.float64)
    scores = part @ weights[:-1] + weights[-1] * method.constant
    curvatures = counts * CURVATURES[method.loss](scores)
    part.data **= 2
    return np.append(part.T @ curvatures, curvatures.sum() * method.constant**2)


def _sample_weights_of(tasks: CategoryTasks, members: sp.csc_matrix[Any], category: int) -> Floats:
    """Return the weight of each document in the fit of a category."""
    inside = members.indices[members.indptr[category] : members.indptr[category + 1]]
    weights: Floats = tasks.documents * tasks.other_weights[category]
    weights[inside] = tasks.documents[inside] * tasks.member_weights[category]
    return weights

"""Small problems of many shapes, and every legal method, found by trying."""

from __future__ import annotations

import os
from dataclasses import fields
from functools import cache
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp

from postil import _native
from postil.errors import UsageError
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.priors import PRIORS
from postil.learn.solvers import SOLVERS, InterceptKind
from postil.learn.strength import Regularization

from .reference import GAMMA, Paid, Problem
from .reference_priors import strength_of

# "yes" where learning has changed: all combinations of parts in what a method promises, all pairs
# elsewhere. "all" before a release: all combinations everywhere.
FULL = os.environ.get("POSTIL_FULL", "")
LAM = 1e-2
LOSS_OPTIONS = {"smoothed-hinge": {"gamma": GAMMA}}
TIGHT = {"tolerance": 1e-12, "iterations": 1_000_000}


def method_of(parts, *, lam=LAM, constant=1.0, mix=None, **options) -> Method:
    """A method of (loss, prior, solver, intercept) that works until it is certified to 1e-6."""
    loss, prior, solver, intercept = parts
    if "objective" in SOLVERS[solver].provides:
        options = {"tolerance": 1e-6, "iterations": 1_000_000} | options
    is_held = "strength" in PRIORS[prior].provides and "objective" in SOLVERS[solver].provides
    strength = Regularization(lam=lam if is_held else None)
    of_loss = LOSS_OPTIONS.get(loss, {})
    return Method(loss, prior, solver, strength, intercept, constant, options, mix, of_loss)


def _is_legal(parts) -> bool:
    try:
        method_of(parts)
    except UsageError:
        return False
    return True


LEGAL = [
    parts for parts in product(LOSSES, PRIORS, SOLVERS, get_args(InterceptKind)) if _is_legal(parts)
]
# A solver that goes to a limit comes near it, and no nearer: it has tests of its own.
REACHING = [parts for parts in LEGAL if "limit" not in SOLVERS[parts[2]].provides]
# Those that minimise something; mistakes may go on for ever.
MINIMISING = [parts for parts in REACHING if "objective" in SOLVERS[parts[2]].provides]
# Those with a minimum that the reference finds. A prior without a variance is not convex or an
# entropy: what holds of any method is tested with LEGAL, the rest of such a prior in a module of
# its own.
EVERY = [parts for parts in MINIMISING if "variance" in PRIORS[parts[1]].provides]
PROBLEMS = sorted({(loss, prior, intercept) for loss, prior, _, intercept in EVERY})


def with_option(name):
    """The methods whose solver has an option of that name."""
    return [parts for parts in EVERY if name in {f.name for f in fields(SOLVERS[parts[2]].options)}]


def providing(what):
    """The methods whose solver provides something."""
    return [parts for parts in EVERY if what in SOLVERS[parts[2]].provides]


def covering(methods, together=1):
    """Return a few methods in which each solver meets all its losses, priors and intercepts.

    With 2 together it meets all pairs of a loss and a prior, a loss and an intercept, and a prior
    and an intercept.
    """

    def met(parts):
        places = combinations((0, 1, 3), together)
        return {(parts[2], *((at, parts[at]) for at in chosen)) for chosen in places}

    left = set().union(*map(met, methods))
    chosen = []
    while left:
        chosen.append(max(methods, key=lambda parts: len(left & met(parts))))
        left -= met(chosen[-1])
    return chosen


def _with(chosen):
    return pytest.mark.parametrize("parts", [pytest.param(p, id="/".join(p)) for p in chosen])


def each(methods):
    """Run a test with a few methods that cover all; in a full run (POSTIL_FULL), all pairs."""
    return _with(list(methods) if FULL == "all" else covering(list(methods), 2 if FULL else 1))


def every_one_of(methods):
    """Run a test with every method in a full run, else with a few that cover them."""
    return _with(list(methods) if FULL else covering(list(methods)))


# For what a method promises, its certificate and its objective, and for how others use it.
ALL_METHODS = every_one_of(EVERY)
EVERY_METHOD = each(EVERY)
ANY_METHOD = each(REACHING)
ANY_MINIMUM = each(MINIMISING)


def one_of_each_solver(methods):
    """Return the first method of each solver, for what does not depend on the loss or the prior."""
    return [next(p for p in methods if p[2] == solver) for solver in {p[2]: None for p in methods}]


EVERY_SOLVER = each(one_of_each_solver(LEGAL))
REACHING_SOLVER = each(one_of_each_solver(REACHING))


def sparse_values(rng, documents, terms, density=0.3):
    values = rng.choice([1.0, 0.5, -1.0, 2.0], (documents, terms))
    return values * (rng.random((documents, terms)) < density)


def planted(rng, x, categories=2, noise=0.5):
    """Memberships that lean on the terms, with both kinds in every category."""
    scores = x @ rng.normal(size=(x.shape[1], categories))
    truth = scores + noise * rng.normal(size=scores.shape) > 0.3
    truth[0], truth[1] = True, False
    return truth


def _many_documents(rng):
    x = sparse_values(rng, 50, 8)
    return x, planted(rng, x)


def _many_terms(rng):
    x = sparse_values(rng, 12, 40)
    return x, planted(rng, x)


def _empty_documents(rng):
    x = sparse_values(rng, 20, 10)
    x[::3] = 0.0
    return x, planted(rng, x)


def _empty_terms(rng):
    x = sparse_values(rng, 20, 12)
    x[:, [0, 5, 11]] = 0.0
    return x, planted(rng, x)


def _duplicates(rng):
    """Equal documents, also with contrary labels."""
    x = np.repeat(sparse_values(rng, 8, 10), 3, axis=0)
    truth = planted(rng, x)
    truth[3], truth[4] = True, False
    return x, truth


def _one_member(rng):
    x = sparse_values(rng, 25, 15)
    truth = np.zeros((25, 2), bool)
    truth[3, 0] = truth[7, 1] = True
    return x, truth


def _two_documents(rng):
    return np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]), np.array([[True], [False]])


def _no_terms(rng):
    return np.zeros((9, 0)), np.arange(9).reshape(-1, 1) < 3


SHAPES = {
    "many documents": _many_documents,
    "many terms": _many_terms,
    "empty documents": _empty_documents,
    "empty terms": _empty_terms,
    "duplicates": _duplicates,
    "one member": _one_member,
    "two documents": _two_documents,
    "no terms": _no_terms,
}
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES)


@cache
def sample(shape="many documents"):
    """Dense documents, memberships, and both as a design and labels."""
    x, truth = SHAPES[shape](np.random.default_rng(len(shape)))
    return x, truth, design_of(x), labels_of(truth)


def design_of(x) -> Design:
    return Design(sp.csr_matrix(np.asarray(x, np.float32)))


def labels_of(truth) -> Labels:
    truth = np.asarray(truth, bool)
    names = tuple(f"c{category}" for category in range(truth.shape[1]))
    return Labels(names, sp.csr_matrix(truth))


def problem_of(x, members, method, *, sample_weights=None, lam=None, paid=None) -> Problem:
    """The reference's problem of one category; ``paid`` is of each term and last the constant."""
    x = np.asarray(x, np.float32).astype(float)
    sample_weights = sample_weights or SampleWeights()
    documents = sample_weights.of_documents(len(x))
    inside, outside = sample_weights.of_classes(
        np.array([documents[members].sum()]), float(documents.sum())
    )
    usual = paid_by(method, float(documents.sum()), x.shape[1], lam=lam)
    return Problem(
        x=x,
        y=np.where(members, 1.0, -1.0),
        c=documents * np.where(members, inside[0], outside[0]),
        n=float(documents.sum()),
        terms_pay=paid or usual,
        loss=method.loss,
        prior=method.prior,
        intercept=method.intercept,
        constant=method.constant,
    )


def paid_by(method: Method, documents: float, terms: int, *, lam=None) -> Paid:
    """Return the penalty that all terms and the constant share, given λ, C or the variance."""
    given = {"lam": lam} if lam is not None else method.regularization.given()
    ((way, value),) = given.items()
    return Paid.alike(*pair_of(method.prior, method.share, way, value, documents), terms + 1)


def pair_of(prior, mix, way, value, documents) -> tuple[float, float]:
    """a and b of a prior, said in one of three ways."""
    if way == "lam":
        return strength_of(prior, value, mix)
    # genkin-lewis-madigan-2004: exp(-w²/2σ²) and exp(-√2|w|/σ), over n as losses are averaged.
    sigma = np.sqrt(value) if way == "prior_variance" else None
    gaussian = 1 / (2 * value * documents)
    laplace = (np.sqrt(2) / sigma if sigma else 1 / value) / documents
    return mix * laplace, (1 - mix) * gaussian


def assignment_of(
    labels: Labels, method: Method, lam: float, sample_weights=None
) -> _native.Assignment:
    """All categories for the native core, learnable or not."""
    members = labels.by_category()
    ones = np.ones(len(labels))
    pair = strength_of(method.prior, lam, method.share)
    return _native.Assignment(
        _native.Lists(members.indptr.astype(np.int64), members.indices.astype(np.int32)),
        (sample_weights or SampleWeights()).of_documents(labels.documents),
        ones,
        ones,
        np.tile(pair, (len(labels), 1, 1)),
        None,
        [],
    )


def theta_of(problem: Problem, fit, category: int):
    weights = fit.weights[[category]].toarray().ravel()
    return problem.theta(weights, float(fit.intercepts[category]))


def lambda_of(regularization, documents):
    """λ of a Gaussian prior."""
    return float(regularization.strengths(1).pairs(documents, 0.0)[0, 1])

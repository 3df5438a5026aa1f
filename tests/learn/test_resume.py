"""Resuming from weights with other documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.job import Design, Job, Labels
from postil.learn.method import Method
from postil.learn.resume import document_strengths, exponents, has_units, usable_units
from postil.learn.strength import Regularization

ORDERED = {"shuffle": False, "iterations": 3}
ADDITIVE = Method("perceptron", "gaussian", "mistake-driven", options=ORDERED)
SVM = Method("hinge", "gaussian", "dual-gradient", Regularization(lam=1e-3), options=ORDERED)


def winnow(prior="entropy", signs="balanced", solver="mistake-driven", **more):
    loss = "perceptron" if solver == "mistake-driven" else "hinge"
    told = {"signs": signs} | ({"threshold": 0.5} if signs == "positive" else {})
    return Method(loss, prior, solver, options=ORDERED, prior_options=told, **more)


METHODS = [
    ADDITIVE,
    SVM,
    Method("perceptron", "gaussian", "mistake-driven", intercept="none", options=ORDERED),
    *(
        winnow(prior, signs, solver, intercept=intercept, constant=2.0)
        for prior in ("entropy", "normalised-entropy")
        for signs in ("balanced", "positive")
        for solver in ("mistake-driven", "dual-gradient")
        for intercept in ("none", "penalised")
    ),
]


def drawn(seed=0, documents=40, terms=12):
    rng = np.random.default_rng(seed)
    matrix = sp.random(documents, terms, 0.4, "csr", random_state=rng, data_rvs=rng.random)
    members = sp.csr_matrix(rng.random((documents, 3)) < 0.4)
    return Design(matrix), Labels(("a", "b", "c"), members)


def weights_of(method, theta, unit):
    signs = method.prior_options.get("signs")
    if signs is None:
        return theta
    return unit * (np.exp(theta) - (np.exp(-theta) if signs == "balanced" else 0.0))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_exponents_are_those_that_the_weights_are_of(method):
    design, labels = drawn()
    found = method.fit(Job(design, labels, quiet=True))
    for category in range(3):
        unit = None if found.units is None else found.units[category]
        weights = found.weights[[category]].toarray()[0]
        theta = exponents(method, weights, found.intercepts[category], unit)
        np.testing.assert_allclose(weights_of(method, theta[:-1], unit), weights, rtol=1e-9)
        if method.intercept == "none":
            assert theta[-1] == 0.0
            continue
        threshold = method.prior_options.get("threshold", 0.0)
        constant = weights_of(method, theta[-1], unit) * method.constant - threshold
        assert constant == pytest.approx(found.intercepts[category])


@pytest.mark.parametrize("method", [m for m in METHODS if m.intercept == "none"], ids=str)
def test_going_on_with_nothing_new_to_learn_changes_nothing(method):
    """A document without terms that no constant sees moves no weight."""
    design, labels = drawn()
    found = method.fit(Job(design, labels, quiet=True))
    units = found.units if found.units is not None else [None] * 3
    starts = [
        exponents(method, found.weights[[c]].toarray()[0], found.intercepts[c], units[c])
        for c in range(3)
    ]
    empty = Design(sp.csr_matrix((1, design.terms)))
    nobody = Labels(labels.names, sp.csr_matrix((1, 3), dtype=bool))
    again = method.fit(Job(empty, nobody, resume_from=starts, quiet=True))
    np.testing.assert_allclose(again.weights.toarray(), found.weights.toarray(), rtol=1e-9)
    np.testing.assert_allclose(again.intercepts, found.intercepts, atol=1e-12)


def test_lambda_means_the_same_for_each_document():
    design, labels = drawn()
    found = SVM.fit(Job(design, labels, quiet=True))
    given = document_strengths(SVM, [report.lam for report in found.reports], 40)
    np.testing.assert_allclose(given.values, 1 / (2 * 1e-3 * 40))
    entropy = winnow(solver="dual-gradient", regularization=Regularization(lam=1e-3))
    reports = entropy.fit(Job(design, labels, quiet=True)).reports
    given = document_strengths(entropy, [report.lam for report in reports], 40)
    np.testing.assert_allclose(given.values, 1 / (1e-3 * 40))
    assert document_strengths(ADDITIVE, [0.0], 40) is None


def test_a_positive_weight_that_vanished_has_a_low_exponent():
    found = exponents(winnow(signs="positive", intercept="none"), [0.0, 0.01], -0.5, 0.01)
    assert np.isfinite(found).all()
    assert found[0] < -90
    assert found[1:].tolist() == [0.0, 0.0]


def test_methods_that_cannot_resume_are_refused():
    assert ADDITIVE.can_resume
    assert not Method().can_resume
    with pytest.raises(UsageError, match="need a unit to resume from"):
        exponents(winnow(), [1.0], 0.0, None)
    assert has_units(winnow())
    assert not has_units(SVM)


def test_units_out_of_range_are_none():
    assert usable_units(None) is None
    assert usable_units(np.array([1.0, 0.0])) is None
    assert usable_units(np.array([1.0, np.inf])) is None
    assert usable_units(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]

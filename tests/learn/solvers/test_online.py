"""Updates document by document, beside the printed algorithms."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
import scipy.optimize

from postil.errors import UsageError
from postil.learn.job import Job, SampleWeights
from postil.learn.method import Method
from postil.learn.strength import Regularization

from ..samples import design_of, labels_of, planted, sample, sparse_values
from .winnow_reference import Family, by_duals, by_mistakes

FAMILIES = {
    "additive": Family("additive"),
    "balanced": Family("entropy", mu=0.05),
    "positive": Family("entropy", mu=0.2, positive=True, threshold=1.0),
    "normalised": Family("normalised-entropy", mu=0.05),
    "normalised to 3": Family("normalised-entropy", mu=0.05, total=3.0),
    "normalised, positive": Family("normalised-entropy", mu=0.2, positive=True, threshold=0.5),
}
EVERY_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
C = 0.7


def method_of(family: Family, solver: str, intercept="penalised", constant=1.0, **options):
    loss = "hinge" if solver == "dual-gradient" else "perceptron"
    prior, told = "gaussian", {}
    if family.kind != "additive":
        prior, told = family.kind, {"mu": family.mu, "threshold": family.threshold}
        told["signs"] = "positive" if family.positive else "balanced"
        if family.total is not None:
            told["total"] = family.total
    strength = Regularization(C=C if solver == "dual-gradient" else None)
    options = {"shuffle": False} | options
    return Method(loss, prior, solver, strength, intercept, constant, options, prior_options=told)


def lesson(seed=3, documents=30, terms=12, categories=11, constant=1.0):
    """More categories than a block has lanes, and dense documents with the constant's column."""
    rng = np.random.default_rng(seed)
    # No two scores that are equal but for rounding.
    x = sparse_values(rng, documents, terms) * rng.uniform(0.5, 1.5, (documents, terms))
    x = np.asarray(x, np.float32).astype(float)
    truth = planted(rng, x, categories)
    return x, np.column_stack([x, np.full(documents, constant)]), truth


def found_weights(found, category, constant=1.0, threshold=0.0):
    own = found.weights[[category]].toarray().ravel()
    return np.append(own, (found.intercepts[category] + threshold) / constant)


@EVERY_FAMILY
@pytest.mark.parametrize("constant", [1.0, 2.5])
def test_mistakes_move_weights_as_printed(family, constant):
    x, features, truth = lesson(constant=constant)
    method = method_of(family, "mistake-driven", constant=constant, rate=0.3, iterations=4)
    found = method.fit(Job(design_of(x), labels_of(truth)))
    for category in range(truth.shape[1]):
        y = np.where(truth[:, category], 1.0, -1.0)
        theta = by_mistakes(family, features, y, 0.3, 4)
        expected = family.net(family.weights(theta))
        ours = found_weights(found, category, constant, family.threshold)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)


@EVERY_FAMILY
def test_dual_updates_are_those_printed(family):
    x, features, truth = lesson()
    method = method_of(family, "dual-gradient", rate=0.05, iterations=7, tolerance=0.0)
    found = method.fit(Job(design_of(x), labels_of(truth), keep_starts=True))
    for category in range(truth.shape[1]):
        y = np.where(truth[:, category], 1.0, -1.0)
        bounds = np.full(len(y), C)
        duals = by_duals(family, features, y, 0.05, 7, bounds)
        np.testing.assert_allclose(found.starts[category] * C, duals, rtol=1e-8, atol=1e-10)
        theta = family.embed(features).T @ (duals * y)
        ours = found_weights(found, category, threshold=family.threshold)
        np.testing.assert_allclose(ours, family.net(family.weights(theta)), rtol=1e-8, atol=1e-10)
        primal = family.primal(features, y, theta, bounds)
        report, scale = found.reports[category], 1 / (C * len(y))
        assert report.objective == pytest.approx(primal * scale, rel=1e-9)
        gap = (primal - family.dual(features, y, duals)) * scale
        assert report.certificate * report.objective == pytest.approx(gap, rel=1e-6, abs=1e-12)


@EVERY_FAMILY
def test_newton_s_rate_finds_the_dual_s_maximum(family):
    x, features, truth = lesson(documents=20, categories=2)
    method = method_of(family, "dual-gradient", iterations=20_000, tolerance=1e-7)
    found = method.fit(Job(design_of(x), labels_of(truth)))
    for category in range(2):
        y = np.where(truth[:, category], 1.0, -1.0)

        def negated(duals, y=y):
            theta = family.embed(features).T @ (duals * y)
            slopes = 1 - y * family.scores(features, theta)
            return -family.dual(features, y, duals), -slopes

        best = scipy.optimize.minimize(
            negated, np.zeros(20), jac=True, method="L-BFGS-B", bounds=[(0, C)] * 20,
            options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-9},
        )  # fmt: skip
        report = found.reports[category]
        assert report.stopped == "certified"
        assert report.objective == pytest.approx(-best.fun / (C * 20), rel=1e-5)


@EVERY_FAMILY
@pytest.mark.parametrize("solver", ["mistake-driven", "dual-gradient"])
@pytest.mark.parametrize("values", ["any", "binary"])
def test_a_category_learns_alone_as_beside_others(family, solver, values):
    x, _, truth = lesson()
    if values == "binary":  # a document's terms then move together
        x = (x != 0.0).astype(float)
    method = method_of(family, solver, rate=0.2, iterations=9, shuffle=True)
    together = method.fit(Job(design_of(x), labels_of(truth), quiet=True))
    for category in (0, 7, 10):
        alone = method.fit(Job(design_of(x), labels_of(truth[:, [category]]), quiet=True))
        np.testing.assert_array_equal(
            alone.weights.toarray()[0], together.weights[[category]].toarray()[0]
        )
        assert alone.intercepts[0] == together.intercepts[category]


def test_normalising_changes_no_mistake():
    x, _, truth = lesson()
    fits = [
        method_of(FAMILIES[name], "mistake-driven", rate=0.01).fit(
            Job(design_of(x), labels_of(truth))
        )
        for name in ("balanced", "normalised")
    ]
    first, second = (found.scores(design_of(x).rows) for found in fits)
    np.testing.assert_array_equal(first >= 0, second >= 0)
    for one, other in zip(fits[0].reports, fits[1].reports, strict=True):
        assert one.iterations == other.iterations


@EVERY_FAMILY
@pytest.mark.parametrize("solver", ["mistake-driven", "dual-gradient"])
@pytest.mark.parametrize("scale", [30.0, 1e4, 1e8])
def test_no_exponent_overflows(family, solver, scale):
    """Weights of positive and unnormalised forms may leave double precision, and are refused."""
    x, _, truth = lesson()
    method = method_of(family, solver, rate=1.0, iterations=20, constant=scale)
    if family.kind == "entropy":
        with suppress(UsageError):
            method.fit(Job(design_of(x * scale), labels_of(truth), quiet=True))
        return
    found = method.fit(Job(design_of(x * scale), labels_of(truth), quiet=True))
    assert np.isfinite(found.weights.data).all()
    assert np.isfinite(found.intercepts).all()
    assert all(np.isfinite(report.objective) for report in found.reports)


def test_far_out_normalised_weights_are_the_exact_ones():
    family = FAMILIES["normalised"]
    x, features, truth = lesson(categories=1)
    scale = 512.0
    method = method_of(family, "mistake-driven", rate=1.0, iterations=5, constant=scale)
    found = method.fit(Job(design_of(x * scale), labels_of(truth)))
    y = np.where(truth[:, 0], 1.0, -1.0)
    theta = np.zeros(2 * features.shape[1])
    embedded = family.embed(features * scale)
    most = 0.0
    for _ in range(5):
        for i in range(len(y)):
            own = theta[np.flatnonzero(embedded[i])]
            powers = family.net(np.exp(np.minimum(theta, own.max()) - own.max()))
            if (features[i] @ powers >= 0) != (y[i] > 0):
                theta += y[i] * embedded[i]
                most = max(most, np.abs(theta).max())
    assert most > 709  # exp() of it is infinite
    powers = np.exp(theta - theta.max())
    expected = family.net(family.sum(len(theta)) * powers / powers.sum())
    ours = found_weights(found, 0, scale)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-300)


@EVERY_FAMILY
def test_two_halves_one_after_the_other_are_a_pass(family):
    x, features, truth = lesson(categories=3)
    method = method_of(family, "mistake-driven", rate=0.3, iterations=1)
    first = method.fit(Job(design_of(x[:15]), labels_of(truth[:15]), keep_starts=True))
    thetas = []
    for category in range(3):
        y = np.where(truth[:15, category], 1.0, -1.0)
        theta = by_mistakes(family, features[:15], y, 0.3, 1)
        thetas.append(theta if family.kind == "additive" or family.positive else theta[:13])
    second = method.fit(Job(design_of(x[15:]), labels_of(truth[15:]), resume_from=thetas))
    assert first.weights.shape == second.weights.shape
    for category in range(3):
        y = np.where(truth[:, category], 1.0, -1.0)
        expected = family.net(family.weights(by_mistakes(family, features, y, 0.3, 1)))
        ours = found_weights(second, category, threshold=family.threshold)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12)


@EVERY_FAMILY
def test_units_tell_exponents_from_weights(family):
    x, features, truth = lesson(categories=2)
    method = method_of(family, "mistake-driven", rate=0.3, iterations=3)
    found = method.fit(Job(design_of(x), labels_of(truth)))
    if family.kind == "additive":
        assert found.units is None
        return
    for category in range(2):
        unit, weights = found.units[category], found_weights(found, category, 1.0, family.threshold)
        theta = np.log(weights / unit) if family.positive else np.arcsinh(weights / (2 * unit))
        expected = by_mistakes(family, features, np.where(truth[:, category], 1.0, -1.0), 0.3, 3)
        np.testing.assert_allclose(theta, expected[: len(theta)], rtol=1e-9, atol=1e-9)


def test_only_updates_can_resume():
    _, _, design, labels = sample()
    with pytest.raises(UsageError, match="use mistake-driven or dual-gradient"):
        Method().fit(Job(design, labels, resume_from=[np.zeros(9)] * 2))
    with pytest.raises(UsageError, match="resume_from needs one array"):
        method_of(FAMILIES["additive"], "mistake-driven").fit(
            Job(design, labels, resume_from=[[0.0]])
        )


def test_a_strength_of_mistakes_is_refused():
    with pytest.raises(UsageError, match="by its steps alone"):
        Method("perceptron", "gaussian", "mistake-driven", Regularization(C=1.0))


def test_documents_that_weigh_nothing_teach_nothing():

    x, _, truth = lesson(categories=3)
    weights = np.repeat([1.0, 0.0], 15)
    for family in FAMILIES.values():
        for solver in ("mistake-driven", "dual-gradient"):
            method = method_of(family, solver, rate=0.2, iterations=5)
            some = method.fit(
                Job(
                    design_of(x),
                    labels_of(truth),
                    sample_weights=SampleWeights(weights),
                    quiet=True,
                )
            )
            half = method.fit(Job(design_of(x[:15]), labels_of(truth[:15]), quiet=True))
            np.testing.assert_allclose(
                some.weights.toarray(), half.weights.toarray(), rtol=1e-12, atol=1e-15
            )

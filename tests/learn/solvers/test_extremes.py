"""Extreme strengths, constant categories and tiny data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.features.selection import Selection
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.priors import PRIORS
from postil.learn.solvers import SOLVERS

from ..samples import (
    ALL_METHODS,
    ANY_MINIMUM,
    EVERY,
    EVERY_METHOD,
    LEGAL,
    MINIMISING,
    REACHING_SOLVER,
    design_of,
    each,
    labels_of,
    method_of,
    problem_of,
    sample,
    theta_of,
)

SMOOTH = [p for p in EVERY if p[0] != "hinge"]
LOGISTIC = [p for p in EVERY if p[0] == "logistic"]
MOST_MARGIN = 700  # beyond it the plain formula's exponential overflows
DUAL_LOGISTIC = ("logistic", "gaussian", "dual-coordinate", "penalised")
NO_MEMBER = "the category has no member: never chosen"
ALL_MEMBERS = "the category has nothing but members: always chosen"


@ALL_METHODS
def test_any_strength_gives_finite_and_honest_numbers(parts):
    for lam in (1e-100, 1e-30, 1e-12, 1e6, 1e30, 1e100):
        check_extreme_strength(parts, lam)


def check_extreme_strength(parts, lam):
    x, truth, design, labels = sample()
    method = method_of(parts, lam=lam, iterations=50)
    found = method.fit(Job(design, labels, quiet=True))
    assert np.isfinite(found.weights.data).all()
    assert np.isfinite(found.intercepts).all()
    for category, report in enumerate(found.reports):
        assert np.isfinite([report.objective, report.certificate]).all()
        assert report.objective >= 0
        assert report.certificate >= 0
        if report.stopped == "certified":
            assert report.certificate <= 1e-6
        problem = problem_of(x, truth[:, category], method)
        theta = theta_of(problem, found, category)
        if np.abs(problem.margins(theta)).max() < MOST_MARGIN:
            assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6, abs=1e-9)


@each(SMOOTH)
def test_a_huge_strength_leaves_nothing(parts):
    for lam in (1e6, 1e30, 1e100):
        check_huge_strength(parts, lam)


def check_huge_strength(parts, lam):
    _, truth, design, labels = sample()
    found = method_of(parts, lam=lam, tolerance=1e-10).fit(Job(design, labels))
    assert np.abs(found.weights.toarray()).max() <= 2 / lam
    if PRIORS[parts[1]].mix != 0:
        assert found.weights.nnz == 0
    if parts[3] == "free" and parts[0] == "logistic":
        odds = np.log(truth.sum(axis=0) / (~truth).sum(axis=0))
        np.testing.assert_allclose(found.intercepts, odds, atol=1e-4)
    elif parts[3] != "free":
        assert (np.abs(found.intercepts) <= 2 / lam).all()


# Dual weights are (1/2λn) times a sum that cancels: nothing is left of it at such a λ.
@each([p for p in LOGISTIC if "duals" not in SOLVERS[p[2]].provides])
def test_a_tiny_strength_is_no_strength_where_the_data_hold(parts):
    # Contrary labels of equal documents keep the weights finite without any prior.
    x = np.repeat(np.eye(3), 4, axis=0)
    truth = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]], bool).reshape(-1, 1)
    method = method_of(parts, lam=1e-13, iterations=20_000)
    found = method.fit(Job(design_of(x), labels_of(truth), quiet=True))
    scores = found.scores(design_of(x).rows)[::4, 0]
    np.testing.assert_allclose(scores, np.log([1 / 3, 1.0, 3.0]), atol=1e-3)


@EVERY_METHOD
def test_one_term(parts):
    x = np.array([[1.0], [1.0], [0.0], [-2.0], [0.5]])
    truth = np.array([[1], [1], [0], [0], [0]], bool)
    method = method_of(parts)
    found = method.fit(Job(design_of(x), labels_of(truth)))
    problem = problem_of(x, truth[:, 0], method)
    assert found.reports[0].stopped == "certified"
    if problem.is_smooth:
        assert found.reports[0].objective == pytest.approx(problem.minimum(), rel=1e-6)


@EVERY_METHOD
def test_nothing_in_any_document(parts):
    truth = np.array([[1], [0], [0]], bool)
    method = method_of(parts)
    found = method.fit(Job(design_of(np.zeros((3, 4))), labels_of(truth)))
    assert found.weights.nnz == 0
    assert found.reports[0].stopped == "certified"
    problem = problem_of(np.zeros((3, 4)), truth[:, 0], method)
    objective = problem.objective(theta_of(problem, found, 0))
    assert found.reports[0].objective == pytest.approx(objective, rel=1e-6)
    if problem.is_smooth:
        assert objective == pytest.approx(problem.minimum(), rel=1e-5)


@each(LOGISTIC)
def test_documents_that_weigh_nothing_may_hold_anything(parts):
    # Their term has no other document: it gets no weight, and its column takes no part.
    x, truth, _, _ = sample()
    wide = np.column_stack([x, np.where(np.arange(50) < 5, 1e6, 0.0)])
    weights = np.where(np.arange(50) < 5, 0.0, 1.0)
    method = method_of(parts, tolerance=1e-8)
    found = method.fit(
        Job(design_of(wide), labels_of(truth), sample_weights=SampleWeights(weights))
    )
    alone = method.fit(Job(design_of(x[5:]), labels_of(truth[5:])))
    np.testing.assert_allclose(found.weights.toarray()[:, :8], alone.weights.toarray(), atol=1e-3)
    assert not found.weights.toarray()[:, 8].any()


@each(SMOOTH)
def test_a_constant_column_beside_the_constant(parts):
    x, truth, _, _ = sample()
    wide = np.column_stack([x, np.full(50, 3.0)])
    method = method_of(parts)
    found = method.fit(Job(design_of(wide), labels_of(truth)))
    for category, report in enumerate(found.reports):
        problem = problem_of(wide, truth[:, category], method)
        assert report.stopped == "certified"
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-5)


# Solvers that go to a limit are among them: their gap is that of the limit. For each solver and
# intercept the loss and the prior are drawn.
CERTIFYING = [
    parts
    for parts in LEGAL
    if "objective" in SOLVERS[parts[2]].provides and "variance" in PRIORS[parts[1]].provides
]
SOLVERS_AND_INTERCEPTS = sorted({parts[2:] for parts in CERTIFYING})


def best_objective(problem):
    """The minimum in double precision, of weights in the units of their columns."""
    units = np.maximum(abs(problem.x).max(axis=0), 1e-300)
    pay, scales = problem.terms_pay, np.append(units, 1.0)
    pay = replace(pay, absolute=pay.absolute / scales, squared=pay.squared / scales**2)
    return replace(problem, x=problem.x / units, terms_pay=pay).minimum()


@pytest.mark.parametrize("kind", SOLVERS_AND_INTERCEPTS, ids="/".join)
@settings(max_examples=25)
@given(data=st.data())
def test_no_column_however_scaled_makes_a_certificate_lie(kind, data):
    parts = data.draw(st.sampled_from([p for p in CERTIFYING if p[2:] == kind]))
    x, truth, _, _ = sample()
    scale = st.sampled_from([1e-6, 1e-2, 1.0, 1.0, 1e2, 2e4, 1e6])
    scaled = x * np.array(data.draw(st.lists(scale, min_size=8, max_size=8)))
    if data.draw(st.booleans()):
        scaled[:, 0] = data.draw(scale)  # beside the constant, another one
    method = method_of(parts, lam=data.draw(st.sampled_from([1e-5, 1e-3, 0.1])), iterations=200)
    found = method.fit(Job(design_of(scaled), labels_of(truth[:, :1]), threads=1, quiet=True))
    problem = problem_of(scaled, truth[:, 0], method)
    (report,) = found.reports
    assert report.kind == "duality gap"
    if np.abs(problem.margins(theta_of(problem, found, 0))).max() < MOST_MARGIN:
        objective = problem.objective(theta_of(problem, found, 0))
        assert report.objective == pytest.approx(objective, rel=1e-6)
    if problem.is_smooth:
        best = best_objective(problem)
    else:  # no less than the minimum, whatever it finds
        long = replace(method, options={"tolerance": 1e-9, "iterations": 20_000})
        again = long.fit(Job(design_of(scaled), labels_of(truth[:, :1]), threads=1, quiet=True))
        best = again.reports[0].objective
    assert report.objective * (1 - report.certificate) <= best * (1 + 1e-6)


@each([p for p in SMOOTH if "duals" not in SOLVERS[p[2]].provides])
def test_a_large_column_hides_no_other(parts):
    # One term separates the classes; the other is the same large number in every document.
    x = np.column_stack([np.arange(60) < 20, np.full(60, 2e4)])
    truth = (np.arange(60) < 20)[:, None]
    found = method_of(parts, lam=1e-3, tolerance=1e-4).fit(
        Job(design_of(x), labels_of(truth), quiet=True)
    )
    (report,) = found.reports
    best = best_objective(problem_of(x, truth[:, 0], method_of(parts, lam=1e-3)))
    assert report.objective <= best * (1 + 1e-3)


@REACHING_SOLVER
def test_no_member_and_all_members_get_a_constant_and_a_note(parts):
    _, truth, design, _ = sample()
    columns = [np.zeros(50, bool), truth[:, 0], np.ones(50, bool), truth[:, 1]]
    found = method_of(parts).fit(Job(design, labels_of(np.column_stack(columns))))
    never, first, always, second = found.reports
    assert [never.note, always.note] == [NO_MEMBER, ALL_MEMBERS]
    for report in (never, always):
        assert (report.stopped, report.kind) == ("constant", "exact")
        assert (report.iterations, report.nonzeros, report.certificate) == (0, 0, 0.0)
    assert [never.members, always.members] == [0, 50]
    if parts in MINIMISING:
        assert first.stopped == second.stopped == "certified"
    scores = found.scores(design.rows)
    assert (scores[:, 0] < 0).all()
    assert (scores[:, 2] > 0).all()
    # Those that are learned do not notice the others.
    plain = method_of(parts).fit(Job(design, labels_of(truth)))
    np.testing.assert_array_equal(found.weights[[1, 3]].toarray(), plain.weights.toarray())
    np.testing.assert_array_equal(found.intercepts[[1, 3]], plain.intercepts)


@REACHING_SOLVER
def test_nothing_to_learn_at_all(parts):
    _, _, design, _ = sample()
    truth = np.zeros((50, 2), bool)
    truth[:, 1] = True
    found = method_of(parts).fit(Job(design, labels_of(truth)))
    assert found.weights.nnz == 0
    assert [report.note for report in found.reports] == [NO_MEMBER, ALL_MEMBERS]


def test_members_that_weigh_nothing_are_none():
    _, truth, design, labels = sample()
    weights = np.where(truth[:, 0], 0.0, 1.0)
    found = method_of(DUAL_LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(weights)))
    assert found.reports[0].note == NO_MEMBER
    assert found.reports[0].members == 0
    assert found.intercepts[0] < 0


def test_others_that_weigh_nothing_are_none():
    _, truth, design, labels = sample()
    weights = np.where(truth[:, 0], 1.0, 0.0)
    found = method_of(DUAL_LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(weights)))
    assert found.reports[0].note == ALL_MEMBERS
    assert found.intercepts[0] > 0


@pytest.mark.parametrize(
    ("classes", "is_member"),
    [
        pytest.param((0.0, 1.0), False),
        ((1.0, 0.0), True),
    ],
)
def test_a_class_that_weighs_nothing_decides_nothing(classes, is_member):
    # With one side weighing nothing, the loss of the other is all there is.
    _, _, design, labels = sample()
    found = method_of(DUAL_LOGISTIC).fit(
        Job(design, labels, sample_weights=SampleWeights(classes=classes))
    )
    assert [report.stopped for report in found.reports] == ["constant", "constant"]
    assert ((found.intercepts > 0) == is_member).all()


@REACHING_SOLVER
def test_no_categories(parts):
    _, _, design, _ = sample()
    found = method_of(parts).fit(Job(design, Labels((), sp.csr_matrix((50, 0), dtype=bool))))
    assert found.weights.shape == (0, 8)
    assert found.reports == ()
    assert found.scores(design.rows).shape == (50, 0)


@REACHING_SOLVER
def test_no_documents(parts):
    found = method_of(parts).fit(Job(Design(sp.csr_matrix((0, 4))), labels_of(np.zeros((0, 2)))))
    assert [report.note for report in found.reports] == [NO_MEMBER] * 2
    assert found.weights.shape == (2, 4)


def test_no_documents_and_the_default_strength():
    found = Method().fit(Job(Design(sp.csr_matrix((0, 4))), labels_of(np.zeros((0, 2)))))
    assert [report.note for report in found.reports] == [NO_MEMBER] * 2


@ANY_MINIMUM
def test_a_term_that_is_in_every_document_alike(parts):
    x, truth, _, _ = sample()
    constant = np.column_stack([x, np.ones(50)])
    found = method_of(parts).fit(Job(design_of(constant), labels_of(truth)))
    assert all(report.stopped == "certified" for report in found.reports)


@EVERY_METHOD
def test_large_and_tiny_values(parts):
    x, truth, _, _ = sample("many terms")
    for scale in (1e-3, 1e3):
        # λ goes along, so that the problem is the same in other units.
        share = method_of(parts).share
        absolute, squared = 1e-2 * share * scale, 1e-2 * (1 - share) * scale**2
        lam = absolute + squared
        mix = absolute / lam if PRIORS[parts[1]].mix is None else None
        method = method_of(parts, lam=lam, mix=mix, constant=scale)
        found = method.fit(Job(design_of(x * scale), labels_of(truth)))
        assert all(report.stopped == "certified" for report in found.reports)
        plain = method_of(parts).fit(Job(design_of(x), labels_of(truth)))
        for report, expected in zip(found.reports, plain.reports, strict=True):
            assert report.objective == pytest.approx(expected.objective, rel=1e-5)


def test_naive_bayes_tells_what_it_cannot_learn():
    x = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    labels = labels_of([[True, False, True], [True, False, False], [True, False, True]])
    reports = NaiveBayes(form="one-vs-rest").fit(Job(design_of(x), labels)).reports
    assert [report.stopped for report in reports] == ["constant", "constant", "certified"]
    assert [report.note for report in reports] == [ALL_MEMBERS, NO_MEMBER, ""]


def test_naive_bayes_without_terms_scores_by_the_size_of_the_category():
    x = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    labels = labels_of([[True, True], [False, False], [False, True]])
    none = np.empty(0, dtype=np.int32)
    selection = Selection.of([none, np.array([0], dtype=np.int32)], 2)
    fit = NaiveBayes(form="one-vs-rest").fit(Job(design_of(x), labels, selection))
    assert fit.scores(design_of(x).rows)[:, 0] == pytest.approx(np.log(1 / 2))
    assert np.isfinite(fit.scores(design_of(x).rows)).all()

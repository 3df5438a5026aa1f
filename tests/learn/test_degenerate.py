"""Categories in which there is nothing to learn, and data of which there is little."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.priors import PRIORS

from .samples import (
    ANY_MINIMUM,
    EVERY_METHOD,
    MINIMISING,
    REACHING_SOLVER,
    design_of,
    labels_of,
    method_of,
    sample,
)

LOGISTIC = ("logistic", "gaussian", "dual-coordinate", "penalised")
NO_MEMBER = "the category has no member: never chosen"
ALL_MEMBERS = "the category has nothing but members: always chosen"


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
    found = method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(weights)))
    assert found.reports[0].note == NO_MEMBER
    assert found.reports[0].members == 0
    assert found.intercepts[0] < 0


def test_others_that_weigh_nothing_are_none():
    _, truth, design, labels = sample()
    weights = np.where(truth[:, 0], 1.0, 0.0)
    found = method_of(LOGISTIC).fit(Job(design, labels, sample_weights=SampleWeights(weights)))
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
    found = method_of(LOGISTIC).fit(
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

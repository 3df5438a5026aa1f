"""Starts: the mean of the members by hand, and convex fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.learn.job import Job, Labels, SampleWeights
from postil.learn.merit.figures import FBeta
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, products_of
from postil.learn.merit.starts import STARTS, MeritTask, members_mean
from postil.learn.method import Method

from ..samples import design_of
from .ascent_samples import Problems

CONVEX = pytest.mark.parametrize(("start", "loss"), [("svm", "hinge"), ("logistic", "logistic")])


BY_SIZE = ("members-mean", "modified-squared")


def begun(start, x, cases, documents=None, kept=None):
    design = design_of(x)
    documents = np.ones(len(x)) if documents is None else documents
    with products_of(design, 1) as products:
        merit = Merit(FBeta(), np.asarray(cases, dtype=np.int8), documents)
        return STARTS[start].weights(MeritTask(design, products, merit, 1, kept))


def test_the_mean_of_the_members_by_hand():
    x = np.array([[1.0, 0.0], [3.0, 2.0], [0.0, 5.0], [0.0, 1.0], [2.0, 2.0]])
    found = begun("members-mean", x, [[1], [1], [-1], [-1], [-1]])
    np.testing.assert_allclose(found.terms[:, 0], [2.0, 1.0])
    # Scores of the members are 2 and 7: the least is let in as the last.
    np.testing.assert_allclose(found.intercepts, [-2.0])


def test_where_members_are_more_than_half_it_is_the_others_turned():
    x = np.array([[1.0, 0.0], [3.0, 2.0], [0.0, 5.0], [0.0, 1.0], [2.0, 2.0]])
    found = begun("members-mean", x, [[1], [1], [1], [-1], [-1]])
    np.testing.assert_allclose(found.terms[:, 0], [-1.0, -1.5])
    np.testing.assert_allclose(found.intercepts, [1.5])  # others' scores by their mean: 1.5 and 5


def test_the_mean_weighs_documents_and_passes_over_those_of_no_part():
    problems = Problems(documents=40, problems=5)
    problems.cases[:, 4] = np.where(np.arange(40) < 30, 1, -1)
    found = members_mean(problems.task(FBeta()))
    for at in range(5):
        inside, outside = (problems.documents * (problems.cases[:, at] == side) for side in (1, -1))
        sign, weights = (1, inside) if inside.sum() <= outside.sum() else (-1, outside)
        mean = weights @ problems.x / weights.sum()
        least = (problems.x[weights > 0] @ mean).min()
        np.testing.assert_allclose(found.terms[:, at], sign * mean, rtol=1e-6)
        np.testing.assert_allclose(found.intercepts[at], -sign * least, rtol=1e-6)


def test_by_size_is_the_mean_of_few_members_and_modified_least_squares_of_more():
    random = np.random.default_rng(3)
    x = random.random((40, 6))
    cases = -np.ones((40, 3), dtype=np.int8)
    cases[:4, 0] = cases[:5, 1] = cases[10:20, 2] = 1
    found, mean, convex = (begun(start, x, cases) for start in ("by-size", *BY_SIZE))
    for at, other in enumerate((mean, convex, convex)):
        scale = np.linalg.norm(found.terms[:, at]) / np.linalg.norm(other.terms[:, at])
        np.testing.assert_allclose(found.terms[:, at], scale * other.terms[:, at])
        np.testing.assert_allclose(found.intercepts[at], scale * other.intercepts[at])
    np.testing.assert_array_equal(found.terms[:, 1:], convex.terms[:, 1:])

    def apart(weights):
        scores = x @ weights.terms
        return [
            scores[cases[:, k] > 0, k].mean() - scores[cases[:, k] < 0, k].mean() for k in range(3)
        ]

    assert abs(apart(found)[0]) == pytest.approx(np.median(np.abs(apart(convex))), rel=1e-4)


@pytest.mark.parametrize("start", STARTS)
def test_a_problem_without_members_or_without_others_has_finite_weights(start):
    problems = Problems(parts=False)
    first = np.arange(30) == 0
    cases = np.column_stack([problems.cases[:, 0], np.ones(30), -np.ones(30), first])
    found = begun(start, problems.x, cases)
    assert np.isfinite(found.terms).all()
    assert np.isfinite(found.intercepts).all()
    alone = begun(start, problems.x, cases[:, :1])
    np.testing.assert_allclose(found.terms[:, 0], alone.terms[:, 0], rtol=1e-5)


@pytest.mark.parametrize("start", STARTS)
def test_documents_of_no_part_are_as_if_left_out(start):
    problems = Problems(documents=40)
    found = begun(start, problems.x, problems.cases, problems.documents)
    for at in range(3):
        part = (problems.cases[:, at] != 0) & (problems.documents > 0)
        alone = begun(
            start, problems.x[part], problems.cases[part][:, [at]], problems.documents[part]
        )
        np.testing.assert_allclose(found.terms[:, [at]], alone.terms, rtol=2e-3, atol=2e-3)
        np.testing.assert_allclose(found.intercepts[at], alone.intercepts[0], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("start", STARTS)
def test_features_that_are_not_kept_are_not_begun_with(start):
    problems = Problems(documents=40)
    kept = np.ones((4, 3))
    kept[1, 0] = kept[2] = 0.0
    found = begun(start, problems.x, problems.cases, kept=kept)
    assert (found.terms[kept == 0] == 0).all()
    assert (found.terms[kept == 1] != 0).all()


@CONVEX
def test_convex_starts_are_the_convex_fit(start, loss):
    problems = Problems(documents=60, parts=False)
    found = begun(start, problems.x, problems.cases, problems.documents)
    labels = Labels(("a", "b", "c"), sp.csr_matrix(problems.cases > 0))
    sample_weights = SampleWeights(problems.documents)
    convex = Method(loss=loss).fit(
        Job(design_of(problems.x), labels, sample_weights=sample_weights, quiet=True)
    )
    np.testing.assert_array_equal(found.terms.T, convex.weights.toarray())
    np.testing.assert_array_equal(found.intercepts, convex.intercepts)


@CONVEX
def test_convex_starts_of_problems_that_accept_nothing_begin_half_way(start, loss):
    # Three members of 200 documents, not far from the rest: a convex method says no to all.
    rng = np.random.default_rng(8)
    x = rng.normal(size=(200, 5)) / 3
    members = np.zeros((200, 1), dtype=bool)
    members[:3] = True
    x[:3, 0] += 0.5
    convex = Method(loss=loss).fit(
        Job(design_of(x), Labels(("a",), sp.csr_matrix(members)), quiet=True)
    )
    scores = convex.scores(design_of(x).rows)
    assert (scores < 0).all()
    found = begun(start, x, np.where(members, 1, -1))
    np.testing.assert_array_equal(found.terms.T, convex.weights.toarray())
    middle = (scores[:3].mean() + scores[3:].mean()) / 2
    expected = convex.intercepts - middle
    np.testing.assert_allclose(found.intercepts, expected, rtol=1e-4, atol=1e-7)
    assert (x[:3] @ found.terms + found.intercepts > 0).any()


def test_the_batch_perceptron_goes_on_from_the_mean():
    problems = Problems(documents=60, parts=False)
    found = begun("batch-perceptron", problems.x, problems.cases)
    given = replace(problems.task(FBeta()), kept=None)
    start = members_mean(given)

    def mistakes(weights):
        return ((problems.x @ weights.terms + weights.intercepts > 0) != (problems.cases > 0)).sum()

    assert mistakes(found) < mistakes(start)


@pytest.mark.parametrize("lam", [0.0, 1e-4, 1e-3])
def test_a_logistic_start_leads_up_whatever_lambda(lam):
    # Twelve classes: logistic regression gives no document to any, and the figure is flat there.
    rng = np.random.default_rng(4)
    classes = rng.integers(0, 12, 240)
    x = rng.random((240, 60)) * (rng.random((240, 60)) < 0.1)
    x[np.arange(240), classes] += 0.3
    design, labels = design_of(x), Labels.of([f"{c:02}"] for c in classes)
    convex = Method(loss="logistic").fit(Job(design, labels, quiet=True))
    assert (convex.scores(design.rows) > 0).mean() < 0.02
    found = MfomMethod(starts=("logistic",), lam=lam).fit(Job(design, labels, threads=1))
    accepted, truth = found.scores(design.rows) > 0, labels.members.toarray()
    assert 2 * (accepted & truth).sum() / (accepted.sum() + truth.sum()) > 0.7

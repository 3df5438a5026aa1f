"""A selection is a view: learning through it is learning on the copied columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Job

from .samples import (
    EVERY_METHOD,
    design_of,
    labels_of,
    method_of,
    planted,
    problem_of,
    sparse_values,
)

TERMS = 18


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    x = sparse_values(rng, 30, TERMS)
    return x, planted(rng, x, categories=4)


@pytest.fixture(scope="module")
def selection():
    """Some terms, others, none, and all of them."""
    rng = np.random.default_rng(6)
    some = [np.sort(rng.permutation(TERMS)[:size]) for size in (7, 11, 0, TERMS)]
    return Selection.of([ids.astype(np.int32) for ids in some], TERMS)


@EVERY_METHOD
def test_a_selection_equals_the_copied_columns(parts, data, selection):
    x, truth = data
    method = method_of(parts)
    found = method.fit(Job(design_of(x), labels_of(truth), selection=selection))
    for category, terms in enumerate(selection):
        copied = method.fit(Job(design_of(x[:, terms]), labels_of(truth)))
        weights = found.weights[[category]].toarray().ravel()
        assert not np.delete(weights, terms).any()
        expected = copied.weights[[category]].toarray().ravel()
        np.testing.assert_allclose(weights[terms], expected, rtol=1e-9, atol=1e-12)
        assert found.intercepts[category] == pytest.approx(copied.intercepts[category], rel=1e-9)
        report, alone = found.reports[category], copied.reports[category]
        assert report.objective == pytest.approx(alone.objective, rel=1e-9)
        assert (report.iterations, report.nonzeros) == (alone.iterations, alone.nonzeros)


@EVERY_METHOD
def test_without_terms_only_the_intercept_is_learned(parts, data):
    x, truth = data
    nothing = Selection.of([np.empty(0, np.int32)] * truth.shape[1], TERMS)
    found = method_of(parts).fit(Job(design_of(x), labels_of(truth), selection=nothing))
    assert found.weights.nnz == 0
    for category, report in enumerate(found.reports):
        problem = problem_of(x[:, :0], truth[:, category], method_of(parts))
        theta = problem.theta(np.empty(0), found.intercepts[category])
        assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6)


@EVERY_METHOD
def test_warm_starts_go_by_the_selection(parts, data, selection):
    x, truth = data
    method = method_of(parts, iterations=10_000)
    job = Job(design_of(x), labels_of(truth), selection)
    first = method.fit(replace(job, keep_starts=True))
    again = method.fit(replace(job, warm_starts=first.starts))
    for before, after in zip(first.reports, again.reports, strict=True):
        assert after.objective == pytest.approx(before.objective, rel=2e-6)


def test_a_selection_of_other_data_is_refused(data, selection):
    x, truth = data
    method = method_of(("logistic", "gaussian", "dual-coordinate", "none"))
    with pytest.raises(UsageError, match=r"4 categories and 18 terms.* have 4 and 10"):
        method.fit(Job(design_of(x[:, :10]), labels_of(truth), selection=selection))
    with pytest.raises(UsageError, match=r"4 categories and 18 terms.* have 3 and 18"):
        method.fit(Job(design_of(x), labels_of(truth[:, :3]), selection=selection))


def test_labels_of_other_documents_are_refused(data):
    x, truth = data
    method = method_of(("logistic", "gaussian", "dual-coordinate", "none"))
    with pytest.raises(UsageError, match="30 documents, and the labels have 29"):
        method.fit(Job(design_of(x), labels_of(truth[:-1])))
    assert sp.issparse(method.fit(Job(design_of(x), labels_of(truth))).weights)

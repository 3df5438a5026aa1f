"""Naive Bayes: the three forms against their equations, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.naive_bayes import NaiveBayes

SMOOTHING = 0.25


@pytest.fixture(scope="module")
def job():
    rng = np.random.default_rng(4)
    rows = sp.random(30, 9, 0.3, format="csr", rng=rng, dtype=np.float32)
    members = rng.random((30, 4)) < 0.4
    members[:, 3] = False  # a category without a document
    weights = rng.integers(0, 3, 30).astype(float)
    labels = Labels(("a", "b", "c", "none"), sp.csr_matrix(members))
    return Job(Design(rows), labels, sample_weights=SampleWeights(weights), quiet=True)


@pytest.mark.parametrize("form", ["multi-class", "one-vs-rest", "background"])
def test_scores_follow_the_equations(job, form):
    x = job.design.rows.toarray().astype(float)
    weights = job.document_weights()
    members = job.labels.members.toarray().astype(float)[:, :3]
    inside = (members * weights[:, np.newaxis]).T @ x
    total = weights @ x

    def share(counts, added):
        return (counts + added) / (counts + added).sum(axis=-1, keepdims=True)

    sizes = weights @ members
    if form == "multi-class":
        expected = np.log(sizes / sizes.sum()) + x @ np.log(share(inside, SMOOTHING)).T
    elif form == "one-vs-rest":
        odds = share(inside, SMOOTHING) / share(total - inside, SMOOTHING)
        expected = np.log(sizes / (weights.sum() - sizes)) + x @ np.log(odds).T
    else:
        mixed = (1 - SMOOTHING) * share(inside, 0) + SMOOTHING * share(total, 0)
        with np.errstate(invalid="ignore"):  # a term of no weight says nothing
            terms = np.nan_to_num(np.log(mixed / (SMOOTHING * share(total, 0))))
        expected = x @ terms.T
    fit = NaiveBayes(SMOOTHING, form).fit(job)
    np.testing.assert_allclose(fit.scores(job.design.rows)[:, :3], expected, rtol=1e-6)
    assert "no member" in fit.reports[3].note


def test_weights_of_the_background_form_are_sparse_and_never_negative(job):
    weights = NaiveBayes(SMOOTHING, "background").fit(job).weights
    met = sp.csr_matrix(job.labels.members.astype(float).T @ job.design.rows)
    assert weights.nnz <= met.nnz
    assert (weights.data > 0).all()


def test_what_a_form_cannot_do_is_refused(job):
    with pytest.raises(UsageError, match="a share with the form background, below 1, not 1"):
        NaiveBayes(1.0, "background")
    with pytest.raises(UsageError, match="one of multi-class, one-vs-rest, background, not 'x'"):
        NaiveBayes(form="x")  # type: ignore[arg-type]
    chosen = Selection.of([np.arange(3, dtype=np.int32)] * 4, 9)
    with pytest.raises(UsageError, match="the same terms for all categories"):
        NaiveBayes(SMOOTHING, "background").fit(replace(job, selection=chosen))

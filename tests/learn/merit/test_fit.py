"""Fits that maximise a figure of merit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.job import Job
from postil.learn.merit import fit as fitting
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import DenseProducts, SparseProducts

from ..samples import design_of
from .learner_samples import LEARNING, both, leaning


@pytest.mark.parametrize("name", ["f1", "gpd"])
def test_many_categories_in_blocks_are_those_of_one(name, monkeypatch):
    rng = np.random.default_rng(6)
    x, _ = leaning(documents=40, terms=12, categories=2)
    truth = rng.random((40, 1000)) < rng.uniform(0.03, 0.4, 1000)
    learn, given = LEARNING[name], both(x, truth)
    calls = []
    one = learn(*given)
    monkeypatch.setattr(fitting, "BLOCK_BYTES", 200_000)
    several = learn(*given, progress=lambda *call: calls.append(call))
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1]
    assert len({call[0] for call in calls}) > 60
    close = np.isclose(one.weights.toarray(), several.weights.toarray(), rtol=1e-5, atol=1e-6)
    assert close.all(axis=1).mean() > 0.99


@pytest.mark.parametrize("density", [0.02, 0.2, 0.9])
@pytest.mark.parametrize("threads", [1, 3])
def test_dense_and_sparse_products_agree(density, threads):
    rng = np.random.default_rng(7)
    x = rng.normal(size=(2500, 300)) * (rng.random((2500, 300)) < density)
    sparse = SparseProducts(design_of(x), threads)
    dense = DenseProducts(x.astype(np.float32), threads)
    weights, slopes = rng.normal(size=(300, 7)), rng.normal(size=(2500, 7))
    for left, right, exact in (
        (sparse.scores(weights), dense.scores(weights), x @ weights),
        (sparse.gradient(slopes), dense.gradient(slopes), x.T @ slopes),
    ):
        for found in (left, right):
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, exact, atol=2e-6 * np.abs(exact).max())


@pytest.mark.parametrize("name", ["rivals", "unclaimed"])
def test_rivals_are_stored_with_the_sharpness_they_were_trained_with(name):
    x, truth = leaning()
    found = LEARNING[name](*both(x, truth))
    assert found.combination.kind == "rivals"
    assert found.combination.capped == (name == "unclaimed")
    assert all(report.shared for report in found.reports)
    assert len({report.objective for report in found.reports}) == 1


def test_of_single_labels_rivals_are_at_least_as_good_as_each_alone():
    rng = np.random.default_rng(9)
    centres = 2.0 * rng.normal(size=(5, 12))
    classes = rng.integers(0, 5, 300)
    x = centres[classes] + 0.8 * rng.normal(size=(300, 12))
    given = both(x[:200], np.eye(5, dtype=bool)[classes[:200]])
    right = {}
    for form in ("binary", "rivals"):
        scores = (
            MfomMethod("balanced-error", form=form).fit(Job(*given)).scores(sp.csr_matrix(x[200:]))
        )
        right[form] = (scores.argmax(axis=1) == classes[200:]).mean()
    assert right["rivals"] >= right["binary"]
    assert right["rivals"] > 0.97


def test_the_best_of_several_starts_is_kept_and_told():
    given = both(*leaning())
    starts = ("members-mean", "svm", "batch-perceptron")
    alone = [MfomMethod(starts=(start,)).fit(Job(*given)) for start in starts]
    together = MfomMethod(starts=starts).fit(Job(*given))
    for at, report in enumerate(together.reports):
        heights = [each.reports[at].objective for each in alone]
        assert list(report.tried) == list(starts)
        np.testing.assert_allclose(list(report.tried.values()), heights, rtol=1e-5)
        best = starts[int(np.argmax(heights))]
        assert report.start == best
        assert report.objective == pytest.approx(max(heights), rel=1e-5)


class TestRestarts:
    """Runs from the best weights so far, with noise."""

    def fits(self, **told):
        method = MfomMethod(options={"iterations": 30}, **told)
        return method.fit(Job(*both(*leaning())))

    def test_no_category_is_lower_for_them(self):
        once, more = self.fits(), self.fits(restarts=3)
        for before, after in zip(once.reports, more.reports, strict=True):
            assert after.objective >= before.objective - 1e-9

    def test_reports_say_what_was_tried(self):
        report = self.fits(starts=("members-mean", "squared"), restarts=1).reports[0]
        assert list(report.tried) == ["members-mean", "squared", "restart 1"]
        assert report.start == max(report.tried, key=report.tried.__getitem__)
        assert report.objective == pytest.approx(max(report.tried.values()))

    def test_the_seed_decides(self):
        one, same = self.fits(restarts=1, seed=4), self.fits(restarts=1, seed=4)
        other = self.fits(restarts=1, seed=5)
        assert (one.weights != same.weights).nnz == 0
        assert [r.tried for r in one.reports] != [r.tried for r in other.reports]

    def test_a_negative_number_is_refused(self):
        with pytest.raises(UsageError, match="restarts must be a whole number of at least 0"):
            MfomMethod(restarts=-1)


def test_a_category_that_accepts_nothing_is_told():
    x, truth = leaning()
    found = MfomMethod("precision>=0.9").fit(Job(*both(x, truth)))
    accepted = (found.scores(sp.csr_matrix(x)) > 0).mean(axis=0)
    notes = [report.note for report in found.reports]
    expected = {0.0: "accepts no training document: try other starts"}
    assert notes == [expected.get(float(share), "") for share in accepted]


def test_a_run_that_starts_at_an_optimum_is_certified():
    x = np.eye(8)
    truth = np.arange(8)[:, None] < [3]
    method = MfomMethod(starts=("svm",), options={"steepness": 1e3})
    report = method.fit(Job(*both(x, truth))).reports[0]
    assert (report.stopped, report.objective) == ("certified", pytest.approx(1.0))
    assert report.certificate < 1e-3

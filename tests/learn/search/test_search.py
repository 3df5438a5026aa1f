"""The search for λ: folds, warm starts, measures and choices against direct formulas."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score, log_loss, zero_one_loss

from postil.errors import UsageError
from postil.features.select import select_terms
from postil.learn import one_vs_rest as search_blocks
from postil.learn.fit import NotConvergedWarning
from postil.learn.job import Job, SampleWeights
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.methods import method_from
from postil.learn.one_vs_rest import fit_path
from postil.learn.search.folds import make_parts
from postil.learn.search.measures import measure_for
from postil.learn.search.search import LambdaSearch
from postil.learn.strength import Strengths

from ..reference import read_formula
from ..samples import EVERY, design_of, each, labels_of, method_of
from .samples import GRID, HINGE, LOGISTIC, PRIMAL, SQUARED, held_out_scores


def expected_of(name, scores, truth, method):
    """The pooled measure by the textbook; break-even has a test of its own."""
    z = np.where(truth, scores, -scores)
    return {
        "f1": lambda: f1_score(truth.ravel(), scores.ravel() >= 0),
        "error": lambda: zero_one_loss(truth.ravel(), scores.ravel() >= 0),
        "loss": lambda: np.mean(read_formula(LOSSES[method.loss].formula, "z")(z)),
        "log-likelihood": lambda: -log_loss(truth.ravel(), 1 / (1 + np.exp(-scores.ravel()))),
    }[name]()


class TestValues:
    @pytest.mark.parametrize(
        ("name", "parts"),
        [
            ("f1", HINGE),
            ("error", SQUARED),
            ("loss", HINGE),
            ("loss", LOGISTIC),
            ("loss", SQUARED),
            ("log-likelihood", PRIMAL),
        ],
    )
    def test_they_are_those_of_cold_fits_on_copies(self, data, name, parts):
        method = method_of(parts, tolerance=1e-9)
        search = LambdaSearch(GRID, folds=4, measure=name, seed=3)
        result = search.run(Job(data.design, data.labels), method)
        assert result.grid.tolist() == [1.0, 1e-1, 1e-3]
        part = make_parts(data.labels, 4, 3)
        for at, lam in enumerate(result.grid):
            scores = held_out_scores(data, method, lam, part)
            assert not np.isnan(scores).any()
            expected = expected_of(name, scores, data.truth, method)
            assert result.values[at] == pytest.approx(expected, rel=1e-4)
            for c in range(3):
                one = expected_of(name, scores[:, [c]], data.truth[:, [c]], method)
                assert result.values_by_category[at, c] == pytest.approx(one, rel=1e-4)

    def test_terms_are_selected_anew_in_each_fold(self, data):
        seen = []

        def selection_of(rows):
            seen.append(rows)
            members = sp.csr_matrix(data.truth[rows], dtype=np.float32)
            return select_terms(data.design.rows[rows], members, measure="gini", k=6)

        method = method_of(PRIMAL, tolerance=1e-9)
        search = LambdaSearch(GRID, folds=3, measure="loss")
        result = search.run(Job(data.design, data.labels), method, selection_of=selection_of)
        assert len(seen) == 3
        part = make_parts(data.labels, 3, 0)
        for fold, rows in enumerate(seen):
            np.testing.assert_array_equal(rows, np.flatnonzero(part != fold))
        for at, lam in enumerate(result.grid):
            scores = held_out_scores(data, method, lam, part, selection_of=selection_of)
            expected = expected_of("loss", scores, data.truth, method)
            assert result.values[at] == pytest.approx(expected, rel=1e-4)

    def test_documents_of_weight_zero_are_neither_learned_nor_measured(self, data):
        weights = np.where(np.arange(80) % 4 == 0, 0.0, 1.0)
        method = method_of(LOGISTIC, tolerance=1e-9)
        search = LambdaSearch(GRID, folds=3, measure="loss")
        result = search.run(
            Job(data.design, data.labels, sample_weights=SampleWeights(weights)), method
        )
        rows = np.flatnonzero(weights)
        alone = search.run(Job(design_of(data.x[rows]), data.labels.of_documents(rows)), method)
        np.testing.assert_allclose(result.values, alone.values, rtol=1e-5)
        np.testing.assert_allclose(result.standard_errors, alone.standard_errors, rtol=1e-3)

    def test_a_document_counts_by_its_weight(self, data):
        weights = np.random.default_rng(1).uniform(0.5, 2.0, 80)
        method = method_of(LOGISTIC, tolerance=1e-9)
        search = LambdaSearch((1e-2,), folds=3, measure="error")
        sample_weights = SampleWeights(weights, (2.0, 1.0))
        result = search.run(
            Job(data.design, data.labels, sample_weights=SampleWeights(weights)), method
        )
        scores = held_out_scores(data, method, 1e-2, make_parts(data.labels, 3, 0), weights)
        wrong = ((scores >= 0) != data.truth).mean(axis=1)
        assert result.values[0] == pytest.approx(np.average(wrong, weights=weights))
        # Class weights act on learning.
        leaning = search.run(Job(data.design, data.labels, sample_weights=sample_weights), method)
        assert leaning.values[0] != result.values[0]

    @each([p for p in EVERY if p[3] != "none"])
    def test_every_method_can_be_searched(self, data, parts):
        result = LambdaSearch(GRID, folds=2, measure="loss").run(
            Job(data.design, data.labels), method_of(parts, tolerance=1e-4)
        )
        assert np.isfinite(result.values).all()
        assert not result.unfinished.any()

    def test_threads_change_nothing(self, data):
        search = LambdaSearch(GRID, folds=3, measure="loss")
        one, two = (
            search.run(Job(data.design, data.labels, threads=t), method_of(HINGE)) for t in (1, 2)
        )
        np.testing.assert_array_equal(one.values_by_category, two.values_by_category)


class TestPaths:
    def test_a_fold_is_one_native_call_from_strong_to_weak(self, monkeypatch, data):
        calls = []

        def recorded(job, method):
            calls.append(job.strengths)
            return fit_path(job, method)

        monkeypatch.setattr(search_blocks, "fit_path", recorded)
        LambdaSearch(GRID, folds=2).run(Job(data.design, data.labels), method_of(HINGE))
        assert [strengths.values[:, 0].tolist() for strengths in calls] == [[1.0, 1e-1, 1e-3]] * 2
        assert {strengths.values.shape for strengths in calls} == {(3, 3)}

    def test_blocks_of_categories_see_what_all_see(self, monkeypatch, data):
        sample_weights = SampleWeights(None, [(2.0, 1.0), (1.0, 3.0), (1.0, 1.0)])

        def searched():
            return LambdaSearch(GRID, folds=2, measure="loss").run(
                Job(data.design, data.labels, sample_weights=sample_weights), method_of(PRIMAL)
            )

        whole = searched()
        monkeypatch.setattr(search_blocks, "MOST_WEIGHTS", 1)
        monkeypatch.setattr(search_blocks, "LEAST_CATEGORIES", 2)
        np.testing.assert_allclose(searched().values_by_category, whole.values_by_category)


class TestTelling:
    def test_progress_counts_fits(self, data):
        told = []
        LambdaSearch(GRID, folds=2).run(
            Job(data.design, data.labels, progress=lambda done, total: told.append((done, total))),
            method_of(HINGE),
        )
        assert told[-1] == (18, 18)
        assert told == sorted(told)

    def test_unfinished_fits_are_counted_and_warned_of_once(self, data):
        method = method_of(HINGE, iterations=1, tolerance=1e-9)
        with pytest.warns(NotConvergedWarning, match="ran out of iterations") as caught:
            result = LambdaSearch(GRID, folds=2).run(Job(data.design, data.labels), method)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert result.unfinished.sum() > 0
        assert "ran out of iterations" in result.to_text()

    def test_a_single_unfinished_fit_is_one_fit(self, data):
        method = method_of(HINGE, iterations=1, tolerance=1e-9)
        labels = labels_of(data.truth[:, :1])
        result = LambdaSearch((1e-1,), folds=2).run(Job(data.design, labels, quiet=True), method)
        one = replace(result, unfinished=np.array([1]))
        assert one.unfinished_note().startswith("1 fit of the search ran out of iterations")
        assert one.notes() == ["1 fit ran out of iterations"]
        assert result.unfinished_note().startswith("2 fits of")

    def test_json_and_text(self, data):
        result = LambdaSearch(GRID, folds=2, shared=False).run(
            Job(data.design, data.labels), method_of(HINGE)
        )
        told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert [row["lam"] for row in told["grid"]] == [1.0, 0.1, 0.001]
        assert sum(row["categories"] for row in told["grid"]) == 3
        assert [row["lam"] for row in told["categories"]] == result.chosen.tolist()
        assert "categories" not in result.to_dict(categories=False)
        lines = result.to_text().splitlines()
        assert len(lines) == 4
        assert sum(line.startswith("→") for line in lines) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"grid": ()}, "one number or more"),
        ({"grid": (1.0, 1.0)}, "none twice"),
        ({"grid": (1.0, 0.0)}, "above 0"),
        ({"grid": (1.0, float("nan"))}, "above 0"),
        ({"grid": 0.1}, "list of numbers"),
        ({"grid": "many"}, "list of numbers"),
        ({"folds": 1}, "at least 2"),
        ({"folds": 2.5}, "at least 2"),
        ({"measure": "brier"}, "no measure of a search 'brier'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        LambdaSearch(**wrong)


def test_a_measure_that_the_loss_has_nothing_for(data):
    with pytest.raises(UsageError, match="needs a loss that gives a likelihood"):
        LambdaSearch(measure="log-likelihood").run(Job(data.design, data.labels), method_of(HINGE))
    assert measure_for("log-likelihood", LOSSES["logistic"]).name == "log-likelihood"


def test_naive_bayes_takes_no_lambdas(data):
    learner = method_from({"learner": "naive-bayes"})
    with pytest.raises(UsageError, match="no λ"):
        learner.fit(Job(data.design, data.labels, strengths=Strengths("lam", np.ones(3))))


def test_the_likelihood_of_a_probit_model_can_be_searched_for(data):
    method = Method("probit", "laplace", "newton-coordinate")
    search = LambdaSearch((1e-1, 1e-2), folds=3, measure="log-likelihood")
    result = search.run(Job(data.design, data.labels, quiet=True), method)
    assert np.isfinite(result.values).all()
    assert (result.values < 0).all()

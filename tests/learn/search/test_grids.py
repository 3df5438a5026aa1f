"""Searches over C and prior variances, in some of the folds: what is tried and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from postil.errors import UsageError
from postil.learn.job import Job, SampleWeights
from postil.learn.search.folds import make_parts
from postil.learn.search.grids import (
    GAUSSIAN_VARIANCES,
    LAPLACE_HYPERPARAMETERS,
    LAPLACE_VARIANCES,
    PAPER_GRID,
    WAYS,
    exponent,
    of_lambda,
    strong_first,
    usual_grid,
    weaker,
)
from postil.learn.search.search import LambdaSearch
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors

from ..samples import design_of, each, labels_of, method_of
from .samples import LASSO, LOGISTIC, NET, PRIMAL

LIKELIHOOD = "log-likelihood"


def searched(data, parts, search, **named):
    return search.run(Job(data.design, data.labels, **named), method_of(parts, tolerance=1e-9))


class TestGrids:
    def test_those_of_the_papers(self):
        assert tuple(10.0**-k for k in range(7)) == PAPER_GRID
        assert LAPLACE_HYPERPARAMETERS[0] == pytest.approx(0.01)
        assert LAPLACE_HYPERPARAMETERS[-1] == pytest.approx(316, rel=1e-3)
        ratios = np.diff(np.log10(LAPLACE_HYPERPARAMETERS))
        np.testing.assert_allclose(ratios, 0.5)
        # The variance of a Laplace distribution is 2/λ².
        np.testing.assert_allclose(LAPLACE_VARIANCES, 2 / np.square(LAPLACE_HYPERPARAMETERS))
        np.testing.assert_allclose(GAUSSIAN_VARIANCES, [10.0**k for k in range(-4, 5)])

    def test_each_way_has_one(self):
        assert usual_grid("lam", 0.0) == PAPER_GRID
        assert usual_grid("prior_variance", 0.0) == GAUSSIAN_VARIANCES
        assert usual_grid("prior_variance", 1.0) == LAPLACE_VARIANCES
        assert usual_grid("C", 1.0) == tuple(10.0**k for k in range(-3, 4))

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
    def test_a_way_and_back(self, way, share):
        lam, n = np.array([1e-4, 1e-2, 3.0]), 57.0
        values = of_lambda(lam, way, n, share)
        pairs = Strengths(way, values).pairs(n, share)
        part = pairs[:, 0] / share if share > 0 else pairs[:, 1]
        np.testing.assert_allclose(part, lam)
        np.testing.assert_allclose(
            of_lambda(lam / 7, way, n, share), weaker(values, 1 / 7, way, share)
        )
        assert (np.diff(strong_first(values, way) ** exponent(way, share)) < 0).all()


class TestWays:
    @each([LOGISTIC, PRIMAL, LASSO, NET])
    @pytest.mark.parametrize("way", ["C", "prior_variance"])
    def test_each_fold_has_its_own_lambda(self, data, parts, way):
        method = method_of(parts, tolerance=1e-9)
        grid = (0.1, 10.0, 1.0)
        search = LambdaSearch(grid, folds=4, measure="loss", over=way)
        result = searched(data, parts, search)
        assert result.grid.tolist() == [0.1, 1.0, 10.0]
        part = make_parts(data.labels, 4, 0)
        for at, value in enumerate(result.grid):
            losses = []
            for fold in range(4):
                rows = np.flatnonzero(part != fold)
                # As anyone would learn from these documents alone.
                alone = method.fit(
                    Job(
                        design_of(data.x[rows]),
                        labels_of(data.truth[rows]),
                        strengths=Strengths(way, np.full(3, value)),
                    )
                )
                held = np.flatnonzero(part == fold)
                margins = np.where(data.truth[held], 1, -1) * alone.scores(data.design.rows[held])
                losses.append(np.logaddexp(0, -margins).ravel())
            expected = np.concatenate(losses).mean()
            assert result.values[at] == pytest.approx(expected, rel=1e-4)

    def test_the_choice_is_kept_in_its_way(self, data):
        search = LambdaSearch(over="prior_variance", measure=LIKELIHOOD, shared=False, folds=3)
        result = search.run(Job(data.design, data.labels), method_of(LASSO, tolerance=1e-3))
        assert set(result.grid) == set(LAPLACE_VARIANCES)
        strengths = result.strengths()
        assert strengths.way == "prior_variance"
        np.testing.assert_array_equal(strengths.values, result.chosen)
        told = result.to_dict()
        assert told["over"] == "prior_variance"
        assert told["prior_variance"] == result.shared_strength
        assert [row["prior_variance"] for row in told["categories"]] == result.chosen.tolist()
        assert result.to_text().split()[0] == "σ²"

    def test_the_same_search_by_another_name(self, data):
        """With a Gaussian prior C and the variance are the same number."""
        first, second = (
            searched(data, PRIMAL, LambdaSearch((0.1, 1.0), folds=3, measure="loss", over=way))
            for way in ("C", "prior_variance")
        )
        np.testing.assert_array_equal(first.values_by_category, second.values_by_category)


class TestRounds:
    def test_two_of_ten(self, data):
        search = LambdaSearch((1e-1, 1e-2), folds=10, rounds=2, measure=LIKELIHOOD)
        result = searched(data, LOGISTIC, search)
        assert (result.folds, result.rounds) == (10, 2)
        part = make_parts(data.labels, 10, 0)
        for at, lam in enumerate(result.grid):
            logs = []
            for fold in range(2):
                weights = (part != fold).astype(float)
                learned = method_of(LOGISTIC, tolerance=1e-9).fit(
                    Job(
                        data.design,
                        data.labels,
                        sample_weights=SampleWeights(weights),
                        strengths=Strengths("lam", np.full(3, lam)),
                    )
                )
                held = np.flatnonzero(part == fold)
                margins = np.where(data.truth[held], 1, -1) * learned.scores(data.design.rows[held])
                logs.append(-np.logaddexp(0, -margins).ravel())
            assert result.values[at] == pytest.approx(np.concatenate(logs).mean(), rel=1e-5)
        assert np.isfinite(result.standard_errors).all()

    def test_one_has_no_standard_error(self, data):
        search = LambdaSearch((1e-1, 1e-2), folds=4, rounds=1, one_standard_error=True)
        result = searched(data, LOGISTIC, search)
        assert np.isnan(result.standard_errors).all()
        assert result.best == np.nanargmax(result.values)

    def test_fits_are_counted(self, data):
        told = []
        search = LambdaSearch((1e-1, 1e-2), folds=5, rounds=2)
        searched(data, LOGISTIC, search, progress=lambda *step: told.append(step))
        assert told[-1] == (12, 12)
        assert told == sorted(told)


class TestPriors:
    def test_they_apply_to_every_fold(self, data):
        wide = LambdaSearch((1.0,), folds=4, measure="loss", over="prior_variance")
        result = searched(
            data,
            ("logistic", "laplace", "primal-coordinate", "none"),
            wide,
            term_priors=TermPriors(30, factors=np.full(30, 4.0)),
        )
        plain = LambdaSearch((4.0,), folds=4, measure="loss", over="prior_variance")
        expected = searched(data, ("logistic", "laplace", "primal-coordinate", "none"), plain)
        np.testing.assert_allclose(result.values, expected.values, rtol=1e-6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"over": "lambda"}, "over must be one of lam, C, prior_variance, not 'lambda'"),
        ({"rounds": 0}, "rounds must be a whole number of at least 1"),
        ({"rounds": 6}, "at most the number of folds, 5, not 6"),
        ({"points": 0}, "points must be a whole number of at least 1"),
        ({"points": 2.0}, "points must be a whole number of at least 1"),
        ({"ratio": 1.0}, "above 0 and under 1"),
        ({"ratio": float("nan")}, "above 0 and under 1"),
        ({"grid": "automatic"}, "a list of numbers, or 'auto'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        LambdaSearch(**wrong)

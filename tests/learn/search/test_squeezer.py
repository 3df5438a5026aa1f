"""Squeezer: the limit holds, the best within it is taken, and what it costs is said."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.features.select import select_terms
from postil.learn.job import Job
from postil.learn.search.search import LambdaSearch
from postil.learn.search.squeezer import Squeezer
from postil.learn.term_priors.priors import TermPrior, TermPriors

from ..samples import design_of, each, labels_of, method_of, planted, sparse_values
from .samples import LASSO, NET, PRIMAL

GRID = (0.1, 0.03, 0.01, 0.005)
NEWTON = ("logistic", "laplace", "newton-coordinate", "penalised")


def given_grid(grid=GRID, **wanted):
    return LambdaSearch(grid, folds=3, measure="log-likelihood", shared=False, **wanted)


def squeezed(
    data,
    most,
    parts=LASSO,
    *,
    exactly=False,
    search=None,
    tolerance=1e-4,
    selection_of=None,
    **named,
):
    method = method_of(parts, tolerance=tolerance)
    squeezer = Squeezer(most, exactly, search or given_grid())
    return squeezer.run(Job(data.design, data.labels, **named), method, selection_of=selection_of)


def terms_of(data, result, parts=LASSO, tolerance=1e-4, **named):
    method = method_of(parts, tolerance=tolerance)
    learned = method.fit(Job(data.design, data.labels, strengths=result.strengths(), **named))
    return np.diff(learned.weights.indptr).tolist()


class TestLimit:
    @each([LASSO, NET, NEWTON])
    @pytest.mark.parametrize("most", [1, 8])
    def test_it_holds_in_the_model_of_all_documents(self, data, parts, most):
        result = squeezed(data, most, parts, tolerance=1e-3)
        kept = terms_of(data, result, parts, tolerance=1e-3)
        assert max(kept) <= most
        assert result.squeezed.terms.tolist() == kept

    @settings(max_examples=8)
    @given(st.integers(0, 1000), st.integers(1, 9), st.booleans())
    def test_whatever_the_documents(self, seed, most, exactly):
        rng = np.random.default_rng(seed)
        x = sparse_values(rng, 40, 12)
        truth = planted(rng, x, 2, noise=1.0)
        method = method_of(LASSO, tolerance=1e-3)
        squeezer = Squeezer(most, exactly, given_grid((0.1, 0.01)))
        design, labels = design_of(x), labels_of(truth)
        result = squeezer.run(Job(design, labels), method)
        learned = method.fit(Job(design, labels, strengths=result.strengths()))
        assert np.diff(learned.weights.indptr).max() <= most

    @pytest.mark.parametrize("way", ["C", "prior_variance"])
    def test_in_every_way(self, data, way):
        grid = {"C": (0.1, 1.0, 10.0), "prior_variance": (0.1, 10.0, 1e3)}[way]
        result = squeezed(data, 5, search=given_grid(grid, over=way))
        assert max(terms_of(data, result)) <= 5

    def test_with_an_automatic_search(self, data):
        search = LambdaSearch("auto", folds=3, measure="log-likelihood", shared=False, points=8)
        result = squeezed(data, 5, search=search)
        assert terms_of(data, result) == result.squeezed.terms.tolist()
        assert result.squeezed.terms.max() <= 5

    def test_one_strength_for_all_where_it_may_be(self, data):
        search = LambdaSearch(GRID, folds=3, measure="log-likelihood")
        loose = squeezed(data, 30, search=search)
        assert (loose.chosen == loose.shared_strength).all()
        tight = squeezed(data, 3, search=search)
        assert max(terms_of(data, tight)) <= 3

    def test_with_selected_terms(self, data):
        def selection_of(rows):
            members = sp.csr_matrix(data.truth[rows], dtype=np.float32)
            return select_terms(data.design.rows[rows], members, measure="gini", k=8)

        result = squeezed(data, 3, selection_of=selection_of)
        kept = terms_of(data, result, selection=selection_of(np.arange(80)))
        assert kept == result.squeezed.terms.tolist()
        assert max(kept) <= 3

    def test_terms_that_no_strength_lets_go(self, data):
        free = {term: TermPrior(variance=np.inf) for term in range(4)}
        with pytest.raises(UsageError, match="keeps 4 terms at any strength, and most_terms is 2"):
            squeezed(data, 2, term_priors=TermPriors(30, every=free))


class TestChoice:
    def test_a_limit_that_does_not_bind_changes_nothing(self, data):
        free = given_grid().run(Job(data.design, data.labels), method_of(LASSO, tolerance=1e-4))
        result = squeezed(data, 30)
        np.testing.assert_array_equal(result.chosen, free.chosen)
        np.testing.assert_array_equal(result.squeezed.given_up, 0.0)
        np.testing.assert_array_equal(result.squeezed.free, free.chosen)

    def test_by_hand(self, data):
        """The best allowed point of the grid, unless one between it and the next is better."""
        most = 6
        method = method_of(LASSO, tolerance=1e-4)
        free = given_grid().run(Job(data.design, data.labels), method)
        result = squeezed(data, most)
        for c in range(3):
            counts = [terms_of(data, Chosen(free.over, np.full(3, lam)))[c] for lam in free.grid]
            allowed = np.flatnonzero(np.array(counts) <= most)
            best = allowed[np.argmax(free.values_by_category[allowed, c])]
            on_grid = free.values_by_category[best, c]
            assert result.squeezed.held_out[c] >= on_grid - 1e-9
            if result.chosen[c] != free.grid[best]:
                assert best == allowed[-1]
                assert free.grid[best] > result.chosen[c] > free.grid[best + 1]

    def test_what_was_measured_is_what_a_search_would_measure(self, data):
        result = squeezed(data, 4)
        for c in range(3):
            again = given_grid((float(result.chosen[c]),)).run(
                Job(data.design, data.labels), method_of(LASSO, tolerance=1e-4)
            )
            assert result.squeezed.held_out[c] == pytest.approx(
                again.values_by_category[0, c], rel=1e-3
            )

    def test_no_strength_of_the_grid_is_allowed(self, data):
        result = squeezed(data, 2, search=given_grid((1e-2, 5e-3)))
        assert (result.chosen > 1e-2).all()
        assert terms_of(data, result) == result.squeezed.terms.tolist()
        assert result.squeezed.terms.max() <= 2


class TestExactly:
    @pytest.mark.parametrize("most", [1, 7])
    def test_exactly_so_many(self, data, most):
        result = squeezed(data, most, exactly=True)
        assert terms_of(data, result) == [most] * 3
        assert not any("no strength" in note for note in result.notes())

    def test_beyond_the_grid(self, data):
        result = squeezed(data, 12, exactly=True, search=given_grid((0.1, 0.05)))
        assert terms_of(data, result) == [12] * 3
        assert (result.chosen < 0.05).all()

    def test_terms_that_come_in_together(self):
        rng = np.random.default_rng(2)
        x = np.repeat(sparse_values(rng, 40, 3), 2, axis=1)  # every term twice
        truth = planted(rng, x, 1)
        net = method_of(NET, tolerance=1e-9)  # gives both of a pair the same weight
        squeezer = Squeezer(3, True, given_grid((0.1, 0.01)))
        result = squeezer.run(Job(design_of(x), labels_of(truth)), net)
        assert result.squeezed.terms.tolist() == [2]
        assert "no strength was found that keeps exactly 3" in " ".join(result.notes())

    def test_more_terms_than_there_are(self):
        rng = np.random.default_rng(4)
        x = sparse_values(rng, 40, 3)
        truth = planted(rng, x, 1, noise=3.0)
        squeezer = Squeezer(4, True, given_grid((0.1, 0.01)))
        method = method_of(LASSO, tolerance=1e-3)
        result = squeezer.run(Job(design_of(x), labels_of(truth)), method)
        assert result.squeezed.terms.tolist() == [3]
        assert "no strength was found that keeps exactly 4" in result.to_text()


class TestTelling:
    def test_json(self, data):
        told = json.loads(json.dumps(squeezed(data, 4).to_dict(), allow_nan=False))
        assert (told["most_terms"], told["exactly"]) == (4, False)
        for row in told["categories"]:
            assert row["terms"] <= 4
            assert row["given_up"] == pytest.approx(row["free_held_out"] - row["held_out"])
            assert row["free_terms"] >= row["terms"]
        assert told["most_reached"] == max(row["terms"] for row in told["categories"])

    def test_a_loss_given_up_is_above_zero(self, data):
        search = LambdaSearch(GRID, folds=3, measure="loss", shared=False)
        up = squeezed(data, 1, search=search).squeezed.given_up
        assert (up > 0).all()

    def test_the_least_and_the_most_are_told(self, data):
        limit = replace(squeezed(data, 6).squeezed, terms=np.array([6, 4, 5]))
        assert limit.notes(("a", "b", "c"), "loss")[0].startswith("at most 6 terms: 4 to 6 kept")

    def test_text(self, data):
        text = squeezed(data, 1).to_text()
        assert "at most 1 term: " in text
        assert " kept; log-likelihood given up: " in text


class TestRefusals:
    def test_a_prior_that_keeps_all(self, data):
        with pytest.raises(UsageError, match="needs a prior that leaves terms out, and gaussian"):
            squeezed(data, 3, PRIMAL)

    @pytest.mark.parametrize("most", [0, -1, 2.5, True])
    def test_no_number_of_terms(self, most):
        with pytest.raises(UsageError, match="most_terms must be a whole number of at least 1"):
            Squeezer(most)


class Chosen:
    """Strengths as a result has them."""

    def __init__(self, over, values):
        from postil.learn.strength import Strengths

        self._strengths = Strengths(over, values)

    def strengths(self):
        return self._strengths

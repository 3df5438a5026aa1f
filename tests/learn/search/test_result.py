"""Choice of λ by a search: shared or for each category, ties, few members, one error."""

from __future__ import annotations

import numpy as np
import pytest

from postil.learn.job import Job
from postil.learn.method import Method
from postil.learn.search.folds import make_parts
from postil.learn.search.grids import PAPER_GRID
from postil.learn.search.measures import MEASURES
from postil.learn.search.result import choose, jackknife
from postil.learn.search.search import LambdaSearch
from postil.learn.search.squeezer import Squeezer

from ..samples import design_of, labels_of, method_of
from .samples import GRID, HINGE, LOGISTIC


class TestChoice:
    def test_shared_is_the_best_of_all(self, data):
        for name in ("f1", "error", "loss", "break-even"):
            result = LambdaSearch(PAPER_GRID, folds=3, measure=name).run(
                Job(data.design, data.labels), method_of(HINGE, tolerance=1e-3)
            )
            best = max if MEASURES[name].higher_is_better else min
            at = result.values.tolist().index(best(result.values.tolist()))
            assert result.shared_strength == result.grid[at]
            assert (result.chosen == result.shared_strength).all()
            assert not result.fell_back.any()

    def test_each_category_its_own(self, data):
        result = LambdaSearch(PAPER_GRID, folds=3, measure="loss", shared=False).run(
            Job(data.design, data.labels), method_of(LOGISTIC, tolerance=1e-3)
        )
        expected = result.grid[np.argmin(result.values_by_category, axis=0)]
        np.testing.assert_array_equal(result.chosen, expected)

    def test_too_few_members_or_others_take_the_shared_one(self, data):
        truth = data.truth.copy()
        truth[:, 1] = np.arange(80) < 2
        truth[:, 2] = np.arange(80) >= 1
        labels = labels_of(np.column_stack([truth, np.zeros(80), np.ones(80)]))
        result = LambdaSearch(GRID, folds=3, measure="loss", shared=False).run(
            Job(data.design, labels), method_of(LOGISTIC)
        )
        assert result.fell_back.tolist() == [False, True, True, True, True]
        assert (result.chosen[1:] == result.shared_strength).all()
        assert (
            "for 3 folds, so that the shared λ is taken (4 of 5 categories: c1" in result.to_text()
        )

    def test_of_a_random_cut_every_category_chooses(self, data):
        truth = data.truth.copy()
        truth[:, 1] = np.arange(80) < 1  # learned from in two folds, in one there is none
        result = LambdaSearch(GRID, folds=3, measure="loss", shared=False, cut="random").run(
            Job(data.design, labels_of(truth)), method_of(LOGISTIC)
        )
        assert not result.fell_back.any()
        expected = result.grid[np.argmin(result.values_by_category, axis=0)]
        np.testing.assert_array_equal(result.chosen, expected)

    @pytest.mark.parametrize("limit", [None, 2])
    def test_a_path_of_its_own_by_a_random_cut(self, data, limit):
        truth = data.truth.copy()
        truth[:, 1] = np.arange(80) < 1
        search = LambdaSearch("auto", folds=3, measure="loss", shared=False, points=5, cut="random")
        method = Method("logistic", "laplace", "newton-coordinate")
        sought = search if limit is None else Squeezer(limit, search=search)
        result = sought.run(Job(data.design, labels_of(truth)), method)
        assert result.cut == "random"
        assert not result.fell_back.any()
        assert np.isfinite(result.chosen).all()

    def test_of_a_random_cut_f1_says_nothing_of_who_is_not_there(self, data):
        truth = data.truth.copy()
        seed = next(s for s in range(20) if make_parts(data.labels, 5, s, "random")[0] > 1)
        truth[:, 1] = np.arange(80) < 1  # in none of the two folds that are run
        search = LambdaSearch(GRID, folds=5, rounds=2, seed=seed, shared=False, cut="random")
        result = search.run(Job(data.design, labels_of(truth)), method_of(LOGISTIC))
        assert np.isnan(result.values_by_category[:, 1]).all()
        assert result.tied.tolist() == [False, True, False]
        assert result.chosen[1] == result.shared_strength

    def test_a_category_that_ties_at_every_strength_takes_the_shared_one(self, data):
        # Five members among noise: none scores 0 or more, so that F1 is 0 whatever λ.
        rare = np.isin(np.arange(80), (3, 21, 40, 58, 77))
        marked = np.arange(80) % 5 == 0
        x = data.x.copy()
        x[:, 0] = marked
        labels = labels_of(np.column_stack([marked, rare]))
        result = LambdaSearch((1e3, 1e-2), folds=3, shared=False).run(
            Job(design_of(x), labels), method_of(LOGISTIC)
        )
        assert (result.values_by_category[:, 1] == 0).all()
        assert result.tied.tolist() == [False, True]
        assert not result.fell_back.any()
        assert result.shared_strength == 1e-2  # the strongest is what other ties would take
        assert result.chosen.tolist() == [1e-2, 1e-2]
        assert [row["tied"] for row in result.category_rows()] == result.tied.tolist()
        assert (
            "f1 is the same at every λ, so that the shared λ is taken (1 of 2 categories: c1)"
            in result.to_text()
        )
        alone = LambdaSearch((1.0,), folds=3, shared=False).run(
            Job(data.design, labels), method_of(LOGISTIC)
        )
        assert not alone.tied.any()

    def test_equal_values_go_to_the_stronger(self, data):
        labels = labels_of(np.zeros((80, 2)))  # nothing to learn: undefined everywhere
        result = LambdaSearch(GRID, folds=3).run(Job(data.design, labels), method_of(HINGE))
        assert np.isnan(result.values).all()
        assert result.shared_strength == 1.0
        right = LambdaSearch(GRID, folds=3, measure="error").run(
            Job(data.design, labels), method_of(HINGE)
        )
        assert right.values.tolist() == [0.0, 0.0, 0.0]
        assert right.shared_strength == 1.0

    def test_one_standard_error(self, data):
        search = LambdaSearch(PAPER_GRID, folds=5, measure="loss", one_standard_error=True)
        result = search.run(Job(data.design, data.labels), method_of(LOGISTIC, tolerance=1e-3))
        best = int(np.argmin(result.values))
        within = result.values <= result.values[best] + result.standard_errors[best]
        assert result.shared_strength == result.grid[within].max()
        assert result.shared_strength >= result.grid[best]

    @pytest.mark.parametrize(
        ("worth", "errors", "place"),
        [
            ([1.0, 3.0, 3.0], None, 1),
            ([np.nan, 2.0, 1.0], None, 1),
            ([np.nan, np.nan], None, 0),
            ([1.0, 2.5, 3.0, 2.9], [9.0, 9.0, 0.5, 9.0], 1),
            ([1.0, 2.5, 3.0, 2.9], [9.0, 9.0, np.nan, 9.0], 2),
            ([np.nan, np.nan], [1.0, 1.0], 0),
        ],
    )
    def test_by_hand(self, worth, errors, place):
        assert choose(np.array(worth), None if errors is None else np.array(errors)) == place

    def test_the_jackknife_of_a_mean_is_the_usual_standard_error(self):
        values = np.random.default_rng(0).normal(size=(5, 4))
        tallies = np.stack([values, np.ones_like(values)], axis=-1)
        expected = values.std(axis=0, ddof=1) / np.sqrt(5)
        np.testing.assert_allclose(jackknife(tallies, MEASURES["error"].value), expected)

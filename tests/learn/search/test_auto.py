"""The search without a grid: its path, where it ends, what it tries around the best."""

from __future__ import annotations

import json

import numpy as np
import pytest

from postil.learn.job import Job
from postil.learn.search.auto import REFINED, end_of, has_worsened
from postil.learn.search.search import LambdaSearch

from ..samples import labels_of, method_of
from .samples import LASSO, LOGISTIC, PRIMAL

POINTS = 8


def automatic(**wanted):
    usual = {"folds": 3, "measure": "log-likelihood", "points": POINTS, "ratio": 1e-2}
    return LambdaSearch("auto", **{**usual, **wanted})


def searched(data, parts=LASSO, labels=None, **wanted):
    method = method_of(parts, tolerance=1e-4)
    return automatic(**wanted).run(Job(data.design, labels or data.labels), method)


def top_of(data, parts=LASSO, way="lam"):
    return method_of(parts).strongest(Job(data.design, data.labels), way)


class TestPath:
    def test_each_category_begins_where_its_weights_do(self, data):
        result = searched(data, shared=False)
        np.testing.assert_array_equal(result.strongest, top_of(data))
        assert result.relative
        assert result.automatic
        np.testing.assert_allclose(
            result.grid, 10 ** np.linspace(0, -2, POINTS)[: len(result.grid)]
        )
        for c in range(3):
            tried = result.tried[:, c]
            assert (np.diff(tried) <= 0).all()
            on_path = result.strongest[c] * result.grid
            assert all(np.isclose(tried, value, rtol=1e-9).any() for value in on_path)

    def test_shared_is_one_path_for_all(self, data):
        result = searched(data, shared=True)
        assert not result.relative
        assert result.grid[0] == top_of(data).max()
        assert len(result.grid) == len(result.values)
        assert (result.chosen == result.shared_strength).all()
        assert result.shared_strength in result.grid

    @pytest.mark.parametrize("way", ["C", "prior_variance"])
    def test_in_every_way(self, data, way):
        result = searched(data, shared=False, over=way)
        np.testing.assert_array_equal(result.strongest, top_of(data, way=way))
        assert (np.diff(result.tried, axis=0) >= 0).all()
        assert (result.chosen >= result.strongest).all()

    def test_with_a_gaussian_prior(self, data):
        result = searched(data, PRIMAL, shared=False)
        best = np.nanmax(result.values_by_category, axis=0)
        places = np.argmin(np.abs(result.tried - result.chosen), axis=0)
        np.testing.assert_array_equal(result.values_by_category[places, range(3)], best)


class TestValues:
    def test_they_are_those_of_the_same_strengths_given(self, data):
        found = searched(data, shared=False)
        for c in range(3):
            known = ~np.isnan(found.values_by_category[:, c])
            grid = found.tried[known, c]
            given = LambdaSearch(tuple(grid), folds=3, measure="log-likelihood").run(
                Job(data.design, data.labels), method_of(LASSO, tolerance=1e-4)
            )
            np.testing.assert_allclose(
                given.values_by_category[:, c], found.values_by_category[known, c], rtol=1e-3
            )

    def test_the_best_has_neighbours_in_between(self, data):
        result = searched(data, shared=False)
        own = ~result.tied & ~result.fell_back
        assert own.any()
        for c in np.flatnonzero(own):
            # A choice lies within a step of the path from points that were tried there.
            steps = np.abs(np.diff(np.log(result.tried[:, c])))
            assert np.sort(steps)[:REFINED].max() < np.log(100) / (POINTS - 1) / 2

    def test_it_is_the_same_every_time_and_with_any_number_of_threads(self, data):
        method = method_of(LASSO, tolerance=1e-4)
        first, second = (
            automatic(shared=False).run(Job(data.design, data.labels, threads=threads), method)
            for threads in (1, 2)
        )
        np.testing.assert_array_equal(first.tried, second.tried)
        np.testing.assert_array_equal(first.chosen, second.chosen)

    def test_one_standard_error_is_stronger(self, data):
        plain = searched(data, shared=False)
        careful = searched(data, shared=False, one_standard_error=True)
        assert (careful.chosen >= plain.chosen * (1 - 1e-9)).all()

    def test_small_categories_take_the_share_of_all(self, data):
        truth = data.truth.copy()
        truth[:, 1] = np.arange(80) < 2
        result = searched(data, labels=labels_of(truth), shared=False)
        assert np.flatnonzero(result.fell_back).tolist() == [1]
        expected = result.strongest[1] * result.shared_strength
        assert result.chosen[1] == pytest.approx(expected)
        assert "so that the shared share of the strongest is taken" in result.to_text()

    def test_one_point_and_one_round(self, data):
        result = searched(data, shared=False, points=1, rounds=1)
        np.testing.assert_array_equal(result.chosen, result.strongest)

    def test_nothing_to_learn(self, data):
        result = searched(data, labels=labels_of(np.zeros((80, 2))), shared=False)
        assert (result.chosen == 1.0).all()


class TestEnds:
    @pytest.mark.parametrize(
        ("worth", "over"),
        [
            ([0, 1, 2, 3, 4, 5], False),
            ([0, 5, 1, 1, 1], True),
            ([0, 5, 4.9, 4.8, 4.7], False),  # worse, but not clearly
            ([0, 5, 1, 1], False),  # not for long enough
            ([3, 2, 1, 0], True),
            ([0, 0, 0, 0, 0], False),
            ([np.nan, 5, 1, 1, 1], True),
            ([0, 5, np.nan, np.nan, np.nan], True),
            ([np.nan, np.nan, np.nan, np.nan], False),
            ([5.0], False),
        ],
    )
    def test_clearly_worse(self, worth, over):
        assert has_worsened(np.array(worth, dtype=float)) is over

    def test_in_quarters_of_the_path(self):
        worth = np.array([0.0, 9, 1, 1, 1] + [1.0] * 15)
        assert end_of(worth, 20) == 5
        assert end_of(np.append(0.0, worth[:-1]), 20) == 10
        assert end_of(np.arange(20.0), 20) == 20
        assert end_of(np.array([3.0, 2, 1, 0, 0]), 5) == 4

    def test_what_was_not_measured_is_not_known(self, data):
        noise = np.random.default_rng(0).random((80, 3)) < 0.4  # nothing to find
        result = searched(data, LASSO, labels_of(noise), shared=False, points=16)
        unknown = np.isnan(result.values_by_category)
        assert unknown.any()
        chosen = np.argmin(np.abs(result.tried - result.chosen), axis=0)
        assert not unknown[chosen, range(3)].any()
        json.dumps(result.to_dict(), allow_nan=False)


def test_progress_ends_at_all(data):
    told = []
    automatic(shared=False).run(
        Job(data.design, data.labels, progress=lambda done, total: told.append((done, total))),
        method_of(LOGISTIC),
    )
    total = 3 * 3 * (POINTS + REFINED)
    assert told[-1] == (total, total)
    assert told == sorted(told)


def test_rows_count_every_category(data):
    result = searched(data, shared=False)
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert sum(row["categories"] for row in told["grid"]) == 3
    assert told["share"] == result.shared_strength
    assert [row["lam"] for row in told["categories"]] == result.chosen.tolist()
    assert len(result.to_text().splitlines()) == 1 + len(result.grid) + len(result.notes())

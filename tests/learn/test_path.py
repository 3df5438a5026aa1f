"""The regularization path: fits by hand, the order of entry, continuity, files."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from postil.errors import UsageError
from postil.learn.job import Job, SampleWeights
from postil.learn.path import regularization_path
from postil.learn.strength import Strengths

from .samples import each, method_of
from .search.samples import LASSO, NET, PRIMAL, searched_data

NEWTON = ("logistic", "laplace", "newton-coordinate", "free")


@pytest.fixture(scope="module")
def data():
    return searched_data()


@pytest.fixture(scope="module")
def lasso(data):
    return path_of(data, LASSO, points=12, ratio=1e-2)


def path_of(data, parts, sample_weights=None, **wanted):
    tolerance = 1e-4 if parts is NEWTON else 1e-6
    method = method_of(parts, tolerance=tolerance, iterations=100_000)
    job = Job(data.design, data.labels, sample_weights=sample_weights or SampleWeights())
    return regularization_path(job, method, **wanted)


class TestPoints:
    @each([LASSO, NET, PRIMAL])
    @pytest.mark.parametrize("way", ["lam", "prior_variance"])
    def test_every_point_is_a_fit(self, data, parts, way):
        path = path_of(data, parts, way=way, points=4, ratio=1e-2)
        for point in range(4):
            alone = method_of(parts, tolerance=1e-6, iterations=100_000).fit(
                Job(
                    data.design,
                    data.labels,
                    strengths=Strengths(way, path._columns("values")[point]),
                )
            )
            for c, name in enumerate(path.names):
                weights = path[name].weights[[point]].toarray()
                np.testing.assert_allclose(weights, alone.weights[[c]].toarray(), atol=5e-3)
                assert path[name].reports[point].objective == pytest.approx(
                    alone.reports[c].objective, rel=1e-4
                )
            np.testing.assert_allclose(
                path._columns("intercepts")[point], alone.intercepts, atol=5e-3
            )

    @each([LASSO, NET, NEWTON])
    def test_it_begins_with_the_constant_alone(self, data, parts):
        path = path_of(data, parts, points=3, ratio=0.5)
        # At the very point at which the first term begins to move, rounding may move it.
        assert all(np.abs(category.weights[[0]]).sum() < 1e-5 for category in path)
        assert all(category.nonzeros[1] > 0 for category in path)
        assert all(report.certificate < 1e-3 for own in path for report in own.reports)

    def test_strengths_in_three_ways(self, data, lasso):
        n = data.design.documents
        np.testing.assert_allclose(lasso.costs, 1 / (n * lasso.lambdas))
        np.testing.assert_allclose(lasso.variances, 2 / np.square(n * lasso.lambdas))
        np.testing.assert_array_equal(lasso._columns("values"), lasso.lambdas)
        ridge = path_of(data, PRIMAL, way="C", points=3)
        np.testing.assert_allclose(ridge.lambdas, 1 / (2 * n * ridge.costs))
        np.testing.assert_allclose(ridge.variances, ridge.costs)
        assert all(category.way == "C" for category in ridge)

    def test_points_are_even_by_their_logarithms(self, lasso):
        steps = np.diff(np.log(lasso.lambdas), axis=0)
        np.testing.assert_allclose(steps, np.log(1e-2) / 11)

    def test_given_strengths(self, data):
        path = path_of(data, LASSO, strengths=[1e-3, 1e-1, 1e-2])
        assert path.lambdas[:, 0].tolist() == [1e-1, 1e-2, 1e-3]
        own = Strengths("C", np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]))
        path = path_of(data, LASSO, strengths=own)
        np.testing.assert_array_equal(path._columns("values"), own.values)

    def test_weights_of_documents_count(self, data):
        weights = np.where(np.arange(80) % 2, 2.0, 0.0)
        path = path_of(data, LASSO, points=2, sample_weights=SampleWeights(weights))
        np.testing.assert_allclose(path.costs, 1 / (80 * path.lambdas))


class TestContinuity:
    def test_objectives_fall_with_the_strength(self, lasso):
        for path in lasso:
            assert (np.diff([report.objective for report in path.reports]) < 0).all()

    def test_the_sum_of_sizes_grows(self, lasso):
        for path in lasso:
            sizes = np.abs(path.weights).sum(axis=1).ravel()
            constants = np.abs(path.intercepts)
            assert (np.diff(np.asarray(sizes).ravel() + constants) > -1e-4).all()

    def test_near_strengths_have_near_weights(self, data):
        path = path_of(data, LASSO, strengths=[0.02, 0.02 * 0.9999])
        for category in path:
            before, after = category.weights.toarray()
            np.testing.assert_allclose(before, after, atol=1e-2)


class TestEntries:
    def test_terms_in_the_order_in_which_they_enter(self, lasso):
        for path in lasso:
            entries = path.entries()
            dense = path.weights.toarray()
            used = np.flatnonzero((dense != 0).any(axis=0))
            assert sorted(entry.term for entry in entries) == used.tolist()
            for entry in entries:
                first = np.flatnonzero(dense[:, entry.term])[0]
                assert entry.point == first
                assert entry.weight == dense[first, entry.term]
                assert entry.last == dense[-1, entry.term]
            order = [(entry.point, -abs(entry.weight)) for entry in entries]
            assert order == sorted(order)

    def test_none(self, data):
        path = path_of(data, LASSO, points=1)
        assert path["c0"].entries() == ()


class TestFiles:
    def test_csv(self, lasso):
        names = [f"term {number}" for number in range(30)]
        rows = list(csv.DictReader(io.StringIO(lasso.to_csv(names))))
        assert len(rows) == sum(own.nonzeros.sum() for own in lasso) + 3 * 12
        path = lasso["c1"]
        dense = path.weights.toarray()
        for row in rows:
            if row["category"] == "c1" and row["term"] != "(constant)":
                point, term = int(row["point"]), names.index(row["term"])
                assert float(row["weight"]) == dense[point, term]
                assert float(row["lam"]) == path.lambdas[point]
                assert int(row["terms"]) == path.nonzeros[point]

    def test_json(self, lasso):
        told = json.loads(lasso.to_json())
        assert [category["category"] for category in told] == ["c0", "c1", "c2"]
        first = told[0]
        assert len(first["points"]) == 12
        assert [len(point["weights"]) for point in first["points"]] == lasso["c0"].nonzeros.tolist()
        assert [e["term"] for e in first["order"]] == [str(e.term) for e in lasso["c0"].entries()]

    def test_a_plot(self, lasso):
        pytest.importorskip("matplotlib")
        axes = lasso["c0"].plot(top=5, over="prior_variance")
        lines = axes.get_lines()
        assert len(lines) == 5
        assert axes.get_xscale() == "log"
        dense = lasso["c0"].weights.toarray()
        largest = np.argsort(-np.abs(dense).max(axis=0), kind="stable")[:5]
        assert [line.get_label() for line in lines] == [str(term) for term in largest]
        np.testing.assert_allclose(lines[0].get_xdata(), lasso["c0"].variances)
        np.testing.assert_allclose(lines[0].get_ydata(), dense[:, largest[0]])
        again = lasso["c1"].plot(axes, terms=[f"t{number}" for number in range(30)])
        assert again is axes
        assert len(axes.get_lines()) == 5 + 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"points": 0}, "points must be a whole number of at least 1"),
        ({"ratio": 2.0}, "ratio must be a number above 0 and under 1"),
        ({"strengths": [1.0, 1.0]}, "none twice"),
        ({"strengths": Strengths("lam", np.ones(3))}, "points × categories"),
    ],
)
def test_what_cannot_be_is_refused(data, wrong, message):
    with pytest.raises(UsageError, match=message):
        path_of(data, LASSO, **wrong)


def test_a_category_that_is_not_there(lasso):
    with pytest.raises(UsageError, match="no category 'c9'"):
        lasso["c9"]

"""Same data, seed and settings give the same bits, whatever the number of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.learn.job import Job

from .samples import (
    ANY_METHOD,
    REACHING_SOLVER,
    design_of,
    each,
    labels_of,
    method_of,
    planted,
    sparse_values,
    with_option,
)


@pytest.fixture(scope="module")
def many_categories():
    rng = np.random.default_rng(1)
    x = sparse_values(rng, 40, 30)
    return design_of(x), labels_of(planted(rng, x, categories=13))


def assert_bit_equal(a, b):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name))
    np.testing.assert_array_equal(a.intercepts, b.intercepts)
    assert [replace(r, seconds=0.0) for r in a.reports] == [
        replace(r, seconds=0.0) for r in b.reports
    ]
    for first, second in zip(a.starts, b.starts, strict=True):
        np.testing.assert_array_equal(first, second)


@ANY_METHOD
def test_threads_change_no_bit(parts, many_categories):
    method = method_of(parts, tolerance=1e-4)
    one = method.fit(Job(*many_categories, threads=1, keep_starts=True))
    for threads in (2, 5):
        assert_bit_equal(one, method.fit(Job(*many_categories, threads=threads, keep_starts=True)))


@ANY_METHOD
def test_the_same_seed_gives_the_same_bits(parts, many_categories):
    for seed in (0, 7, 2**63):
        method = method_of(parts, tolerance=1e-3, seed=seed)
        job = Job(*many_categories, keep_starts=True)
        assert_bit_equal(method.fit(job), method.fit(job))


@REACHING_SOLVER
def test_a_category_is_learned_as_if_it_were_alone(parts, many_categories):
    design, labels = many_categories
    method = method_of(parts, tolerance=1e-3)
    among = method.fit(Job(design, labels, quiet=True))
    for category in (0, 4, 12):
        members = labels.members[:, [category]].toarray()
        alone = method.fit(Job(design, labels_of(members), quiet=True))
        np.testing.assert_array_equal(alone.weights.toarray()[0], among.weights.toarray()[category])
        assert alone.intercepts[0] == among.intercepts[category]


@ANY_METHOD
def test_another_seed_reaches_the_same_objective(parts, many_categories):
    first, second = (
        method_of(parts, tolerance=1e-7, seed=seed).fit(Job(*many_categories))
        for seed in (0, 12345)
    )
    for a, b in zip(first.reports, second.reports, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-6)


@each(with_option("shuffle"))
def test_the_seed_is_used_where_there_is_an_order_to_choose(parts, many_categories):
    def weights(**options):
        method = method_of(parts, tolerance=0.0, iterations=2, **options)
        return method.fit(Job(*many_categories, quiet=True)).weights.toarray()

    assert (weights(seed=0) != weights(seed=1)).any()
    np.testing.assert_array_equal(weights(seed=0, shuffle=False), weights(seed=1, shuffle=False))


@REACHING_SOLVER
def test_a_fit_changes_nothing_that_it_was_given(parts, many_categories):
    design, labels = many_categories
    before = design.rows.copy(), labels.members.copy()
    method_of(parts).fit(Job(design, labels))
    assert (design.rows != before[0]).nnz == 0
    assert (labels.members != before[1]).nnz == 0

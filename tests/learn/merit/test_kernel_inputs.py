"""The native parts of training for a measure: extremes, threads, empty tables, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil import _native
from postil.learn.job import Design

from .kernel_samples import KINDS, SHARPNESSES, Sample, margins_of, slopes_through


@KINDS
def test_sure_scores_of_any_size_give_no_slope_and_no_nan(kind):
    sample = Sample(kind, size=1e30)
    sample.scores[0], sample.scores[1] = np.inf, -np.inf
    sample.steepness[:] = 1e6
    counts, acceptances = sample.accept(sample.scores)
    np.testing.assert_array_equal(counts[0], counts[2])
    np.testing.assert_array_equal(counts[1], counts[3])
    sums, slopes = sample.slopes(acceptances, sample.by_member, sample.by_other)
    assert np.abs(sums).max() < 1e-290
    assert np.abs(slopes).max() <= 1e-290


@KINDS
@SHARPNESSES
def test_scores_of_any_size_have_finite_margins_and_slopes(kind, sharpness):
    scores = np.array([[1e30, -1e30, 0.0], [-1e30] * 3, [1e30, 1e30, -1e30]], kind)
    margins = margins_of(scores, sharpness)
    assert np.isfinite(margins).all()
    assert margins[0, 0] > 0 > margins[0, 1]
    slopes = slopes_through(scores, sharpness, np.ones_like(scores))
    np.testing.assert_allclose(
        slopes.sum(axis=1), 0.0, atol=1e-6
    )  # all scores moved move no margin
    assert np.isfinite(slopes).all()


@KINDS
def test_threads_change_no_bit(kind):
    sample = Sample(kind, documents=1500)
    design = Design(sp.random_array((1500, 50), density=0.1, rng=np.random.default_rng(2)))

    def everything(threads):
        counts, acceptances = sample.accept(sample.scores, threads)
        sums, slopes = sample.slopes(acceptances, sample.by_member, sample.by_other, threads)
        by_term = _native.term_products(design.native, slopes, threads)
        return [
            *counts,
            acceptances,
            sums,
            slopes,
            margins_of(sample.scores, 2.0, threads),
            slopes_through(sample.scores, 2.0, slopes, threads),
            by_term,
            _native.document_products(design.native, by_term, threads),
        ]

    for one, three in zip(everything(1), everything(3), strict=True):
        assert one.tobytes() == three.tobytes()


@KINDS
def test_margins_may_be_written_over_their_scores(kind):
    sample = Sample(kind)
    expected = margins_of(sample.scores, 1.5)
    _native.margins_over_rivals(sample.scores, 1.5, sample.scores, 1)
    np.testing.assert_array_equal(sample.scores, expected)


@KINDS
def test_empty_tables_have_counts_of_zero(kind):
    sample = Sample(kind, documents=0)
    counts, acceptances = sample.accept(sample.scores, 2)
    sums, _ = sample.slopes(acceptances, sample.by_member, sample.by_other)
    for found in (*counts, sums):
        np.testing.assert_array_equal(found, np.zeros(7))
    assert margins_of(sample.scores, 1.0).shape == (0, 7)
    design = Design(sp.csr_array((0, 3)))
    assert _native.document_products(design.native, np.zeros((3, 2), kind), 1).shape == (0, 2)
    products = _native.term_products(design.native, np.zeros((0, 2), kind), 1)
    np.testing.assert_array_equal(products, np.zeros((3, 2)))


@KINDS
@pytest.mark.parametrize(
    "wrong", ["cases", "weights", "steepness", "offsets", "by_member", "by_other"]
)
def test_arrays_that_do_not_fit_are_refused(kind, wrong):
    sample = Sample(kind)
    _, acceptances = sample.accept(sample.scores)
    setattr(sample, wrong, getattr(sample, wrong)[:-1].copy())

    def call():
        if wrong.startswith("by"):
            return sample.slopes(acceptances, sample.by_member, sample.by_other)
        return sample.accept(sample.scores)

    with pytest.raises(ValueError, match=r"same shape|every document|every problem"):
        call()


@KINDS
@pytest.mark.parametrize("call", [_native.margins_over_rivals, _native.slopes_through_rivals])
def test_rivals_that_do_not_fit_are_refused(kind, call):
    scores = np.zeros((3, 4), kind)
    with pytest.raises(ValueError, match="same shape"):
        call(scores, 1.0, np.zeros((4, 3), kind), 1)
    with pytest.raises(ValueError, match="two categories or more"):
        call(scores[:, :1].copy(), 1.0, np.zeros((3, 1), kind), 1)
    for sharpness in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="sharpness is above 0"):
            call(scores, sharpness, scores, 1)
    with pytest.raises(TypeError):
        call(scores, 1.0, np.zeros((3, 4), np.int32), 1)


@KINDS
def test_tables_that_do_not_fit_a_design_are_refused(kind):
    design = Design(sp.csr_array(np.eye(3, 5)))
    for call, rows in ((_native.document_products, 3), (_native.term_products, 5)):
        with pytest.raises(ValueError, match="row for each"):
            call(design.native, np.zeros((rows, 2), kind), 1)


@KINDS
def test_no_thread_at_all_is_refused(kind):
    sample = Sample(kind)
    design = Design(sp.csr_array(np.eye(3)))
    table = np.zeros((3, 2), kind)
    calls = (
        lambda: sample.accept(sample.scores, 0),
        lambda: sample.slopes(sample.scores, sample.by_member, sample.by_other, 0),
        lambda: margins_of(sample.scores, 1.0, 0),
        lambda: slopes_through(sample.scores, 1.0, sample.scores, 0),
        lambda: _native.document_products(design.native, table, 0),
        lambda: _native.term_products(design.native, table, 0),
    )
    for call in calls:
        with pytest.raises(ValueError, match="threads is at least 1"):
            call()

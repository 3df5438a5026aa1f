"""Properties of every learner that maximises a figure of merit."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import PostilError, UsageError
from postil.features.selection import Selection
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import DenseProducts, SparseProducts, products_of

from ..samples import EVERY_SHAPE, design_of, labels_of, sample
from .learner_samples import EVERY, EVERY_ALONE, both, leaning

NO_MEMBER = "the category has no member: never chosen"
ALL_MEMBERS = "the category has nothing but members: always chosen"
DENSITIES = pytest.mark.parametrize("density", [0.15, 0.8], ids=["sparse", "dense"])


def assert_bit_equal(a, b):
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name))
    np.testing.assert_array_equal(a.intercepts, b.intercepts)
    assert [replace(r, seconds=0.0) for r in a.reports] == [
        replace(r, seconds=0.0) for r in b.reports
    ]
    assert_same_parts(a.combination, b.combination)


def assert_same_parts(a, b):
    assert (a is None) == (b is None)
    if a is None:
        return
    (settings, arrays), (others, other_arrays) = a.to_parts(), b.to_parts()
    assert settings == others
    for name, values in arrays.items():
        np.testing.assert_array_equal(values, other_arrays[name])


def f1_of(scores, truth):
    accepted = scores > 0
    return 2 * (accepted & truth).sum() / (accepted.sum() + truth.sum())


@EVERY
@DENSITIES
def test_threads_change_no_bit(learn, density):
    design, labels = both(*leaning(density=density))
    with products_of(design, 2) as products:
        assert isinstance(products, DenseProducts if density > 0.5 else SparseProducts)
    one = learn(design, labels, threads=1)
    for threads in (2, 3):
        assert_bit_equal(one, learn(design, labels, threads=threads))


@EVERY
def test_training_documents_are_learned(learn):
    x, truth = leaning()
    found = learn(*both(x, truth))
    assert f1_of(found.scores(sp.csr_matrix(x)), truth) > 0.65
    assert [report.category for report in found.reports] == ["c0", "c1", "c2", "c3"]
    assert [report.members for report in found.reports] == truth.sum(axis=0).tolist()
    assert sum(report.nonzeros for report in found.reports) >= found.weights.nnz
    assert all(np.isfinite(report.objective) for report in found.reports)
    assert all(report.certificate >= 0 for report in found.reports)


@EVERY
def test_fits_and_methods_can_be_pickled(learn):
    given = both(*leaning())
    found = learn(*given)
    assert_bit_equal(found, pickle.loads(pickle.dumps(found)))
    assert_bit_equal(found, pickle.loads(pickle.dumps(learn))(*given))


@EVERY
def test_a_fit_changes_nothing_that_it_was_given(learn):
    design, labels = both(*leaning())
    weights = np.ones(80)
    before = design.rows.copy(), labels.members.copy()
    learn(design, labels, sample_weights=SampleWeights(weights))
    assert (design.rows != before[0]).nnz == 0
    assert (labels.members != before[1]).nnz == 0
    assert (weights == 1).all()


@EVERY
@EVERY_SHAPE
def test_every_shape_of_data_has_a_finite_fit(learn, shape):
    _, truth, design, labels = sample(shape)
    found = learn(design, labels)
    scores = found.scores(design.rows)
    assert scores.shape == truth.shape
    assert np.isfinite(scores).all()


@EVERY
def test_categories_without_members_and_with_nothing_else(learn):
    x, truth = leaning()
    none, whole = np.zeros(80, bool), np.ones(80, bool)
    columns = [none, truth[:, 0], whole, truth[:, 1], truth[:, 2]]
    found = learn(*both(x, np.column_stack(columns)))
    assert [found.reports[at].note for at in (0, 2)] == [NO_MEMBER, ALL_MEMBERS]
    assert [found.reports[at].stopped for at in (0, 2)] == ["constant", "constant"]
    scores = found.scores(sp.csr_matrix(x))
    assert (scores[:, 0] < 0).all()
    assert (scores[:, 2] > 0).all()
    assert f1_of(scores[:, [1, 3, 4]], truth[:, :3]) > 0.65


@EVERY
def test_categories_without_members_change_nothing_else(learn):
    x, truth = leaning()
    plain = learn(*both(x, truth))
    wider = learn(*both(x, np.column_stack([truth, np.zeros((80, 2), bool)])))
    scores = wider.scores(sp.csr_matrix(x))
    assert (scores[:, 4:] < 0).all()
    # Of rivals the bar is lower by those that never compete; decisions are as good.
    assert f1_of(scores[:, :4], truth) > f1_of(plain.scores(sp.csr_matrix(x)), truth) - 0.05


@EVERY_ALONE
def test_categories_that_stand_alone_do_not_notice_others(learn):
    x, truth = leaning()
    together = learn(*both(x, truth)).scores(sp.csr_matrix(x))
    for at in range(4):
        alone = learn(*both(x, truth[:, [at]])).scores(sp.csr_matrix(x))
        np.testing.assert_allclose(alone[:, 0], together[:, at], rtol=1e-5, atol=1e-7)


@EVERY
def test_nothing_to_learn_at_all(learn):
    x, _ = leaning()
    truth = np.zeros((80, 2), bool)
    truth[:, 1] = True
    found = learn(*both(x, truth))
    assert found.weights.nnz == 0
    assert [report.note for report in found.reports] == [NO_MEMBER, ALL_MEMBERS]
    assert ((found.scores(sp.csr_matrix(x)) > 0) == truth).all()


@EVERY
def test_one_category_or_none(learn):
    x, truth = leaning()
    one = learn(*both(x, truth[:, :1]))
    assert f1_of(one.scores(sp.csr_matrix(x)), truth[:, :1]) > 0.65
    none = learn(design_of(x), Labels((), sp.csr_matrix((80, 0), dtype=bool)))
    assert none.weights.shape == (0, 25)
    assert none.scores(sp.csr_matrix(x)).shape == (80, 0)
    assert none.reports == ()


@EVERY
def test_no_documents(learn):
    found = learn(Design(sp.csr_matrix((0, 4))), labels_of(np.zeros((0, 2))))
    assert [report.note for report in found.reports] == [NO_MEMBER] * 2


@EVERY
def test_documents_of_no_weight_are_as_if_left_out(learn):
    x, truth = leaning(documents=90)
    present = np.arange(90) % 5 > 0
    truth[0] = True  # a document that is left out says nothing
    weighed = learn(*both(x, truth), sample_weights=SampleWeights(present.astype(float)))
    fewer = learn(*both(x[present], truth[present]))
    here = sp.csr_matrix(x[present])
    same = (weighed.scores(here) > 0) == (fewer.scores(here) > 0)
    assert same.all()
    assert [r.members for r in weighed.reports] == [r.members for r in fewer.reports]


@EVERY
def test_a_document_of_weight_2_is_two(learn):
    x, truth = leaning()
    weights = np.where(np.arange(80) % 3 == 0, 2.0, 1.0)
    weighed = learn(*both(x, truth), sample_weights=SampleWeights(weights))
    twice = np.repeat(np.arange(80), weights.astype(int))
    repeated = learn(*both(x[twice], truth[twice]))
    same = (weighed.scores(sp.csr_matrix(x)) > 0) == (repeated.scores(sp.csr_matrix(x)) > 0)
    assert same.mean() > 0.9


@EVERY
def test_terms_that_were_not_selected_have_no_weight(learn):
    x, truth = leaning()
    chosen = [np.array(terms) for terms in ([0, 3, 7, 9], range(25), [1, 2, 20], range(5, 20))]
    found = learn(*both(x, truth), selection=selection_of(chosen, 25))
    rows = found.weights.toarray()
    for at, terms in enumerate(chosen):
        nodes = [at] if len(rows) == 4 else found.combination.nodes_of(at)
        left_out = np.setdiff1d(np.arange(25), terms)
        assert (rows[nodes][:, left_out] == 0).all()
        assert rows[nodes][:, terms].any()


def selection_of(chosen, terms):
    starts = np.concatenate([[0], np.cumsum([len(each) for each in chosen])])
    return Selection(np.concatenate(chosen), starts, terms)


@EVERY
def test_class_weights_are_refused(learn):
    with pytest.raises(UsageError, match="leave class weights out"):
        learn(*both(*leaning()), sample_weights=SampleWeights(classes="balanced"))


@EVERY
def test_progress_rises_to_its_end_and_may_stop_the_work(learn):
    given = both(*leaning())
    calls = []
    before = learn(*given, progress=lambda *call: calls.append(call))
    shares = [done / most for done, most in calls]
    assert shares == sorted(shares)
    assert 0 < shares[0] <= shares[-1] <= 1

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(*given, progress=interrupt)
    assert_bit_equal(before, learn(*given))


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
@DENSITIES
def test_ctrl_c_stops_the_work(density):
    given = both(*leaning(density=density))
    long = MfomMethod(solver="gpd", options={"iterations": 1_000_000})
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            long.fit(Job(*given, threads=2))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    assert MfomMethod().fit(Job(*given, threads=2)).weights.shape == (4, 25)


@EVERY
def test_progress_ends_with_all_steps(learn):
    calls = []
    learn(*both(*leaning()), progress=lambda *call: calls.append(call))
    assert calls[-1][0] == calls[-1][1]
    assert len({most for _, most in calls}) == 1


@EVERY
@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_tiny_and_large_values_have_finite_fits(learn, unit):
    x, truth = leaning()
    found = learn(*both(unit * x, truth))
    scores = found.scores(sp.csr_matrix(unit * x))
    assert np.isfinite(scores).all()
    assert np.isfinite(found.intercepts).all()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e39])
def test_values_that_are_no_numbers_of_single_precision_are_refused(wrong):
    x, _ = leaning()
    x[3, 4] = wrong
    with pytest.raises(PostilError):
        Design(sp.csr_matrix(x))

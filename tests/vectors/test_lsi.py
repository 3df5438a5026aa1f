"""LSI against the dense singular value decomposition."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import ArpackNoConvergence

from postil.common.threads import interruptible
from postil.errors import InputError, UsageError
from postil.vectors.lsi import Lsi


def random_matrix(documents, terms, density=0.2, seed=0):
    return sp.random(
        documents, terms, density=density, format="csr", dtype=np.float32, random_state=seed
    )


def of_rank(rank, documents, terms, seed=0):
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((documents, rank)) @ rng.standard_normal((rank, terms))
    return sp.csr_matrix(dense.astype(np.float32))


SIDES = pytest.mark.parametrize(("documents", "terms"), [(90, 60), (60, 90), (70, 70)])


@SIDES
@pytest.mark.parametrize("wanted", [1, 5, 15, 40, 60])
@pytest.mark.parametrize("scaled", [False, True])
def test_equals_the_dense_decomposition(documents, terms, wanted, scaled):
    x = random_matrix(documents, terms)
    left, values, _ = np.linalg.svd(x.toarray(), full_matrices=False)
    lsi = Lsi(wanted, scaled=scaled)
    points = lsi.fit_transform(x)
    np.testing.assert_allclose(lsi.singular_values, values[:wanted], rtol=1e-5)
    expected = left[:, :wanted] * (values[:wanted] if scaled else 1)
    signs = np.sign((points * expected).sum(axis=0))
    np.testing.assert_allclose(points, expected * signs, atol=2e-4)
    assert points.dtype == np.float32
    gram = lsi.term_vectors.T @ lsi.term_vectors
    np.testing.assert_allclose(gram, np.eye(wanted), atol=1e-5)


@SIDES
def test_full_rank_keeps_all_inner_products(documents, terms):
    x = random_matrix(documents, terms)
    points = Lsi(scaled=True).fit_transform(x)
    assert points.shape == (documents, min(documents, terms))
    np.testing.assert_allclose(points @ points.T, (x @ x.T).toarray(), atol=1e-4)


@pytest.mark.parametrize("wanted", [8, 12, 20, 200, 5000, None])
def test_keeps_no_more_directions_than_there_are(wanted):
    lsi = Lsi(wanted).fit(of_rank(12, 100, 130))
    assert len(lsi.singular_values) == min(12, wanted or 12)
    assert lsi.term_vectors.shape == (130, len(lsi.singular_values))


def test_new_documents_are_folded_in_as_the_old_ones_were():
    x = random_matrix(80, 50)
    lsi = Lsi(10).fit(x)
    apart = np.vstack([lsi.transform(x[:30]), lsi.transform(x[30:])])
    np.testing.assert_allclose(apart, lsi.transform(x), rtol=1e-6)
    fresh = random_matrix(5, 50, seed=9)
    by_hand = fresh.toarray() @ lsi.term_vectors / lsi.singular_values
    np.testing.assert_allclose(lsi.transform(fresh), by_hand, atol=1e-5)
    assert lsi.transform(sp.csr_array((2, 50), dtype=np.float32)).tolist() == [[0.0] * 10] * 2


@settings(max_examples=25)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 40), st.integers(0, 10**6))
def test_best_approximation_for_any_shape(documents, terms, wanted, seed):
    x = random_matrix(documents, terms, 0.3, seed)
    lsi = Lsi(wanted, scaled=True).fit(x)
    values = np.linalg.svd(x.toarray(), compute_uv=False)
    lost = x.toarray() - lsi.transform(x) @ lsi.term_vectors.T
    np.testing.assert_allclose((lost**2).sum(), (values[wanted:] ** 2).sum(), atol=1e-4)


@pytest.mark.parametrize("wanted", [5, 50])
def test_same_seed_same_bits_and_any_seed_same_directions(wanted):
    x = random_matrix(100, 80)
    first, again, other = (Lsi(wanted, seed=seed).fit(x) for seed in (1, 1, 2))
    assert (first.term_vectors == again.term_vectors).all()
    assert (first.singular_values == again.singular_values).all()
    np.testing.assert_allclose(first.term_vectors, other.term_vectors, atol=1e-4)
    furthest = np.abs(first.term_vectors).argmax(axis=0)
    assert (first.term_vectors[furthest, np.arange(wanted)] > 0).all()


def test_a_matrix_too_wide_to_be_dense():
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 30_000, (2, 3000))
    x = sp.csr_matrix((rng.random(3000, np.float32), (rows, columns)), shape=(30_000, 30_000))
    lsi = Lsi(3).fit(x)
    assert lsi.singular_values[0] == pytest.approx(Lsi(1, seed=5).fit(x).singular_values[0])
    with pytest.raises(UsageError, match=r"7 GB: ask for at most 7500"):
        Lsi(8000).fit(x)


@pytest.mark.parametrize("widest", [100, 1000])
def test_directions_that_are_not_there(widest, monkeypatch):
    """PROPACK gives up here; the dense route or ARPACK finds the few there are."""
    monkeypatch.setattr("postil.vectors.lsi.WIDEST_DENSE", widest)
    monkeypatch.setattr("postil.vectors.lsi._by_lanczos", _gives_up)
    x = of_rank(12, 120, 150)
    values = Lsi(30).fit(x).singular_values
    np.testing.assert_allclose(values, np.linalg.svd(x.toarray())[1][:12], rtol=1e-5)


def _gives_up(*_):
    raise np.linalg.LinAlgError


def test_not_converging_is_told(monkeypatch):
    def never(*_, **__):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty(0))

    monkeypatch.setattr("postil.vectors.lsi.WIDEST_DENSE", 10)
    monkeypatch.setattr("postil.vectors.lsi._by_lanczos", _gives_up)
    monkeypatch.setattr("scipy.sparse.linalg.svds", never)
    with pytest.raises(UsageError, match=r"did not find 5 directions.*ask for fewer"):
        Lsi(5).fit(random_matrix(60, 40))


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (4, 3)])
def test_an_empty_matrix_has_no_directions(shape):
    lsi = Lsi(2)
    assert lsi.fit_transform(sp.csr_matrix(shape, dtype=np.float32)).shape == (shape[0], 0)
    assert lsi.singular_values.size == 0


@pytest.mark.parametrize("scaled", [False, True])
def test_arrays_restore_the_same_transform(scaled):
    x = random_matrix(60, 40)
    lsi = Lsi(7, scaled=scaled).fit(x)
    again = Lsi(7, scaled=scaled)
    again.set_directions(lsi.singular_values, lsi.term_vectors)
    assert (again.transform(x) == lsi.transform(x)).all()
    assert (again.singular_values == lsi.singular_values).all()


@pytest.mark.parametrize(
    "damage",
    [
        {"term_vectors": np.zeros((5, 3), np.float32)},
        {"term_vectors": np.zeros(2, np.float32)},
        {"singular_values": np.array([1.0, 2.0])},
        {"singular_values": np.array([1.0, 0.0])},
        {"singular_values": np.array([1.0, np.nan])},
        {"singular_values": np.ones((2, 2))},
    ],
)
def test_damaged_arrays_are_refused(damage):
    lsi = Lsi(2).fit(random_matrix(9, 5, 0.5))
    arrays = {"singular_values": lsi.singular_values, "term_vectors": lsi.term_vectors} | damage
    with pytest.raises(InputError, match="damaged"):
        Lsi(2).set_directions(arrays["singular_values"], arrays["term_vectors"])


def test_bad_requests_are_refused():
    x = random_matrix(9, 5, 0.5)
    for bad in (0, -3):
        with pytest.raises(UsageError, match=f"at least 1, or None, got {bad}"):
            Lsi(bad)
    for tolerance in (-0.1, 1.0, float("nan")):
        with pytest.raises(UsageError, match="tolerance"):
            Lsi(2, tolerance=tolerance)
    with pytest.raises(UsageError, match="call fit first"):
        Lsi(2).transform(x)
    with pytest.raises(UsageError, match="5 terms and the matrix has 4"):
        Lsi(2).fit(x).transform(x[:, :4])
    with pytest.raises(UsageError, match="scipy sparse matrix"):
        Lsi(2).fit(x.toarray())
    x.data[-1] = np.nan
    with pytest.raises(InputError, match="document 8 has a weight"):
        Lsi(2).fit(x)


def test_the_widest_squares_take_another_way(monkeypatch):
    x = random_matrix(90, 60)
    usual = Lsi(40).fit(x)
    monkeypatch.setattr("postil.vectors.lsi.WIDEST_BY_HALVES", 10)
    other = Lsi(40).fit(x)
    np.testing.assert_allclose(other.singular_values, usual.singular_values, rtol=1e-9)
    np.testing.assert_allclose(other.term_vectors, usual.term_vectors, atol=1e-5)


def test_steps_are_told(monkeypatch):
    monkeypatch.setattr("postil.common.threads.POLL_SECONDS", 0.0001)
    told: list[int] = []
    Lsi(10).fit(random_matrix(400, 300), progress=told.append)
    assert told == sorted(told)
    assert told[-1] >= 10


def test_ctrl_c_leaves_the_work_to_itself():
    begun, ended = threading.Event(), threading.Event()

    def work():
        begun.set()
        ended.wait(10)

    def look():
        begun.wait(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(work, look)
    assert not ended.is_set()
    ended.set()


def test_what_work_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
    assert interruptible(lambda: 3) == 3

"""Sparse matrices and the width of their indices."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil import LinearClassifier, TextVectorizer
from postil.decide.scores import checked_truth
from postil.errors import InputError
from postil.evaluate.counts import checked_indicator
from postil.features.inputs import checked_members
from postil.learn.job import Design, Labels
from postil.model.scoring import TextScorer
from postil.model.weights import canonical_weights
from postil.vectors import matrices
from postil.vectors.lsi import Lsi
from postil.vectors.matrices import as_new, check_indices, index_type, stack, to_csr
from postil.vectors.svmlight import write_svmlight
from postil.vectors.vectorizer import Vectorizer

from .samples import assert_bit_equal


def arrays_of(dense: list[list[float]]):
    matrix = sp.csr_matrix(np.array(dense, dtype=np.float32))
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


@pytest.mark.parametrize("dense", [[[1, 0, 2]], [[1, 0, 2], [0, 0, 0], [0, 3, 0]], [[0, 0, 0]]])
def test_arrays_become_a_matrix_that_shares_them(dense: list[list[float]]):
    row_starts, terms, values = arrays_of(dense)
    matrix = to_csr((row_starts, terms, values), 3)
    np.testing.assert_array_equal(matrix.toarray(), dense)
    assert matrix.shape == (len(dense), 3)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert matrix.data.dtype == np.float32
    assert matrix.has_canonical_format
    assert np.shares_memory(matrix.data, values) or not values.size
    assert np.shares_memory(matrix.indices, terms) or not values.size
    matrix.check_format(full_check=True)


def test_matrices_of_one_row_do_not_share_what_they_hold():
    first = to_csr(arrays_of([[1, 0, 2]]), 3)
    second = to_csr(arrays_of([[0, 5, 0]]), 3)
    assert first.toarray().tolist() == [[1, 0, 2]]
    assert second.toarray().tolist() == [[0, 5, 0]]
    assert (first + second).toarray().tolist() == [[1, 5, 2]]
    assert sp.vstack([first, second]).shape == (2, 3)
    first.resize((1, 7))
    assert to_csr(arrays_of([[1, 1, 1]]), 3).shape == (1, 3)


def test_no_rows_at_all():
    nothing = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32))
    assert to_csr(nothing, 5).shape == (0, 5)
    assert stack([], 5).shape == (0, 5)


def test_indices_widen_with_the_number_of_entries(monkeypatch: pytest.MonkeyPatch):
    assert index_type(2**31 - 1) is np.int32
    assert index_type(2**31) is np.int64
    monkeypatch.setattr(matrices, "LARGEST_INT32", 3)
    assert index_type(3) is np.int32
    assert index_type(4) is np.int64


@pytest.mark.parametrize(("largest", "width"), [(3, np.int64), (4, np.int32)])
def test_both_index_arrays_are_of_one_width(monkeypatch, largest: int, width: type):
    """Return the arrays as SciPy takes them; it narrows small indices itself."""
    dense = [[1, 0, 2], [0, 3, 4]]
    arrays = arrays_of(dense)
    blocks = [sp.csr_matrix(np.array([row], dtype=np.float32)) for row in dense]
    make, handed_over = sp.csr_matrix, []
    monkeypatch.setattr(matrices, "LARGEST_INT32", largest)
    monkeypatch.setattr(
        sp, "csr_matrix", lambda a, shape: handed_over.append(a) or make(a, shape=shape)
    )
    assert to_csr(arrays, 3).toarray().tolist() == dense
    assert stack(blocks, 3).toarray().tolist() == dense
    assert len(handed_over) == 2
    for values, indices, indptr in handed_over:
        assert indices.dtype == indptr.dtype == width
        assert values.dtype == np.float32


def test_one_row_too_long_for_narrow_indices(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matrices, "LARGEST_INT32", 1)
    matrix = to_csr(arrays_of([[1, 0, 2]]), 3)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int64
    assert matrix.toarray().tolist() == [[1, 0, 2]]


blocks_of_rows = st.lists(
    st.integers(0, 4).flatmap(
        lambda rows: st.lists(
            st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=3, max_size=3),
            min_size=rows,
            max_size=rows,
        )
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(blocks_of_rows)
def test_stacked_blocks_are_their_rows_one_below_the_other(blocks: list[list[list[float]]]):
    rows = [row for block in blocks for row in block]
    parts = (
        sp.csr_matrix(np.array(block, dtype=np.float32).reshape(len(block), 3)) for block in blocks
    )
    expected = sp.csr_matrix(np.array(rows, dtype=np.float32).reshape(len(rows), 3))
    assert_bit_equal(stack(parts, 3), expected)


def test_blocks_are_let_go_once_copied(monkeypatch: pytest.MonkeyPatch):
    """But for the last; else two matrices would be held at the end of every stack."""
    alive: list[int] = []
    watched: list[weakref.ref[sp.csr_matrix]] = []
    make = sp.csr_matrix

    def note(*args, **kwargs) -> sp.csr_matrix:
        gc.collect()
        alive.append(sum(reference() is not None for reference in watched))
        return make(*args, **kwargs)

    def blocks():
        for _ in range(5):
            block = make(np.ones((2, 3), dtype=np.float32))
            watched.append(weakref.ref(block))
            yield block

    monkeypatch.setattr(sp, "csr_matrix", note)
    assert stack(blocks(), 3).shape == (10, 3)
    assert len(watched) == 5
    assert alive == [1]


def made_of(indices: list[int], starts: list[int], kind: type = sp.csr_matrix):
    """A 3 × 3 matrix of these arrays; SciPy looks at their lengths alone."""
    return kind((np.ones(len(indices)), np.array(indices), np.array(starts)), shape=(3, 3))


BAD = {
    "beyond": ([0, 10**9, 1], [0, 1, 2, 3]),
    "just beyond": ([0, 3, 1], [0, 1, 2, 3]),
    "below": ([0, -1, 1], [0, 1, 2, 3]),
    "falling": ([0, 2, 1], [0, 10**8, 2, 3]),
}


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("name", BAD)
def test_indices_that_lie_outside_are_refused(name: str, kind: type):
    with pytest.raises(InputError, match=r"^X: .*ind.* of the sparse matrix"):
        check_indices(made_of(*BAD[name], kind), "X")


def test_indices_within_are_not_refused():
    check_indices(made_of([0, 2, 1], [0, 1, 2, 3]), "X")
    check_indices(sp.csr_matrix((0, 3)), "X")
    check_indices(sp.csc_matrix((3, 0)), "X")
    unpruned = made_of([0, 2, 1], [0, 1, 2, 3])
    unpruned.indices, unpruned.data = np.array([0, 2, 1, 10**9]), np.ones(4)
    check_indices(unpruned, "X")
    check_indices(np.ones((2, 2)), "X")


def _coo(row: int, column: int) -> sp.coo_matrix:
    matrix = sp.coo_matrix(np.eye(3))
    matrix.row, matrix.col = np.array([0, 1, row]), np.array([0, 1, column])
    return matrix


def _lil() -> sp.lil_matrix:
    matrix = sp.lil_matrix(np.eye(3))
    matrix.rows[0] = [10**6]
    return matrix


def _bsr() -> sp.bsr_matrix:
    matrix = sp.bsr_matrix(np.eye(4), blocksize=(2, 2))
    matrix.indices = np.array([0, 1000])
    return matrix


def _fractions() -> sp.csr_matrix:
    matrix = sp.csr_matrix(np.eye(3))
    matrix.indices = np.array([0.0, 1.0, 1.5])
    return matrix


# SciPy itself crashes on some of these where it converts them.
OTHER_FORMATS = [_coo(10**6, 0), _coo(0, -3), _lil(), _bsr(), _fractions()]


@pytest.mark.parametrize("matrix", OTHER_FORMATS, ids=lambda matrix: matrix.format)
def test_indices_of_any_format_are_checked(matrix: sp.spmatrix):
    for door in (Design, lambda bad: LinearClassifier().fit(bad, [*"abab"][: bad.shape[0]])):
        with pytest.raises(InputError, match=r"indices of the sparse matrix go from|is damaged"):
            door(matrix)


GOOD = sp.csr_matrix(np.eye(3))
FITTED = LinearClassifier("perceptron", solver="mistake-driven").fit(GOOD, ["a", "b", "a"])
DOORS = {
    "fit": lambda bad: LinearClassifier().fit(bad, ["a", "b", "a"]),
    "fit, y": lambda bad: LinearClassifier().fit(GOOD, bad.astype(int)),
    "partial_fit": lambda bad: FITTED.partial_fit(bad, ["a", "b", "a"]),
    "predict": FITTED.predict,
    "Design": Design,
    "Labels": lambda bad: Labels(("a", "b", "c"), bad.astype(bool)),
    "checked_members": lambda bad: checked_members(bad, 3),
    "checked_truth": checked_truth,
    "checked_indicator": lambda bad: checked_indicator(bad, "decisions"),
    "Lsi.fit": lambda bad: Lsi(2).fit(bad),
    "Lsi.transform": lambda bad: Lsi(2).fit(GOOD).transform(bad),
    "canonical_weights": canonical_weights,
    "inverse_transform": TextVectorizer(buckets=3).fit(["a"]).inverse_transform,
    "write_svmlight": lambda bad: write_svmlight("-", bad, [[], [], []]),
    "TextScorer": lambda bad: TextScorer(Vectorizer(buckets=3).fit(["a"]), bad, np.zeros(3)),
}


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_looks_at_indices(door: str, kind: type):
    with pytest.raises(InputError, match="the indices of the sparse matrix go from 0 to"):
        DOORS[door](made_of(*BAD["beyond"], kind))


@pytest.mark.parametrize("least", [1, 2])
def test_a_held_out_document_looks_new(least):
    # As if the vocabulary had been made of the other documents; idf is that of all.
    texts = ["oil wheat gold", "oil wheat", "oil gold tax", "wheat tax", "oil oil corn"]
    vectorizer = Vectorizer("words lower")
    every = vectorizer.fit_transform(texts)
    held_out = np.array([0, 4])
    found = as_new(every[held_out], every, least).toarray()
    others = np.delete(every.toarray(), held_out, axis=0)
    kept = (others > 0).sum(axis=0) >= least
    expected = every[held_out].toarray() * kept
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_held_out_document_of_unknown_terms_is_empty():
    every = sp.csr_matrix(np.eye(3, dtype=np.float32))
    assert not as_new(every[[1]], every).toarray().any()
    assert as_new(every[[]], every).shape == (0, 3)

"""The shared matrix: what it takes, and that it copies nothing that it need not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import InputError, UsageError
from postil.learn.job import Design

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0]])


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_matrix])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, bool])
def test_any_sparse_matrix_of_numbers(form, kind):
    values = DENSE.astype(kind)
    design = Design(form(values))
    assert (design.documents, design.terms) == (2, 3)
    assert design.rows.dtype == np.float32
    np.testing.assert_array_equal(design.rows.toarray(), values.astype(float))
    np.testing.assert_array_equal(design.columns.toarray(), values.astype(float))


def test_canonical_single_precision_rows_are_not_copied():
    matrix = sp.csr_matrix(DENSE.astype(np.float32))
    assert np.shares_memory(Design(matrix).rows.data, matrix.data)


def test_the_order_of_entries_does_not_matter_and_twins_add_up():
    matrix = sp.csr_matrix(
        (np.array([2.0, 0.5, 0.5, -3.0]), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), (2, 3)
    )
    np.testing.assert_array_equal(Design(matrix).rows.toarray(), DENSE)
    assert len(matrix.data) == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_its_place(value):
    with pytest.raises(InputError, match="document 1, term 2"):
        Design(sp.csr_matrix(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, value]])))


def test_what_is_not_finite_in_single_precision_is_refused():
    with pytest.raises(InputError, match="document 0, term 1"):
        Design(sp.csr_matrix(np.array([[0.0, 1e300]])))


def test_a_dense_matrix_is_refused():
    with pytest.raises(UsageError, match="scipy sparse matrix"):
        Design(DENSE)

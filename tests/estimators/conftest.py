"""Data that the tests of estimators share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_multilabel_classification
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def small_matrices_need_no_threads():
    """L-BFGS on matrices this small spends its time waiting for BLAS threads."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@pytest.fixture(scope="module")
def digits():
    """Rows of ten digits; small, and exact as float32."""
    x, y = load_digits(return_X_y=True)
    return x[:300] / 16.0, y[:300]


@pytest.fixture(scope="module")
def two_digits(digits):
    x, y = digits
    chosen = np.isin(y, (3, 8))
    return x[chosen], np.where(y[chosen] == 8, "eight", "three")


@pytest.fixture(scope="module")
def many_labels():
    return make_multilabel_classification(120, 12, n_classes=4, random_state=0)

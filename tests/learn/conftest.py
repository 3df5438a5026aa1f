"""Fixtures of the learning tests."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="session", autouse=True)
def small_matrices_need_no_threads():
    """L-BFGS-B on matrices this small spends its time waiting for BLAS threads."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield

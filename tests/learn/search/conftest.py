"""Fixtures of the search tests."""

from __future__ import annotations

import pytest

from .samples import searched_data


@pytest.fixture(scope="session")
def data():
    return searched_data()

"""The names that the package offers, and the cost of importing it."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain

import pytest

import postil.decide


def test_every_name_is_there():
    for name in chain.from_iterable(postil.decide._HOMES.values()):
        assert getattr(postil.decide, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'luck'"):
        postil.decide.luck  # noqa: B018


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("postil.decide", "numpy"),
        # A fresh process that predicts has a budget: applying a stored rule loads no SciPy.
        ("postil.decide.decision, postil.decide.calibration, postil.decide.rules", "scipy"),
    ],
)
def test_importing_is_cheap(modules, absent):
    code = f"import sys, {modules}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

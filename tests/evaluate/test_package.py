"""The names of the package."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain

import pytest

from postil import evaluate


def test_every_name_is_found():
    for name in chain.from_iterable(evaluate._HOMES.values()):
        assert getattr(evaluate, name) is not None
    with pytest.raises(AttributeError, match="no_such"):
        _ = evaluate.no_such


def test_importing_the_package_loads_nothing_heavy():
    code = "import postil.evaluate, sys; print([m for m in ('numpy', 'rich') if m in sys.modules])"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"

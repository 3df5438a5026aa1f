"""What the package offers, and that looking at it costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import postil.decide


def test_every_name_is_there():
    for name in postil.decide.__all__:
        assert getattr(postil.decide, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'luck'"):
        postil.decide.luck  # noqa: B018


def test_importing_loads_no_numpy():
    code = "import sys, postil.decide; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

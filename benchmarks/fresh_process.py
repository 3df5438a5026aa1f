"""A module of the benchmarks, run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_module(name: str, arguments: list[str]) -> bytes:
    """Run ``python -m name`` and return what it prints."""
    finished = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return finished.stdout


def environment() -> dict[str, str]:
    """Return an environment in which a process finds the same modules as this one."""
    search = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": search}

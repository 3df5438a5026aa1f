"""A module of the benchmarks, run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_module(name: str, arguments: list[str]) -> bytes:
    """Run ``python -m name`` and return what it prints."""
    # The same modules as here, however they were found.
    search = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path)
    finished = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        env={**os.environ, "PYTHONPATH": search},
        stdout=subprocess.PIPE,
        check=True,
    )
    return finished.stdout

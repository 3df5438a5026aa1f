"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# NumPy is not loaded yet. On matrices this small, threads of BLAS only wait for each other, at full
# speed, and take the time of other workers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile(
    "postil",
    max_examples={"all": 200, "yes": 100}.get(os.environ.get("POSTIL_FULL", ""), 50),
    deadline=None,  # the first example of a test may import, build or read what the others use
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("postil")

# Background jobs of a shell ignore Ctrl-C, and so do their children: tests that send it would wait
# for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CORPUS_FILES = {
    "reuters": "reuters21578.tar.gz",
    "reuters-modapte": "reuters21578.tar.gz",
    "20news-bydate": "20news-bydate.tar.gz",
    "20news-19997": "20news-19997.tar.gz",
    "webkb": "webkb.tar.gz",
    "arxiv-120k": "arxiv-120k.jsonl.zst",
}

FETCH_NAMES = {"reuters": "reuters-modapte"}


@pytest.fixture(scope="session")
def corpus_file() -> Callable[[str], Path]:
    """Find a corpus file in POSTIL_DATA; skip by name where it is absent, fail in CI."""
    folder = os.environ.get("POSTIL_DATA")

    def find(name: str) -> Path:
        path = Path(folder or ".") / CORPUS_FILES[name]
        if folder and path.exists():
            return path
        message = (
            f"corpus {name}: {CORPUS_FILES[name]} is not in POSTIL_DATA; "
            f"get it with: postil corpus fetch {FETCH_NAMES.get(name, name)}"
        )
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)

    return find

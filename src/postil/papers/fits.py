"""Fits of an experiment."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from postil.learn.report import NotConvergedWarning


@contextmanager
def counted_not_warned() -> Iterator[None]:
    """Let fits stop before they have converged: that is an experiment's plan, and its remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        yield

"""The papers' printed numbers, and what prints ours beside them.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil_papers.cache import ResultCache
    from postil_papers.cells import Cell, CellKey, Measured
    from postil_papers.experiment import Experiment, Fill
    from postil_papers.loading import load_paper, paper_names
    from postil_papers.paper import Paper
    from postil_papers.reproduction import Reproduction, Table
    from postil_papers.runner import reproduce


__all__ = [
    "Cell",
    "CellKey",
    "Experiment",
    "Fill",
    "Measured",
    "Paper",
    "Reproduction",
    "ResultCache",
    "Table",
    "load_paper",
    "paper_names",
    "reproduce",
]

_HOMES = {
    "Cell": "cells",
    "CellKey": "cells",
    "Experiment": "experiment",
    "Fill": "experiment",
    "Measured": "cells",
    "Paper": "paper",
    "Reproduction": "reproduction",
    "ResultCache": "cache",
    "Table": "reproduction",
    "load_paper": "loading",
    "paper_names": "loading",
    "reproduce": "runner",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

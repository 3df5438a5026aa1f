"""Which terms a category keeps.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.features.measures import MEASURES, Measure
    from postil.features.select import select_terms, term_scores
    from postil.features.selection import ColumnView, Selection


__all__ = ["MEASURES", "ColumnView", "Measure", "Selection", "select_terms", "term_scores"]

_HOMES = {
    "MEASURES": "measures",
    "Measure": "measures",
    "ColumnView": "selection",
    "Selection": "selection",
    "select_terms": "select",
    "term_scores": "select",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

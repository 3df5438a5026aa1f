"""Why a document was given a category, or not, and what would change that.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.explain.explainer import Explainer
    from postil.explain.explanation import Explanation, TermShare, UnknownTerm
    from postil.explain.flips import Addition, Flips, Removal
    from postil.explain.page import render_html
    from postil.explain.rule import CategoryRule
    from postil.explain.terminal import render_text, wants_colour

__all__ = [
    "Addition",
    "CategoryRule",
    "Explainer",
    "Explanation",
    "Flips",
    "Removal",
    "TermShare",
    "UnknownTerm",
    "render_html",
    "render_text",
    "wants_colour",
]

_HOMES = {
    "Addition": "flips",
    "CategoryRule": "rule",
    "Explainer": "explainer",
    "Explanation": "explanation",
    "Flips": "flips",
    "Removal": "flips",
    "TermShare": "explanation",
    "UnknownTerm": "explanation",
    "render_html": "page",
    "render_text": "terminal",
    "wants_colour": "terminal",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

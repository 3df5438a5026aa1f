"""What has to be above 0 for a category to be given: a score, or a score over a bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from postil.learn.parts import Part, registry


@dataclass(frozen=True, slots=True)
class Form(Part):
    """A misclassification function's negative, the margin.

    ``has_rivals`` says that all categories are trained together; ``capped``, that the bar of a
    category is 0 at most.
    """

    has_rivals: bool = False
    capped: bool = False


_NONE: frozenset[str] = frozenset()
FORMS: Mapping[str, Form] = MappingProxyType(
    registry(
        Form("binary", "the score of the category alone (eq. 4.8)", _NONE),
        Form("rivals", "the score over that of competing classes (eq. 4.13)", _NONE, True),
        Form(
            "unclaimed",
            "the score, over a bar that is lower where no rival claims the document",
            _NONE,
            has_rivals=True,
            capped=True,
        ),
    )
)

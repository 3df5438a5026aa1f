"""The unit everything else works on: one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Split = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name, its categories, and the part of the corpus it belongs to.

    ``fields`` maps field names (``title``, ``body``, …) to texts, in reading order. ``labels``
    holds each category once, in the source's order; it may be empty. ``split`` is ``"train"``,
    ``"test"`` or ``None`` where the source does not say.
    """

    id: str
    fields: Mapping[str, str]
    labels: tuple[str, ...] = field(default=())
    split: Split | None = None

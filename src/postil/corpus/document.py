"""The unit everything else works on: one document.

What to do with a bad document in a stream, and the account of what was done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from postil.errors import DocumentError

Split = Literal["train", "test"]

LONE_SURROGATE = "holds a lone surrogate, so it cannot be written or printed; correct it"


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name, its categories, and the part of the corpus it belongs to.

    ``fields`` maps field names (``title``, ``body``, …) to texts, in reading order. ``labels``
    holds each category once, in the source's order; it may be empty. ``split`` is ``"train"``,
    ``"test"`` or ``None`` where the source does not say. Readers give only ids, labels and field
    names that UTF-8 can encode; a text may hold a lone surrogate.
    """

    id: str
    fields: Mapping[str, str]
    labels: tuple[str, ...] = field(default=())
    split: Split | None = None


def name_fault(document: Document) -> str | None:
    """Say which id, label or field name UTF-8 cannot encode, if there is one."""
    if not is_encodable(document.id):
        return f"the id {document.id!r} {LONE_SURROGATE}"
    for label in document.labels:
        if not is_encodable(label):
            return f"the label {label!r} {LONE_SURROGATE}"
    for name in document.fields:
        if not is_encodable(name):
            return f"the field name {name!r} {LONE_SURROGATE}"
    return None


def is_encodable(text: str) -> bool:
    """Say whether UTF-8 can encode the text; it cannot where there is a lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


OnError = Literal["strict", "skip"]

REMEMBERED = 20


class Problems:
    """Collects the bad documents of one pass over a stream.

    ``strict`` raises the first; ``skip`` counts every one and remembers the first few, so that
    nothing is dropped in silence.
    """

    def __init__(self, policy: OnError = "strict") -> None:
        self.policy: OnError = policy
        self.count = 0
        self.first: list[DocumentError] = []

    def report(self, error: DocumentError) -> None:
        """Raise ``error`` under ``strict``; count it under ``skip``."""
        if self.policy == "strict":
            raise error
        self.count += 1
        if len(self.first) < REMEMBERED:
            self.first.append(error)

    def or_skip(self, what: str) -> str:
        """The end of an advice: to skip what is bad, unless that is what is done."""
        return f", or skip {what} (--on-error skip)" if self.policy == "strict" else ""

    def clear(self) -> None:
        """Forget everything: a new pass begins."""
        self.count = 0
        self.first.clear()

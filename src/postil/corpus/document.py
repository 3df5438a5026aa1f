"""The document, and the account of bad documents in a stream."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from postil.errors import DocumentError

Split = Literal["train", "test"]
OnError = Literal["strict", "skip"]

LONE_SURROGATE = "holds a lone surrogate, so it cannot be written or printed; correct it"
REMEMBERED = 20
SMALLEST_TABLE = 1 << 10
MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Document:
    """A text with an id, its categories, and the split of the corpus it belongs to.

    Parameters
    ----------
    id : str
        Name of the document, unique in its corpus.
    fields : mapping of str to str
        Texts by field name (``title``, ``body``, …), in reading order. A text may hold a lone
        surrogate; readers return only ids, labels and field names that UTF-8 can encode.
    labels : tuple of str
        Each category once, in the source's order; it may be empty.
    split : {"train", "test"} or None
        None if the source does not tell.
    weight : float
        The sample weight: finite and at least 0.
    group : str or None
        What the document belongs to, such as a thread or a customer. Folds and splits keep the
        documents of a group together.
    not_labels : tuple of str or None
        The labels that the document is known not to have; of any label that is neither here nor in
        ``labels`` nothing is known. None if the document has no labels but ``labels``.
    probabilities : mapping of str to float
        Labels that are uncertain, with probabilities between 0 and 1. Those of at least 0.5 are in
        ``labels``, too; if there is none and the probabilities add up to 1, the likeliest is.
    record : mapping or None
        The row or object that the document was read from, if the reader was asked to keep it.
    """

    id: str
    fields: Mapping[str, str]
    labels: tuple[str, ...] = field(default=())
    split: Split | None = None
    weight: float = 1.0
    group: str | None = None
    not_labels: tuple[str, ...] | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    record: Mapping[str, object] | None = field(default=None, compare=False, repr=False)


def name_fault(document: Document) -> str | None:
    """Return a message about the id, label, group or field name that UTF-8 cannot encode."""
    labels = (*document.labels, *(document.not_labels or ()), *document.probabilities)
    named = [("id", document.id), *(("label", label) for label in labels)]
    named += [("group", document.group or "")]
    for kind, name in [*named, *(("field name", name) for name in document.fields)]:
        if not is_encodable(name):
            return f"the {kind} {name!r} {LONE_SURROGATE}"
    return None


def is_encodable(text: str) -> bool:
    """Return False if the text holds a lone surrogate, which UTF-8 cannot encode."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_start(document: Document, most: int = 200) -> str:
    """Return the first characters of a document's text on one line, for a list of documents."""
    # Runs of white space become one space: more is read than is kept.
    text = " ".join(text[: 4 * most] for text in document.fields.values())
    return " ".join(text.split())[:most]


class Problems:
    """The bad documents of one pass over a stream.

    ``strict`` raises the first; ``skip`` counts every one and remembers the first few, so that
    nothing is dropped in silence. ``keep`` is called with each that is skipped, in its place among
    the others, and with what could be read of it: its row of a table, or its id.
    """

    def __init__(self, policy: OnError = "strict") -> None:
        self.policy: OnError = policy
        self.count = 0
        self.first: list[DocumentError] = []
        self.keep: Callable[[DocumentError, Mapping[str, object] | None], None] | None = None

    def report(self, error: DocumentError, record: Mapping[str, object] | None = None) -> None:
        """Raise ``error`` under ``strict``; count it under ``skip``."""
        if self.policy == "strict":
            raise error
        self.count += 1
        if len(self.first) < REMEMBERED:
            self.first.append(error)
        if self.keep is not None:
            self.keep(error, record)

    def or_skip(self, what: str) -> str:
        """Return the end of an advice to skip bad documents, empty if they are skipped already."""
        return f", or skip {what} (--on-error skip)" if self.policy == "strict" else ""

    def clear(self) -> None:
        """Forget everything before a new pass."""
        self.count = 0
        self.first.clear()


class SeenIds:
    """The position at which each id was first seen, in little memory.

    An open-addressing table of two 8-byte numbers (hash, position), at most two thirds full:
    24 to 48 bytes a document, constant time each. Two different ids share a 64-bit hash with
    probability n²/2⁶⁵, 3·10⁻⁸ for a million documents; they would be taken for one.
    """

    def __init__(self) -> None:
        self._count = 0
        self._allocate(SMALLEST_TABLE)

    def first_position(self, identity: str, position: int) -> int | None:
        """Return the position of an id that was seen before; else remember it and return None.

        Positions count from 1.
        """
        key = hash(identity) & MASK
        slot = self._slot(key)
        if self._positions[slot]:
            return self._positions[slot]
        self._keys[slot] = key
        self._positions[slot] = position
        self._count += 1
        if self._count * 3 > len(self._keys) * 2:
            self._grow()
        return None

    def _allocate(self, size: int) -> None:
        self._keys = array("Q", bytes(8 * size))
        self._positions = array("Q", bytes(8 * size))

    def _slot(self, key: int) -> int:
        """Return the slot that holds ``key``, or the empty one it belongs to."""
        keys, positions, mask = self._keys, self._positions, len(self._keys) - 1
        slot = (key ^ key >> 32) & mask
        while positions[slot] and keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        keys, positions = self._keys, self._positions
        self._allocate(2 * len(keys))
        for key, position in zip(keys, positions, strict=True):
            if position:
                slot = self._slot(key)
                self._keys[slot] = key
                self._positions[slot] = position

"""Records with named values (a JSON object, a row of a table) → documents.

Finding documents that share an id, in little memory.

What the formats with named columns share: jsonl, csv, tsv and Parquet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from postil.corpus.document import Document, Problems, Split, name_fault
from postil.corpus.formats.columns import SPLITS, Columns
from postil.corpus.formats.format import UnwritableError
from postil.errors import DocumentError

SMALLEST = 1 << 10
MASK = (1 << 64) - 1


class SeenIds:
    """Remembers where each id was first seen, keeping hashes instead of ids.

    An open-addressing table of two 8-byte numbers (hash, position), at most two thirds full:
    24 to 48 bytes a document, constant time each. Two different ids share a 64-bit hash with
    probability n²/2⁶⁵, 3·10⁻⁸ for a million documents; they would be taken for one.
    """

    def __init__(self) -> None:
        self._count = 0
        self._allocate(SMALLEST)

    def first_position(self, identity: str, position: int) -> int | None:
        """Where ``identity`` was seen before, else ``None``, and it is remembered now.

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
        """Find the slot that holds ``key``, or the empty one it belongs to."""
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


Row = tuple[int, Mapping[str, object]]
"""A position in the source (its line or row number, from 1) and what was found there."""


class BadValueError(ValueError):
    """A value cannot be what its column says it is."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How records of one source become documents.

    ``separator`` splits strings in the label column; ``""`` keeps them whole. ``unit`` is what
    positions count: ``"line"`` or ``"row"``.
    """

    source: str
    unit: str
    columns: Columns
    separator: str


def documents(rows: Iterable[Row], layout: Layout, problems: Problems) -> Iterator[Document]:
    """Make a document of each row; what cannot be one goes to ``problems``.

    A row without an id is called after its position ("line-17"). Where there is an id column,
    a second document with the same id is a problem that names both places; that costs 24 to 48
    bytes a document (see ``SeenIds``), the only thing here that grows.
    """
    seen = SeenIds() if layout.columns.id is not None else None
    for position, record in rows:
        try:
            document = _document(position, record, layout)
            fault = name_fault(document)
            if fault is not None:
                raise BadValueError(fault)
            if seen is not None:
                _check_new(document.id, seen.first_position(document.id, position), layout)
        except BadValueError as error:
            problems.report(DocumentError(layout.source, f"{layout.unit} {position}", str(error)))
            continue
        yield document


def _check_new(identity: str, earlier: int | None, layout: Layout) -> None:
    if earlier is not None:
        raise BadValueError(
            f"the id {identity!r} was given to a document before, in {layout.unit} {earlier}; "
            "make ids unique, or number the documents instead (--id-column '')"
        )


def _document(position: int, record: Mapping[str, object], layout: Layout) -> Document:
    columns = layout.columns
    fields: dict[str, str] = {}
    for column, field in columns.fields.items():
        value = record.get(column)
        if isinstance(value, str):
            fields[field] = value
        elif value is not None:
            raise BadValueError(
                f"{column} must be text, received {_kind(value)}; "
                "write it as a string (in UTF-8) or leave the column out (--text-columns)"
            )
    identity = None if columns.id is None else record.get(columns.id)
    labels = None if columns.labels is None else record.get(columns.labels)
    split = None if columns.split is None else record.get(columns.split)
    return Document(
        id=_identity(identity, columns.id) or f"{layout.unit}-{position}",
        fields=fields,
        labels=() if labels is None else labels_of(labels, layout.separator),
        split=None if split is None else _split(split),
    )


def _identity(value: object, column: str | None) -> str | None:
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, int):
        return str(value)
    raise BadValueError(
        f"{column} must be a string or a whole number to be an id, received {_kind(value)}"
    )


def labels_of(value: object, separator: str) -> tuple[str, ...]:
    """Find the labels in a value: a string (split at ``separator``), a number, a list of those.

    Each label once, in order; nothing between two separators is no label, and white space
    around a separator is not part of one. Elements of a list are labels as they are.
    """
    if isinstance(value, str):
        pieces = [piece.strip() for piece in value.split(separator)] if separator else [value]
    elif isinstance(value, list | tuple):
        pieces = [_label(element) for element in value]
    else:
        pieces = [_label(value)]
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def _label(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise BadValueError(
        f"a label must be a string or a number, received {_kind(value)}; "
        "give a string or a list of strings"
    )


def _split(value: object) -> Split | None:
    if value == "":
        return None
    if isinstance(value, str) and value.casefold() in SPLITS:
        return SPLITS[value.casefold()]
    raise BadValueError(
        f"a split must be one of {', '.join(SPLITS)}, received {value!r}; "
        "correct it or ignore the column (--split-column '')"
    )


def _kind(value: object) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown[:40]}{'…' if len(shown) > 40 else ''}"


TABLE_OPTIONS = frozenset(
    {"id_column", "label_column", "split_column", "text_columns", "label_separator"}
)

RESERVED = frozenset({"id", "labels", "split"})
"""The columns that are written besides the fields."""


def check_names(document: Document) -> None:
    """Refuse a document whose columns could not be told apart, or that has no id."""
    taken = RESERVED.intersection(document.fields)
    if taken:
        raise UnwritableError(
            f"has a field called {min(taken)!r}, which is the name of another column; rename it"
        )
    if not document.id:
        raise UnwritableError("has an empty id; give it one")
    if "" in document.labels:
        raise UnwritableError("has an empty label; give it a name")


def fixed_fields(document: Document, names: tuple[str, ...]) -> list[str | None]:
    """Return the texts of the fields ``names``, ``None`` for absent ones; refuse other fields."""
    strange = document.fields.keys() - frozenset(names)
    if strange:
        raise UnwritableError(
            f"has a field {min(strange)!r}, but the columns were fixed before it as "
            f"{', '.join(names) or 'none'}; name all fields (--fields) or write jsonl"
        )
    return [document.fields.get(name) for name in names]

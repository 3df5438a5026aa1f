"""Records with named values (a JSON object, a row of a table) → documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from postil.corpus.document import Document, Split, name_fault
from postil.corpus.formats.columns import SPLITS, Columns
from postil.corpus.formats.identity import SeenIds
from postil.corpus.problems import Problems
from postil.errors import DocumentError

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

"""Documents from records with named values: JSON objects, and rows of csv, tsv and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from postil.corpus.document import Document, Problems, SeenIds, Split, name_fault
from postil.corpus.formats.columns import SPLITS, Columns, describe
from postil.corpus.formats.format import Reading, UnwritableError
from postil.errors import DocumentError

TABLE_OPTIONS = frozenset(
    {"id_column", "label_column", "split_column", "text_columns", "label_separator"}
)

RESERVED = frozenset({"id", "labels", "split"})
"""The columns that are written besides the fields."""

Row = tuple[int, Mapping[str, object]]
"""A position in the source (its line or row number, from 1) and the record there."""


class BadValueError(ValueError):
    """A value does not fit the part that its column plays."""


@dataclass(frozen=True, slots=True)
class Table:
    """The records of one source.

    Parameters
    ----------
    source : str
        Name for messages.
    unit : {"line", "record", "row"}
        What positions count.
    columns : Columns
        The part that each column plays.
    separator : str
        Splits strings in the label column; ``""`` keeps them whole.
    rows : callable
        Returns the rows; bad ones go to the ``Problems`` it is called with.
    prefix : str
        Of the ids that come from positions.
    """

    source: str
    unit: str
    columns: Columns
    separator: str
    rows: Callable[[Problems], Iterator[Row]]
    prefix: str = ""

    def reading(self) -> Reading:
        """Return the documents of the table with a sentence about its columns."""
        sentence = describe(self.columns, self.separator, self.unit)
        return Reading(self.documents, sentence, self)

    def documents(self, problems: Problems) -> Iterator[Document]:
        """Yield a document for each row; rows that cannot be one go to ``problems``.

        A row without an id is called after its position ("line-17"). If there is an id column,
        a second document with the same id is a problem that names both places; that costs 24 to
        48 bytes a document (see ``SeenIds``), the only memory here that grows.
        """
        seen = SeenIds() if self.columns.id is not None else None
        for position, record in self.rows(problems):
            try:
                document = self._document(position, record)
                fault = name_fault(document)
                if fault is not None:
                    raise BadValueError(fault)
                earlier = seen.first_position(document.id, position) if seen else None
                if earlier is not None:
                    raise BadValueError(
                        f"the id {document.id!r} was given to a document before, in {self.unit} "
                        f"{earlier}; make ids unique, or number the documents instead "
                        "(--id-column '')"
                    )
            except BadValueError as error:
                problems.report(DocumentError(self.source, f"{self.unit} {position}", str(error)))
                continue
            yield document

    def _document(self, position: int, record: Mapping[str, object]) -> Document:
        columns = self.columns
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
            id=_identity(identity, columns.id) or f"{self.prefix}{self.unit}-{position}",
            fields=fields,
            labels=() if labels is None else _labels(labels, self.separator),
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


def _labels(value: object, separator: str) -> tuple[str, ...]:
    """Return the labels in a value: a string (split at ``separator``), a number, a list of those.

    Each label occurs once, in order. Empty pieces between separators are no labels, and white
    space around a separator is not part of one. Elements of a list are labels as they are.
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


def check_names(document: Document) -> None:
    """Raise UnwritableError for a document without id, or with ambiguous columns or labels."""
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
    """Return the texts of the fields ``names``, None for absent ones; refuse other fields."""
    strange = document.fields.keys() - frozenset(names)
    if strange:
        raise UnwritableError(
            f"has a field {min(strange)!r}, but the columns were fixed before it as "
            f"{', '.join(names) or 'none'}; name all fields (--fields) or write jsonl"
        )
    return [document.fields.get(name) for name in names]

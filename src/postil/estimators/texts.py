"""Texts as a user holds them: a list, a column, a frame, a mapping of columns, or documents.

Frames and columns of pandas, polars and Arrow are read by what they have in common, so that none
of these packages is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import ArrayLike

from postil.corpus.document import Document
from postil.corpus.formats.columns import is_about_documents
from postil.corpus.frames import (
    Frame,
    as_frame,
    column_of,
    guessed_labels,
    is_frame,
    is_missing,
    names_of,
    shown,
    values_of,
)
from postil.decide.scores import checked_weights
from postil.errors import UsageError
from postil.vectors.fields import Columns, Fields, Text

ONE_FIELD = "text"

T_co = TypeVar("T_co", covariant=True)


class Column(Protocol[T_co]):
    """A list, an array or a column of a frame; a str is none, since it contains only str."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __getitem__(self, place: int, /) -> Any: ...  # noqa: ANN401 - T_co, but for arrays
    def __contains__(self, value: object, /) -> bool: ...


Texts = Column[Text] | Mapping[str, Column[Text]] | Frame


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Texts by field; without names there is one field, the text itself."""

    columns: Mapping[str, Sequence[str]]
    is_named: bool

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the fields; None for plain texts."""
        return tuple(self.columns) if self.is_named else None

    def renamed(self, name: str) -> TextColumns:
        """Return plain texts as those of a field."""
        return TextColumns({name: self.columns[ONE_FIELD]}, is_named=True)

    def documents(
        self,
        labels: Iterable[tuple[str, ...]],
        weights: ArrayLike | None = None,
        groups: Iterable[object] | None = None,
    ) -> list[Document]:
        """Return a document for each text, with its labels, weight and group."""
        weighed = checked_weights(weights, len(self)).tolist()
        grouped = [None] * len(self) if groups is None else values_of(groups)
        if len(grouped) != len(self):
            raise UsageError(f"there are {len(self)} texts, and groups of {len(grouped)}")
        rows = zip(*self.columns.values(), strict=True)
        facts = zip(rows, labels, weighed, grouped, strict=True)
        return [
            Document(
                id=str(number),
                fields=dict(zip(self.columns, row, strict=True)),
                labels=given,
                weight=weight,
                group=None if is_missing(group) else str(group),
            )
            for number, (row, given, weight, group) in enumerate(facts)
        ]

    def read_by(self, fields: Fields, learned: Sequence[str] | None) -> Columns:
        """Arrange the texts into the columns of a model; an absent field is empty.

        Parameters
        ----------
        fields : Fields
            The fields of the model. Without names it reads all fields, joined.
        learned : sequence of str, optional
            The fields that the model learned from, joined: others are left out. The only column of
            a frame stands for the only one of them, whatever its name.
        """
        if not self.is_named:
            return fields.columns(self.columns[ONE_FIELD])
        alone = len(self.columns) == 1 and learned is not None and len(learned) == 1
        wanted = fields.names or (None if alone else learned) or tuple(self.columns)
        check_fields(self.columns, wanted)
        absent = [""] * len(self)
        chosen = tuple(self.columns.get(name, absent) for name in wanted)
        also = (self.columns.get(name, absent) for name in fields.also)
        joined = ["\n".join(row) for row in zip(*chosen, strict=True)]
        return *(chosen if fields.names else (joined,)), *also


def read_texts(texts: Any, but: object = None) -> TextColumns:  # noqa: ANN401 - whatever was given
    """Return texts by field, or raise UsageError.

    ``but`` is the name of a column that is no text.

    In a frame each column of texts is a field, but for those that are called as ids, labels or
    splits are (``id``, ``label``, ``split``); a mapping is taken as it is. A missing value (None,
    NaN) of a named field is an empty text; in plain texts it is an error, since a text without a
    word is hardly meant.
    """
    if isinstance(texts, (str, bytes)):
        raise UsageError("expected a sequence of texts, received one text: wrap it in a list")
    texts = as_frame(texts)
    if is_frame(texts):
        return TextColumns(_fields_of_frame(texts, but), is_named=True)
    if isinstance(texts, Mapping):
        given = {str(name): values for name, values in texts.items() if name != but}
        if not given:
            raise UsageError("texts are a mapping without a field: give each field its texts")
        fields = {name: _column(values, name) for name, values in given.items()}
        return TextColumns(_of_one_length(fields), is_named=True)
    return TextColumns({ONE_FIELD: _column(texts)}, is_named=False)


def read_labelled(texts: Any, labels: Any) -> tuple[TextColumns, Any]:  # noqa: ANN401
    """Return texts by field, and their labels.

    The labels of texts with columns may be the name of one of them, or None: then the column is
    known by its name (``label``, ``topic``, …), as in files.
    """
    if labels is not None and not isinstance(labels, str):
        return read_texts(texts), labels
    texts = as_frame(texts)
    if not is_frame(texts) and not (isinstance(texts, Mapping) and texts):
        if labels is None:
            raise UsageError("the labels of the texts are missing: give the labels of each text")
        return read_texts(texts), labels
    names = names_of(texts) if is_frame(texts) else list(texts)
    name = guessed_labels(names) if labels is None else labels
    listed = ", ".join(map(str, names))
    if name is None:
        raise UsageError(
            f"no column is known to hold labels; the columns are {listed}: give the labels, or the "
            "name of their column"
        )
    if name not in names:
        raise UsageError(
            f"there is no column {name!r}, whose values would be labels; the columns are {listed}"
        )
    return read_texts(texts, but=name), column_of(texts, name)


def check_columns_are_read(texts: object, given: Mapping[str, object]) -> None:
    """Raise UsageError if a frame has sample weights, groups or known-negative labels not given.

    ``given`` has what the caller gave for each of these columns, or None.
    """
    if not is_frame(texts):
        return
    names = set(map(str, names_of(texts)))
    unread = next((name for name, own in given.items() if own is None and name in names), None)
    if unread is not None:
        raise UsageError(
            f"the frame has a column {unread!r}, which fit would not read: give "
            "fit_documents(postil.open_corpus(frame)), which reads it, or leave the column out"
        )


def decoded(text: Any, place: str = "") -> str:  # noqa: ANN401 - whatever the caller gave
    """Return a text as str; raise UsageError if it is neither str nor bytes."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        raise UsageError(f"{place}a text must be a str, not {shown(text)}")
    return text


def check_fields(given: Iterable[str], wanted: Sequence[str]) -> None:
    """Raise UsageError if texts have none of the fields that a model reads."""
    if wanted and not set(wanted).intersection(given):
        raise UsageError(
            f"texts have the fields {', '.join(given)}, and the model reads {', '.join(wanted)}"
        )


def checked_documents(
    documents: Iterable[Document], door: str = "fit_documents"
) -> Iterable[Document]:
    """Return the documents; raise UsageError for anything else.

    ``door`` is the name of the calling method, ``fit_documents`` or ``update_documents``; the error
    names the method that takes texts and labels.
    """
    if isinstance(documents, (str, bytes, Path)):
        raise UsageError(
            f"{door} takes documents, not a path: open it with "
            f"postil.open_corpus({str(documents)!r})"
        )
    if not isinstance(documents, Iterable):
        raise UsageError(f"{door} takes documents, such as an open corpus, not {shown(documents)}")
    return _documents_alone(documents, door)


def _documents_alone(documents: Iterable[Document], door: str) -> Iterator[Document]:
    for document in documents:
        if not isinstance(document, Document):
            raise UsageError(
                f"{door} takes postil.Document, not {shown(document)}: give texts and "
                f"labels to {door.removesuffix('_documents')}"
            )
        yield document


def _column(texts: Any, field: str | None = None) -> list[str]:  # noqa: ANN401
    """Return the texts of one field; missing ones are empty if the field has a name."""
    if not isinstance(texts, Iterable) or isinstance(texts, (str, bytes, AbstractSet)):
        place = f"{field}: " if field else ""
        raise UsageError(
            f"{place}texts must be a list of str, an array or a column, not {shown(texts)}"
        )
    shape = getattr(texts, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise UsageError(
            f"texts must be one column, and the array has the shape {shape}: give texts[:, 0], or "
            "a mapping of field names to columns"
        )
    values = values_of(texts)
    if all(type(value) is str for value in values):
        return values
    if field is None:
        for number, value in enumerate(values):
            if is_missing(value):
                raise UsageError(
                    f"text {number}: a text must be a str, not {shown(value)}: leave it out, or "
                    "give '' in its place"
                )
        return [decoded(value, f"text {number}: ") for number, value in enumerate(values)]
    return [
        "" if is_missing(value) else decoded(value, f"text {number}, {field}: ")
        for number, value in enumerate(values)
    ]


def _fields_of_frame(frame: Any, but: object) -> dict[str, list[str]]:  # noqa: ANN401
    fields = {}
    names = names_of(frame)
    for name in names:
        if is_about_documents(str(name)) or name == but:
            continue
        values = values_of(column_of(frame, name))
        first = next((value for value in values if not is_missing(value)), None)
        if isinstance(first, (str, bytes)) or not values:
            fields[str(name)] = _column(values, str(name))
    if not fields:
        raise UsageError(
            f"the frame has no column of texts: its columns are {', '.join(map(str, names))}; a "
            "mapping of names to columns, such as {'text': frame['label']}, is taken as it is"
        )
    return fields


def _of_one_length(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    counts = {name: len(column) for name, column in columns.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise UsageError(f"all fields must have the same number of texts; they have {listed}")
    return columns

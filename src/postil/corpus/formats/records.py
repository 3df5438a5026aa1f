"""Documents from records with named values: JSON objects, and rows of csv, tsv and Parquet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems, SeenIds, Split, name_fault
from postil.corpus.formats.columns import (
    GROUP,
    NOT_LABELS,
    SPLITS,
    WEIGHT,
    Columns,
    describe,
)
from postil.corpus.formats.format import Reading, UnwritableError, Writing
from postil.errors import DocumentError

TABLE_OPTIONS = frozenset(
    {
        *("id_column", "label_column", "split_column", "text_columns", "label_separator"),
        *("weight_column", "group_column", "not_label_column"),
    }
)

LABELS = "labels"
SELDOM = (WEIGHT, GROUP, NOT_LABELS)
"""The columns that are written only if documents have such a thing."""
SELDOM_LOSSES = ("sample weights", "groups", "known-negative labels", "probabilities of labels")
"""What formats lose that have no such columns."""
RESERVED = frozenset({"id", LABELS, "split", *SELDOM})
"""The columns that are written besides the fields."""
ALL_OTHERS = "*"
"""Written for known-negative labels: all labels that the document does not have."""
LIKELY = 0.5
ROUNDING = 0.01

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
    form : TableForm, optional
        The form of the table.
    keep : bool
        Keep in each document the record it was made of.
    prefix : str
        Of the ids that come from positions.
    empty_is_unknown : bool
        A document without labels was not judged: nothing is known of it.
    """

    source: str
    unit: str
    columns: Columns
    separator: str
    rows: Callable[[Problems], Iterator[Row]]
    form: TableForm | None = None
    keep: bool = False
    prefix: str = ""
    empty_is_unknown: bool = False

    def reading(self, before: str = "") -> Reading:
        """Return the documents of the table with a sentence about its columns."""
        sentence = describe(self.columns, self.separator, self.unit)
        form = self.form and replace(self.form, columns=self.columns)
        return Reading(self.documents, before + sentence, form, self)

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
                where = f"{self.unit} {position}"
                problems.report(DocumentError(self.source, where, str(error)), record)
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
        document = Document(
            id=_identity(identity, columns.id) or f"{self.prefix}{self.unit}-{position}",
            fields=fields,
            labels=() if labels is None else _labels(labels, self.separator),
            split=None if split is None else _split(split),
            probabilities=_probabilities(labels),
            record=record if self.keep else None,
        )
        document = self._completed(document, record)
        if self.empty_is_unknown and not (document.labels or document.probabilities):
            return replace(document, not_labels=document.not_labels or ())
        return document

    def _completed(self, document: Document, record: Mapping[str, object]) -> Document:
        """Return the document with its sample weight, group and known-negative labels."""
        columns = self.columns
        weight = None if columns.weight is None else record.get(columns.weight)
        group = None if columns.group is None else record.get(columns.group)
        negatives = None if columns.not_labels is None else record.get(columns.not_labels)
        if weight is None and group is None and negatives is None:
            return document
        return replace(
            document,
            weight=_weight(weight, columns.weight),
            group=_identity(group, columns.group, "a group") or None,
            not_labels=_negatives(negatives, document, columns, self.separator),
        )


def _identity(value: object, column: str | None, what: str = "an id") -> str | None:
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, int):
        return str(value)
    raise BadValueError(
        f"{column} must be a string or a whole number to be {what}, received {_kind(value)}"
    )


def _weight(value: object, column: str | None) -> float:
    """Return a sample weight, by default 1; text is read as a number."""
    if value is None or value == "":
        return 1.0
    try:
        weight = float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise BadValueError(
            f"{column} must be a finite number of at least 0 to be a sample weight, received "
            f"{_kind(value)}"
        )
    return weight


def _negatives(
    value: object, document: Document, columns: Columns, separator: str
) -> tuple[str, ...] | None:
    """Return the known-negative labels in a value; None if all labels but its own are."""
    negatives = () if value is None else _labels(value, separator)
    if value is None or ALL_OTHERS in negatives:
        return None
    both = sorted({*document.labels, *document.probabilities}.intersection(negatives))
    if both:
        raise BadValueError(
            f"the label {both[0]!r} is given in {columns.labels} and in {columns.not_labels}; "
            "leave one out"
        )
    return negatives


def _labels(value: object, separator: str) -> tuple[str, ...]:
    """Return the labels in a value: a string (split at ``separator``), a number, a list of those.

    Each label occurs once, in order. Empty pieces between separators are no labels, and white
    space around a separator is not part of one. Elements of a list are labels as they are. Of
    labels with probabilities, the likely ones are returned.
    """
    uncertain = _uncertain(value)
    if uncertain is not None:
        return _likely(uncertain)
    if isinstance(value, str):
        pieces = [piece.strip() for piece in value.split(separator)] if separator else [value]
    elif isinstance(value, list | tuple):
        pieces = [_label(element) for element in value]
    else:
        pieces = [_label(value)]
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def _likely(uncertain: Mapping[str, float]) -> tuple[str, ...]:
    """Return the labels that are likely; the likeliest, if the document has exactly one of them."""
    likely = tuple(label for label, chance in uncertain.items() if chance >= LIKELY)
    if not likely and abs(sum(uncertain.values()) - 1) < ROUNDING:
        return (max(uncertain, key=lambda label: uncertain[label]),)
    return likely


def _probabilities(value: object) -> dict[str, float]:
    """Return the labels that are neither certain nor excluded, with their probabilities."""
    uncertain = _uncertain(value) or {}
    return {label: chance for label, chance in uncertain.items() if 0 < chance < 1}


def _uncertain(value: object) -> dict[str, float] | None:
    """Return labels with probabilities: an object, the same as JSON text, or pairs; else None."""
    pairs: Any = value
    if isinstance(value, str) and value.startswith("{"):
        try:
            pairs = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if isinstance(pairs, dict):
        pairs = [(label, chance) for label, chance in pairs.items() if chance is not None]
    elif not (isinstance(pairs, list) and pairs and isinstance(pairs[0], tuple)):
        return None
    found = {}
    for label, chance in pairs:
        number = chance if isinstance(chance, int | float) else math.nan
        if not 0 <= number <= 1:
            raise BadValueError(
                f"the probability of the label {label!r} must be a number from 0 to 1, received "
                f"{_kind(chance)}"
            )
        if label:
            found[_label(label)] = float(number)
    return found


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


def cell_text(value: object, separator: str) -> str:
    """Return a value as the text of a cell: as it is, or a list joined, or as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bytes):  # a text that is not UTF-8
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, list | tuple):
        texts = [str(each) for each in value if isinstance(each, str | int | float)]
        if len(texts) == len(value) and all(text and separator not in text for text in texts):
            return separator.join(texts)
    if isinstance(value, dict | list | tuple | bool):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def added_text(value: object, separator: str) -> str:
    """Return the value of an added column as the text of a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return separator.join(map(str, value))
    return cell_text(value, separator)


def judged(document: Document, record: Mapping[str, object]) -> Document:
    """Return the document with the ``labels`` and ``not_labels`` of a record in place of its own.

    They are what they may be in JSON Lines; a BadValueError says what else they are.
    """
    columns = Columns(labels=LABELS, not_labels=NOT_LABELS)
    labels = record.get(LABELS)
    if labels is None:
        raise BadValueError("there are no labels; give a list, which may be empty, or an object")
    answered = replace(
        document, labels=_labels(labels, ""), probabilities=_probabilities(labels), not_labels=None
    )
    negatives = _negatives(record.get(NOT_LABELS), answered, columns, "")
    answered = replace(answered, not_labels=negatives)
    fault = name_fault(answered)
    if fault is not None:
        raise BadValueError(fault)
    return answered


def check_names(document: Document) -> None:
    """Raise UnwritableError for a document without id, or with ambiguous columns or labels."""
    taken = RESERVED.intersection(document.fields)
    if taken:
        raise UnwritableError(
            f"has a field called {min(taken)!r}, which is the name of another column; rename it"
        )
    if not document.id:
        raise UnwritableError("has an empty id; give it one")
    if "" in (*document.labels, *(document.not_labels or ()), *document.probabilities):
        raise UnwritableError("has an empty label; give it a name")
    if document.group == "":
        raise UnwritableError("has an empty group; leave it out, or give it a name")
    if ALL_OTHERS in (document.not_labels or ()):
        raise UnwritableError(
            f"has {ALL_OTHERS!r} as a known-negative label, which stands for all others; rename "
            "the label, or leave all known-negative labels out"
        )


def seldom_values(document: Document) -> dict[str, object]:
    """Return the sample weight, group and known-negative labels that a document has."""
    found: dict[str, object] = {}
    if document.weight != 1.0:
        found[WEIGHT] = document.weight
    if document.group is not None:
        found[GROUP] = document.group
    if document.not_labels is not None:
        found[NOT_LABELS] = document.not_labels
    return found


def label_probabilities(document: Document) -> dict[str, float]:
    """Return all labels with their probabilities; nothing if all are certain."""
    if not document.probabilities:
        return {}
    return {**dict.fromkeys(document.labels, 1.0), **document.probabilities}


def fixed_fields(document: Document, writing: Writing) -> list[str | None]:
    """Return the texts of the columns for fields, None for absent ones; refuse anything else."""
    names = writing.fields
    seldom = seldom_values(document).keys() - frozenset(writing.seldom)
    if seldom:
        raise UnwritableError(
            f"has a {min(seldom)}, but none of the documents before it had one when the columns "
            "were fixed; write jsonl"
        )
    strange = document.fields.keys() - frozenset(names)
    if strange:
        raise UnwritableError(
            f"has a field {min(strange)!r}, but the columns were fixed before it as "
            f"{', '.join(names) or 'none'}; name all fields (--fields) or write jsonl"
        )
    return [document.fields.get(name) for name in names]

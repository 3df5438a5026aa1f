"""Options for reading and writing corpora in the general formats."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from postil.corpus.document import LONE_SURROGATE, OnError, is_encodable
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.errors import UsageError

NONE = ""
"""An explicit "there is no such column", such as an ``id_column``."""

ALWAYS_UNDERSTOOD = frozenset(
    {"format", "on_error", "fields", "keep_records", "labels", "late_keys"}
)

NOT_OF_FILES = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape"})
"""Encodings of Python for domain names and string literals, not for text."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    r"""Facts about a corpus that the caller knows; options that are None are guessed.

    - ``format``: a name in ``postil.corpus.formats.FORMATS``.
    - ``encoding``: of text files; by default UTF-8, or what a byte order mark says.
    - ``id_column``, ``label_column``, ``split_column``, ``weight_column`` (sample weights),
      ``group_column``, ``not_label_column`` (known-negative labels): column (or key) names; ``""``
      for no such column.
    - ``text_columns``: column → field name, in reading order.
    - ``label_separator``: between labels in one cell; ``""`` keeps the cell as one label. By
      default ``;`` in csv and tsv, while JSON and Parquet strings are one label each.
    - ``label_prefix``: of fastText labels, ``__label__`` by default.
    - ``delimiter``: between csv columns (``\t`` may be written as two characters).
    - ``quote``: the quote character of csv and tsv; ``""`` makes quotes plain characters.
    - ``has_header``: ``False`` names csv and tsv columns ``1``, ``2``, …
    - ``on_error``: ``strict`` stops at the first bad document, ``skip`` counts them.
    - ``labels``: a label vocabulary. Without a label column by name, one whose values are labels of
      the vocabulary is it.
    - ``fields``: the fields that a model reads. Columns with these names hold text, and if a table
      has all of them, no other column does.
    - ``keep_records``: each document of a table keeps the row it was read from (``record``).
    - ``late_keys``: kept records of JSON Lines may have keys that the first ones lack.
    """

    format: str | None = None
    encoding: str | None = None
    id_column: str | None = None
    label_column: str | None = None
    split_column: str | None = None
    weight_column: str | None = None
    group_column: str | None = None
    not_label_column: str | None = None
    text_columns: Mapping[str, str] | None = None
    label_separator: str | None = None
    label_prefix: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    has_header: bool | None = None
    on_error: OnError = "strict"
    fields: tuple[str, ...] = ()
    keep_records: bool = False
    late_keys: bool = False
    labels: LabelVocabulary | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "delimiter", _delimiter(self.delimiter))
        _check_encoding(self.encoding)
        if self.quote is not None and len(self.quote) > 1:
            raise UsageError(f"--quote must be one character or empty, received {self.quote!r}")
        if self.label_prefix is not None:
            _check_word("label_prefix", self.label_prefix)
        if self.text_columns is not None:
            _check_text_columns(self.text_columns)

    def columns(self) -> list[str]:
        """Return the names of columns that options give."""
        roles = (self.id_column, self.label_column, self.split_column, self.weight_column)
        others = (self.group_column, self.not_label_column, *(self.text_columns or ()))
        return [name for name in (*roles, *others) if name]

    def given(self) -> frozenset[str]:
        """Return the names of the options that were set, except those every format understands."""
        return frozenset(
            option.name
            for option in fields(self)
            if option.name not in ALWAYS_UNDERSTOOD and getattr(self, option.name) is not None
        )


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Options of the writers.

    - ``fields``: the field columns of csv, tsv and Parquet; by default those of the first
      documents (see ``postil.corpus.writing``).
    - ``label_separator``: between labels in a csv or tsv cell.
    - ``label_prefix``: of fastText labels.
    - ``label_space``: replaces white space inside labels where a format cannot carry it
      (fasttext, annif); without it such a label is an error.
    - ``delimiter``: between csv columns.
    """

    fields: tuple[str, ...] | None = None
    label_separator: str = ";"
    label_prefix: str = "__label__"
    label_space: str | None = None
    delimiter: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "delimiter", _delimiter(self.delimiter))
        if not self.label_separator:
            raise UsageError("--label-separator must not be empty when labels are written")
        _check_word("label_prefix", self.label_prefix)
        if self.label_space:
            _check_word("label_space", self.label_space)


def flag(option: str) -> str:
    """Return the flag of the command line for an option."""
    return "--no-header" if option == "has_header" else "--" + option.replace("_", "-")


def parse_text_columns(specs: Iterable[str]) -> dict[str, str]:
    """Return ``column`` and ``column=field`` specs as a mapping for ``text_columns``.

    >>> parse_text_columns(["headline=title", "body"])
    {'headline': 'title', 'body': 'body'}
    """
    mapping: dict[str, str] = {}
    for spec in specs:
        column, _, field = spec.partition("=")
        mapping[column] = field or column
    _check_text_columns(mapping)
    return mapping


def _delimiter(value: str | None) -> str | None:
    if value is None or len(value) == 1:
        return value
    if value in {r"\t", "tab"}:
        return "\t"
    raise UsageError(f"--delimiter must be one character, received {value!r}")


def _check_word(option: str, value: str) -> None:
    if value.split() != [value]:
        raise UsageError(f"{flag(option)} must be a word without white space, received {value!r}")


def _check_encoding(encoding: str | None) -> None:
    if encoding is None:
        return
    try:
        if codecs.lookup(encoding).name in NOT_OF_FILES:
            raise LookupError(encoding)
        "\n".encode(encoding)
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"--encoding {encoding}: not a known text encoding; "
            "try utf-8, latin-1, cp1252 or utf-16"
        ) from error


def _check_text_columns(mapping: Mapping[str, str]) -> None:
    if not mapping:
        raise UsageError("--text-columns names no column; leave it out to have them guessed")
    names = list(mapping.values())
    strange = next((name for name in names if not is_encodable(name)), None)
    if strange is not None:
        raise UsageError(f"--text-columns: the field name {strange!r} {LONE_SURROGATE}")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UsageError(f"--text-columns gives two columns the field name {min(twice)!r}")

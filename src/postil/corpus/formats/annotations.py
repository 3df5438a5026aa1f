"""Judgements of people in annotation tools, as documents; and the files of doccano.

Several people may have judged one document. A label that all of them gave is certain; one that
some gave has the share of those who did as its probability.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, BinaryIO

from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats import jsonl
from postil.corpus.formats.columns import NOT_LABELS, Sample, find_columns
from postil.corpus.formats.format import Format, Head, Reading, head_of
from postil.corpus.formats.json_values import begins_value, records
from postil.corpus.formats.jsonl import json_bytes
from postil.corpus.formats.records import (
    LABELS,
    Row,
    Table,
    check_names,
    seldom_values,
)
from postil.corpus.formats.text import Encode, empty, line_writer
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import DocumentError

SAMPLE_RECORDS = 1000
Record = Mapping[str, Any]


class ShapeError(ValueError):
    """A record is not what the format says."""


@dataclass(slots=True)
class Judgements:
    """The judgements of people on one document.

    Parameters
    ----------
    position : int
        The position of its first record.
    record : dict
        Its texts and what else is known of it.
    yes, asked : Counter
        By label: how many gave it, and how many were asked about it alone.
    complete : int
        How many chose among all labels, so that they refused those that they did not give.
    exhaustive : bool
        True if the document has none of the labels that were not asked about.
    """

    position: int
    record: dict[str, Any]
    yes: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    complete: int = 0
    exhaustive: bool = False

    def chose(self, labels: list[str]) -> None:
        """Count somebody who chose among all labels."""
        self.complete += 1
        self.yes.update(dict.fromkeys(labels, 1))

    def answered(self, label: str, *, yes: bool) -> None:
        """Count somebody who was asked about one label."""
        self.asked[label] += 1
        self.yes[label] += yes

    def row(self, column: str = LABELS) -> Row:
        """Return the position and the record, with the labels under ``column``."""
        shares = {
            label: self.yes[label] / (self.complete + self.asked[label])
            for label in dict.fromkeys([*self.yes, *self.asked])
        }
        record = dict(self.record)
        record[column] = {label: share for label, share in shares.items() if share}
        if not (self.complete or self.exhaustive):
            record[NOT_LABELS] = [label for label, share in shares.items() if not share]
        return self.position, record


Held = dict[str, Judgements]
Take = Callable[[Held, int, Record], Row | None]
"""Returns the row of a record, or adds the record to those that are held for its document."""


def annotated(source: Source, options: ReadOptions, take: Take, tool: str) -> Reading:
    """Return the reading of a source whose records ``take`` makes those of a table.

    They are the objects of an array, or an object a line. ``tool`` is named in messages.
    """
    head = head_of(source, options)
    is_value = begins_value("\n".join(head.lines[:2]), is_json=True, complete=head.complete)
    unit = "record" if is_value else "line"

    def raw(stream: BinaryIO, problems: Problems) -> Generator[tuple[int, object]]:
        if is_value:
            with stream:
                yield from records(stream, source.name, head.encoding)
            return
        with TextLines(stream, source.name, options.encoding) as lines:
            for line in lines.good(problems):
                if line.strip():
                    yield lines.number, line

    def adapted(found: Iterator[tuple[int, object]], problems: Problems) -> Iterator[Row]:
        held: Held = {}
        for number, record in found:
            try:
                row = take(held, number, _object(record))
            except ShapeError as error:
                problems.report(DocumentError(source.name, f"{unit} {number}", str(error)))
            except (AttributeError, KeyError, TypeError) as error:
                message = f"is not as {tool} writes it ({error}); correct it"
                problems.report(DocumentError(source.name, f"{unit} {number}", message))
            else:
                if row is not None:
                    yield row
        column = options.label_column or LABELS
        yield from (judgements.row(column) for judgements in held.values())

    def rows(problems: Problems) -> Iterator[Row]:
        # A bad record may end the pass: the file is closed then.
        with closing(raw(source.open(), problems)) as found:
            yield from adapted(found, problems)

    tolerant = Problems("skip")
    with closing(raw(source.preview(), tolerant)) as first:
        found = [record for _, record in adapted(islice(first, SAMPLE_RECORDS), tolerant)]
    if not found:
        raise tolerant.first[0] if tolerant.first else empty(source)
    names = dict.fromkeys(name for record in found for name in record)
    columns = find_columns(Sample(tuple(names), found), options, source.name)
    return Table(source.name, unit, columns, options.label_separator or "", rows).reading()


def _object(record: object) -> Record:
    """Return a record as an object; a text is a line of JSON."""
    if isinstance(record, str):
        try:
            record = json.loads(record)
        except (ValueError, RecursionError) as error:
            raise ShapeError(f"is not valid JSON ({error}); correct it") from None
    if not isinstance(record, dict):
        raise ShapeError(f"is the JSON value {str(record)[:40]!r}, not an object; correct it")
    return record


def listed_names(value: object) -> list[str]:
    """Return a list of names; refuse anything else."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ShapeError(f"choices must be a list of strings, received {str(value)[:40]}")
    return value


def about(document: Document) -> dict[str, object]:
    """Return the split, sample weight and group of a document."""
    split: dict[str, object] = {} if document.split is None else {"split": document.split}
    seldom = seldom_values(document).items()
    return split | {key: value for key, value in seldom if key != NOT_LABELS}


def joined(document: Document) -> str:
    """Return the texts of a document as one, with a blank line between fields."""
    return "\n\n".join(text for text in document.fields.values() if text)


def _read_doccano(source: Source, options: ReadOptions) -> Reading:
    """Read JSON Lines; an empty list of labels says that nobody annotated the document."""
    reading = jsonl.read(source, options)
    assert reading.table is not None
    table = replace(reading.table, empty_is_unknown=True)
    return replace(reading, documents=table.documents, table=table)


def _sniff_doccano(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001
    """Return True if the first line has the keys of an export; others are JSON Lines, too."""
    try:
        record = json.loads(head.lines[0]) if head.lines else None
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict) or not record.keys() >= {"id", "text", "label", "Comments"}:
        return False
    return isinstance(record["label"], list) and isinstance(record["Comments"], list)


def _doccano_encoder(options: WriteOptions) -> Encode:  # noqa: ARG001 - one signature for all
    """Write ``text`` and ``label``; doccano keeps the other keys as metadata."""

    def encode(document: Document) -> bytes:
        check_names(document)
        record = {"id": document.id, "text": joined(document), "label": document.labels}
        more = seldom_values(document)
        if not (document.labels or document.not_labels):
            more.pop(NOT_LABELS, None)  # the empty list says it, until somebody annotates it
        return json_bytes(record | about(document) | more)

    return encode


DOCCANO = Format(
    name="doccano",
    extensions=(),
    description="doccano: JSON Lines with text and label",
    read=_read_doccano,
    options=jsonl.JSONL.options,
    sniff=_sniff_doccano,
    write=line_writer(_doccano_encoder),
    drops=("field names", "probabilities of labels"),
)

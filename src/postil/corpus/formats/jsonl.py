"""JSON Lines, and JSON arrays of objects, with ``id``, the texts, ``labels`` and ``split``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO

from postil.common.compression import extension_of
from postil.common.escaping import escaped_json
from postil.common.files import output_file
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats.columns import (
    GROUP,
    NOT_LABELS,
    WEIGHT,
    Columns,
    Sample,
    comes_late,
    find_columns,
)
from postil.corpus.formats.format import (
    Format,
    Head,
    Reading,
    Record,
    RowWriting,
    WriteRows,
    head_of,
)
from postil.corpus.formats.json_values import begins_value, records
from postil.corpus.formats.records import (
    TABLE_OPTIONS,
    Row,
    Table,
    check_names,
    label_probabilities,
    seldom_values,
)
from postil.corpus.formats.text import Encode, empty, line_writer
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import CorpusError, DocumentError

SAMPLE_RECORDS = 1000
SAMPLE_BYTES = 1 << 20
SNIFFED_LINES = 20
NO_COLUMNS = Columns()

Check = Callable[[Mapping[str, object]], None]
OpenRows = Callable[[BinaryIO, str, Problems, Check], Iterator[Row]]


def read(source: Source, options: ReadOptions) -> Reading:
    """Read an object a line, or the objects of an array; blank lines are not records.

    Strings and lists of strings are labels as they are, unless a separator is given. A missing
    or ``null`` text is a missing field. A key that first appears late in the file, after the
    guess was made, and would have changed it is an error.
    """
    head = head_of(source, options)
    is_json = extension_of(source.name) == ".json"
    is_value = begins_value(
        "\n".join(head.lines[:2]), is_json=is_json, complete=head.complete and not source.once
    )
    open_rows = partial(_values, head.encoding) if is_value else partial(_lines, options.encoding)
    sample = _sample(source, options, open_rows)
    columns = find_columns(sample, options, source.name) if sample.names else NO_COLUMNS
    known = frozenset(sample.names)
    # These keys are known by name, and may come late: reviewed documents are often appended.
    later = replace(
        columns,
        weight=columns.weight or (WEIGHT if options.weight_column is None else None),
        group=columns.group or (GROUP if options.group_column is None else None),
        not_labels=columns.not_labels or (NOT_LABELS if options.not_label_column is None else None),
    )

    def check(record: Mapping[str, object]) -> None:
        if record.keys() <= known:
            return
        for name, value in record.items():
            if name not in known and comes_late(name, value, later, options):
                raise ValueError(
                    f"the key {name!r} appears here for the first time, too late to be guessed; "
                    "name the columns (--text-columns, --label-column, --split-column, …)"
                )
        if options.keep_records and not options.late_keys:
            late = min(record.keys() - known)
            raise ValueError(
                f"the key {late!r} appears here for the first time, too late to be a column of the "
                f"output; add it to the first record ({json.dumps(late)}: null)"
            )

    def rows(problems: Problems) -> Iterator[Row]:
        return open_rows(source.open(), source.name, problems, check)

    table = Table(
        source.name,
        "record" if is_value else "line",
        columns,
        options.label_separator or "",
        rows,
        TableForm(sample.names),
        options.keep_records,
    )
    return replace(replace(table, columns=later).reading(), sentence=table.reading().sentence)


def _sample(source: Source, options: ReadOptions, open_rows: OpenRows) -> Sample:
    """Return the first records without the bad ones, which are reported when all is read."""
    tolerant = Problems("skip")
    found: list[Mapping[str, object]] = []
    size = 0
    with source.preview() as stream:
        rows = open_rows(stream, source.name, tolerant, lambda _: None)
        try:
            for _, record in islice(rows, SAMPLE_RECORDS):
                found.append(record)
                size += sum(len(value) for value in record.values() if isinstance(value, str))
                if size > SAMPLE_BYTES:
                    break
        except CorpusError:
            if not found:
                raise
            # An array may be damaged later, or go on after the pause of a stream.
    if not found and (not tolerant.first or options.on_error == "strict"):
        raise tolerant.first[0] if tolerant.first else empty(source)
    names = dict.fromkeys(name for record in found for name in record)
    if len(found) == SAMPLE_RECORDS or size > SAMPLE_BYTES:  # keys that options name may come late
        names |= dict.fromkeys(options.columns())
    return Sample(tuple(names), found)


def _lines(
    encoding: str | None, stream: BinaryIO, source: str, problems: Problems, check: Check
) -> Iterator[Row]:
    """Yield the objects with their line numbers; ``check`` raises ValueError for a bad one."""
    with TextLines(stream, source, encoding) as lines:
        for line in lines.good(problems):
            try:
                record = _object(line, problems)
                if record is None:
                    continue
                check(record)
            except ValueError as error:
                problems.report(DocumentError(source, f"line {lines.number}", str(error)))
                continue
            yield lines.number, record


def _values(
    encoding: str, stream: BinaryIO, source: str, problems: Problems, check: Check
) -> Iterator[Row]:
    """Yield the objects of an array with their numbers."""
    with stream:
        for number, record in records(stream, source, encoding):
            try:
                if not isinstance(record, dict):
                    raise ValueError(  # noqa: TRY004 - a bad record
                        f"is the JSON value {str(record)[:40]!r}, not an object with keys; "
                        f"correct it{problems.or_skip('it')}"
                    )
                check(record)
            except ValueError as error:
                problems.report(DocumentError(source, f"record {number}", str(error)))
                continue
            yield number, record


def _object(line: str, problems: Problems) -> dict[str, object] | None:
    """Return the object on a line, None for a blank line; raise ValueError for others."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        if not line.strip():
            return None
        raise ValueError(_broken(error, problems)) from None
    if isinstance(record, dict):
        return record
    if isinstance(record, list):
        raise ValueError(  # noqa: TRY004 - a bad line
            "the line holds a JSON array, not an object; write one object a line (jq -c '.[]' FILE)"
        )
    raise ValueError(f"the line holds the JSON value {str(record)[:40]!r}, not an object with keys")


def _broken(error: Exception, problems: Problems) -> str:
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return f"the line is not valid JSON ({reason}); correct it{problems.or_skip('it')}"


def _mostly_objects(lines: Sequence[str]) -> bool:
    objects = 0
    for line in lines:
        with suppress(ValueError, RecursionError):
            objects += type(json.loads(line)) is dict
    return 2 * objects > len(lines)


def sniff(head: Head, options: ReadOptions) -> bool:
    """Return True if the first line begins an object, which must be one if it ends, or an array.

    If bad lines are skipped, most of the first lines are enough.
    """
    if options.on_error == "skip" and _mostly_objects(head.lines[:SNIFFED_LINES]):
        return True
    if begins_value("\n".join(head.lines[:2]), is_json=False):
        return True
    if not head.lines or not head.lines[0].lstrip().startswith("{"):
        return False
    try:
        json.loads(head.lines[0])
    except (ValueError, RecursionError):
        return not head.complete and len(head.lines) == 1
    return True


def encoder(options: WriteOptions) -> Encode:  # noqa: ARG001 - one signature for all
    """Write ``id``, the fields, ``labels`` and the rest that is not as in most documents.

    Labels are a list, or an object with their probabilities if some are uncertain.

    Letters are written as they are; a lone surrogate, which UTF-8 cannot hold, is escaped, so
    any document can be carried.
    """
    return lambda document: json_bytes(record_of(document))


def record_of(document: Document) -> dict[str, object]:
    """Return the keys and values that are written for a document."""
    check_names(document)
    record: dict[str, object] = {"id": document.id, **document.fields}
    record["labels"] = label_probabilities(document) or document.labels
    if document.split is not None:
        record["split"] = document.split
    return record | seldom_values(document)


def json_bytes(record: Mapping[str, object]) -> bytes:
    """Return a record as JSON in UTF-8, without a line ending."""
    return escaped_json(json.dumps(record, ensure_ascii=False)).encode()


@contextmanager
def _write_rows(writing: RowWriting) -> Iterator[WriteRows]:
    """Write records with all their keys; of the added ones, those with a value."""
    with output_file(writing.target) as stream:

        def write_rows(records: Sequence[Record], added: Sequence[Sequence[object]]) -> None:
            for record, values in zip(records, added, strict=True):
                new = dict(zip(writing.added, values, strict=True))
                known = {name: value for name, value in new.items() if value is not None}
                stream.write(json_bytes({**record, **known}) + b"\n")

        yield write_rows


JSONL = Format(
    name="jsonl",
    extensions=(".jsonl", ".ndjson", ".json"),
    description="JSON Lines: an object a line, keys as columns; or a JSON array of objects",
    read=read,
    options=TABLE_OPTIONS | {"encoding"},
    sniff=sniff,
    write=line_writer(encoder),
    write_rows=_write_rows,
)

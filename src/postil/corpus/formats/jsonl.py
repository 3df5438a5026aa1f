"""JSON Lines: an object a line, with ``id``, the texts, ``labels`` and ``split``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from postil.common.escaping import escaped_json
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats.columns import Columns, Sample, comes_late, find_columns
from postil.corpus.formats.format import Format, Head, Reading
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
from postil.errors import DocumentError

SAMPLE_RECORDS = 1000
SAMPLE_BYTES = 1 << 20
SNIFFED_LINES = 20
NO_COLUMNS = Columns()


def read(source: Source, options: ReadOptions) -> Reading:
    """Read an object a line; blank lines are not records.

    Strings and lists of strings are labels as they are, unless a separator is given. A missing
    or ``null`` text is a missing field. A key that first appears late in the file, after the
    guess was made, and would have changed it is an error.
    """
    sample = _sample(source, options)
    columns = find_columns(sample, options, source.name) if sample.names else NO_COLUMNS
    known = frozenset(sample.names)

    def check(record: Mapping[str, object]) -> None:
        if record.keys() <= known:
            return
        for name, value in record.items():
            if name not in known and comes_late(name, value, columns, options):
                raise ValueError(
                    f"the key {name!r} appears here for the first time, too late to be guessed; "
                    "name the columns (--text-columns, --label-column, --split-column, …)"
                )
        if options.keep_records:
            late = min(record.keys() - known)
            raise ValueError(
                f"the key {late!r} appears here for the first time, too late to be a column of the "
                f"output; add it to the first record ({json.dumps(late)}: null)"
            )

    def rows(problems: Problems) -> Iterator[Row]:
        lines = TextLines(source.open(), source.name, options.encoding)
        return _rows(lines, source.name, problems, check)

    return Table(
        source.name,
        "line",
        columns,
        options.label_separator or "",
        rows,
        TableForm(sample.names),
        options.keep_records,
    ).reading()


def _sample(source: Source, options: ReadOptions) -> Sample:
    """Return the first records without the bad ones, which are reported when all is read."""
    tolerant = Problems("skip")
    records: list[Mapping[str, object]] = []
    with TextLines(source.preview(), source.name, options.encoding) as lines:
        rows = _rows(lines, source.name, tolerant, lambda _: None)
        for _, record in islice(rows, SAMPLE_RECORDS):
            records.append(record)
            if lines.size > SAMPLE_BYTES:
                break
    if not records and (not tolerant.first or options.on_error == "strict"):
        raise tolerant.first[0] if tolerant.first else empty(source)
    names = dict.fromkeys(name for record in records for name in record)
    return Sample(tuple(names), records)


def _rows(
    lines: TextLines,
    source: str,
    problems: Problems,
    check: Callable[[Mapping[str, object]], None],
) -> Iterator[Row]:
    """Yield the objects with their line numbers; ``check`` raises ValueError for a bad one."""
    with lines:
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


def _object(line: str, problems: Problems) -> dict[str, object] | None:
    """Return the object on a line, None for a blank line; raise ValueError for others."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        if not line.strip():
            return None
        raise ValueError(_broken(line, error, problems)) from None
    if isinstance(record, dict):
        return record
    if isinstance(record, list):
        raise ValueError(  # noqa: TRY004 - a bad line
            "the line holds a JSON array, not an object; write one object a line (jq -c '.[]' FILE)"
        )
    raise ValueError(f"the line holds the JSON value {str(record)[:40]!r}, not an object with keys")


def _broken(line: str, error: Exception, problems: Problems) -> str:
    if line.strip() in {"[", "{"}:
        return (
            "the line is not a JSON object by itself: the file holds one large JSON value; "
            "write one object a line (jq -c '.[]' FILE)"
        )
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return f"the line is not valid JSON ({reason}); correct it{problems.or_skip('it')}"


def _mostly_objects(lines: Sequence[str]) -> bool:
    objects = 0
    for line in lines:
        with suppress(ValueError, RecursionError):
            objects += type(json.loads(line)) is dict
    return 2 * objects > len(lines)


def sniff(head: Head, options: ReadOptions) -> bool:
    """Return True if the first line begins an object; if it ends, it must be one.

    If bad lines are skipped, most of the first lines are enough.
    """
    if options.on_error == "skip" and _mostly_objects(head.lines[:SNIFFED_LINES]):
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


JSONL = Format(
    name="jsonl",
    extensions=(".jsonl", ".ndjson", ".json"),
    description="JSON Lines: an object a line, keys as columns",
    read=read,
    options=TABLE_OPTIONS | {"encoding"},
    sniff=sniff,
    write=line_writer(encoder),
)

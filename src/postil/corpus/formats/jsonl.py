"""JSON Lines: an object a line, with ``id``, the texts, ``labels`` and ``split``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from postil.common.escaping import escaped_json
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines, numbered_lines
from postil.corpus.formats.columns import Columns, Sample, comes_late, describe, find_columns
from postil.corpus.formats.format import Format, Head, Reading
from postil.corpus.formats.records import TABLE_OPTIONS, Layout, Row, check_names, documents
from postil.corpus.formats.text import Encode, empty, line_writer
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import DocumentError

SAMPLE_RECORDS = 1000
SAMPLE_BYTES = 1 << 20
SNIFFED_LINES = 20
NO_COLUMNS = Columns(None, None, None, {}, ())


def read(source: Source, options: ReadOptions) -> Reading:
    """Read an object a line; blank lines are not records.

    Strings and lists of strings are labels as they are, unless a separator is given. A missing
    or ``null`` text is a missing field. A key that first appears late in the file, after the
    guess was made, and would have changed it is an error rather than dropped.
    """
    sample = _sample(source, options)
    columns = find_columns(sample, options, source.name) if sample.names else NO_COLUMNS
    layout = Layout(source.name, "line", columns, options.label_separator or "")
    known = frozenset(sample.names)

    def is_wanted(name: str, value: object) -> bool:
        return comes_late(name, value, columns, options)

    def walk(problems: Problems) -> Iterator[Document]:
        with source.open() as stream:
            lines = TextLines(stream, source.name, options.encoding)
            rows = _rows(lines, source.name, problems)
            rows = _without_late_keys(rows, known, is_wanted, source.name, problems)
            yield from documents(rows, layout, problems)

    return Reading(walk, describe(columns, layout.separator, "line"))


def _sample(source: Source, options: ReadOptions) -> Sample:
    """Read the first records, skipping over bad lines: the walk will report those."""
    tolerant = Problems("skip")
    records: list[dict[str, object]] = []
    with source.preview() as stream:
        lines = TextLines(stream, source.name, options.encoding)
        for _, record in islice(_rows(lines, source.name, tolerant), SAMPLE_RECORDS):
            records.append(dict(record))
            if lines.size > SAMPLE_BYTES:
                break
    if not records and (not tolerant.first or options.on_error == "strict"):
        raise tolerant.first[0] if tolerant.first else empty(source)
    names = dict.fromkeys(name for record in records for name in record)
    return Sample(tuple(names), records)


def _rows(lines: TextLines, source: str, problems: Problems) -> Iterator[Row]:
    loads = json.loads
    for number, line in numbered_lines(lines, problems):
        try:
            record = loads(line)
        except (ValueError, RecursionError) as error:
            if not line.strip():
                continue
            problems.report(DocumentError(source, f"line {number}", _broken(line, error, problems)))
            continue
        if type(record) is not dict:
            problems.report(DocumentError(source, f"line {number}", _not_an_object(record)))
            continue
        yield number, record


def _without_late_keys(
    rows: Iterator[Row],
    known: frozenset[str],
    is_wanted: Callable[[str, object], bool],
    source: str,
    problems: Problems,
) -> Iterator[Row]:
    """Report the records with a key that is not ``known`` and would have had a part."""
    for number, record in rows:
        late = [] if record.keys() <= known else [name for name in record if name not in known]
        wanted = next((name for name in late if is_wanted(name, record[name])), None)
        if wanted is None:
            yield number, record
            continue
        message = (
            f"the key {wanted!r} appears here for the first time, too late to be guessed; "
            "name the columns (--text-columns, --label-column, --split-column)"
        )
        problems.report(DocumentError(source, f"line {number}", message))


def _broken(line: str, error: Exception, problems: Problems) -> str:
    if line.strip() in {"[", "{"}:
        return (
            "the line is not a JSON object by itself: the file holds one large JSON value; "
            "write one object a line (jq -c '.[]' FILE)"
        )
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    advice = problems.or_skip("it")
    return f"the line is not valid JSON ({reason}); correct it{advice}"


def _not_an_object(record: object) -> str:
    if isinstance(record, list):
        return (
            "the line holds a JSON array, not an object; write one object a line (jq -c '.[]' FILE)"
        )
    return f"the line holds the JSON value {str(record)[:40]!r}, not an object with keys"


def _mostly_objects(lines: Sequence[str]) -> bool:
    objects = 0
    for line in lines:
        with suppress(ValueError, RecursionError):
            objects += type(json.loads(line)) is dict
    return 2 * objects > len(lines)


def sniff(head: Head, options: ReadOptions) -> bool:
    """Look whether the first line begins an object; where it ends, it must be one.

    Where bad lines are skipped, most of the first lines are enough.
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
    """Write ``id``, the fields, ``labels`` (always a list) and ``split`` where there is one.

    Letters are written as they are; a text that UTF-8 cannot hold (a lone surrogate) is
    escaped instead, so any document can be carried.
    """

    def encode(document: Document) -> bytes:
        check_names(document)
        record: dict[str, object] = {"id": document.id, **document.fields}
        record["labels"] = document.labels
        if document.split is not None:
            record["split"] = document.split
        return escaped_json(json.dumps(record, ensure_ascii=False)).encode()

    return encode


JSONL = Format(
    name="jsonl",
    extensions=(".jsonl", ".ndjson", ".json"),
    description="JSON Lines: an object a line, keys as columns",
    read=read,
    options=TABLE_OPTIONS | {"encoding"},
    sniff=sniff,
    write=line_writer(encoder),
)

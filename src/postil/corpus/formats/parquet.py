"""Apache Parquet: a document a row, read and written a piece at a time."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

from postil.common.files import output_file
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.formats.columns import GROUP, NOT_LABELS, WEIGHT, Sample, find_columns
from postil.corpus.formats.format import (
    Format,
    Reading,
    Record,
    RowWriting,
    UnwritableError,
    WriteDocument,
    WriteRows,
    Writing,
)
from postil.corpus.formats.records import (
    SELDOM,
    TABLE_OPTIONS,
    Row,
    Table,
    cell_text,
    check_names,
    fixed_fields,
    label_probabilities,
)
from postil.corpus.formats.text import check_encodable
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, MissingExtraError

MAGIC = b"PAR1"
READ_ROWS = 512
READ_BYTES = 1 << 28
SAMPLE_ROWS = 100
SAMPLE_CHARACTERS = 1 << 22
GROUP_DOCUMENTS = 10_000
GROUP_CHARACTERS = 1 << 24


def _arrow(doing: str) -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError(f"{doing} Parquet", "pyarrow", "arrow") from None


def read(source: Source, options: ReadOptions) -> Reading:
    """Read the columns that have a part, some hundred rows at a time.

    Strings and lists of strings are labels as they are, unless a separator is given; whole
    numbers are labels too. A null text is a missing field. A file that is compressed from
    outside or comes through a pipe is first copied to a temporary file, since Parquet is read
    from its end; such a corpus can be read any number of times.
    """
    with _opened(source) as table:
        schema = table.schema_arrow
        names = tuple(schema.names)
        if not table.metadata.num_rows:
            raise CorpusError(f"{source.name}: the file has columns but no rows: no documents")
    sample = Sample(names, _first_records(source, names))
    columns = find_columns(sample, options, source.name)
    keep = options.keep_records
    needed = [name for name in names if keep or name not in columns.unused]

    def rows(_: Problems) -> Iterator[Row]:
        return _rows(source, needed)

    separator = options.label_separator or ""
    form = TableForm(names, schema=schema)
    return Table(source.name, "row", columns, separator, rows, form, keep).reading()


class ArrowRow(dict[str, object]):
    """The values of a row, with the batch that holds them as Arrow has them."""

    __slots__ = ("batch", "place")

    def __init__(self, values: Iterable[tuple[str, object]], batch: Any, place: int) -> None:  # noqa: ANN401 - pyarrow's
        super().__init__(values)
        self.batch = batch
        self.place = place


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """Open the Parquet file; any error that Arrow finds in it becomes one sentence."""
    arrow, parquet = _arrow("reading")
    with source.open_seekable() as stream:
        try:
            yield parquet.ParquetFile(stream, pre_buffer=False)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).splitlines()[0]
            raise CorpusError(
                f"{source.name}: is not a readable Parquet file ({reason}); get it again"
            ) from error


def _rows(source: Source, names: list[str]) -> Iterator[Row]:
    number = 0
    with _opened(source) as table:
        for batch in table.iter_batches(batch_size=_rows_at_once(table), columns=names):
            values = [_values(column) for column in batch.columns]
            for place, row in enumerate(zip(*values, strict=True)):
                number += 1
                yield number, ArrowRow(zip(batch.schema.names, row, strict=True), batch, place)


def _values(column: Any) -> list[object]:  # noqa: ANN401 - pyarrow's
    try:
        values: list[object] = column.to_pylist()
    except (ValueError, ArithmeticError):
        values = [_value(scalar) for scalar in column]
    return values


def _value(scalar: Any) -> object:  # noqa: ANN401 - pyarrow's
    """Return a value, the bytes of a text that is not UTF-8, or the error if there is no value.

    Neither of the last two can be a text, an id or a label, so the row is a bad document if the
    column has a part.
    """
    try:
        value: object = scalar.as_py()
    except UnicodeDecodeError as error:
        return error.object
    except (ValueError, ArithmeticError) as error:  # such as a date after the year 9999
        return error
    return value


def _first_records(source: Source, names: tuple[str, ...]) -> list[Mapping[str, object]]:
    records: list[Mapping[str, object]] = []
    size = 0
    for _, record in islice(_rows(source, list(names)), SAMPLE_ROWS):
        records.append(record)
        size += sum(len(value) for value in record.values() if isinstance(value, str))
        if size > SAMPLE_CHARACTERS:
            break
    return records


def _rows_at_once(table: Any) -> int:  # noqa: ANN401 - pyarrow's
    """Return the number of rows to decode together, so that they stay within ``READ_BYTES``.

    A value is stored once for all rows that share it, so each row may be as large as all that
    is stored of its column.
    """
    metadata = table.metadata
    groups = (metadata.row_group(index) for index in range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return max(1, min(READ_ROWS, READ_BYTES // max(1, largest)))


@contextmanager
def write(writing: Writing) -> Iterator[WriteDocument]:
    """Write ``id``, the fields, ``labels``, ``split`` and so on, a row group at a time.

    A group is 10,000 documents or 16 million characters, whichever comes first: that is what
    memory holds. An absent field or split is null. Labels are a list, or a map if they have
    probabilities.
    """
    arrow, parquet = _arrow("writing")
    schema = _schema(arrow, writing)
    group: list[tuple[object, ...]] = []
    characters = 0
    with (
        output_file(writing.target) as stream,
        parquet.ParquetWriter(stream, schema, compression="zstd") as table,
    ):

        def flush() -> None:
            nonlocal characters
            columns = [
                arrow.array(values, type=kind)
                for values, kind in zip(zip(*group, strict=True), schema.types, strict=True)
            ]
            table.write_table(arrow.table(columns, schema=schema))
            group.clear()
            characters = 0

        def write_document(document: Document) -> None:
            nonlocal characters
            group.append(_row(document, writing))
            characters += sum(len(text) for text in document.fields.values())
            if len(group) >= GROUP_DOCUMENTS or characters > GROUP_CHARACTERS:
                flush()

        yield write_document
        if group:
            flush()


def _schema(arrow: Any, writing: Writing) -> Any:  # noqa: ANN401 - pyarrow's
    text = arrow.string()
    labels = arrow.map_(text, arrow.float64()) if writing.uncertain else arrow.list_(text)
    seldom = {WEIGHT: arrow.float64(), GROUP: text, NOT_LABELS: arrow.list_(text)}
    return arrow.schema(
        [
            *((name, text) for name in ("id", *writing.fields)),
            ("labels", labels),
            ("split", text),
            *((name, seldom[name]) for name in writing.seldom),
        ]
    )


def _row(document: Document, writing: Writing) -> tuple[object, ...]:
    """Return the values of a document, in the order of the columns."""
    check_names(document)
    texts = fixed_fields(document, writing)
    for value in (document.id, *document.fields.values(), *document.labels):
        check_encodable(value)
    labels: object = document.labels
    if writing.uncertain:
        certain = dict.fromkeys(document.labels, 1.0)
        labels = list((label_probabilities(document) or certain).items())
    elif document.probabilities:
        raise UnwritableError(
            "has labels with probabilities, but none of the documents before it had any when the "
            "columns were fixed; write jsonl"
        )
    values = (document.weight, document.group, document.not_labels)
    seldom = dict(zip(SELDOM, values, strict=True))
    return (
        document.id,
        *texts,
        labels,
        document.split,
        *(seldom[name] for name in writing.seldom),
    )


@contextmanager
def write_rows(writing: RowWriting) -> Iterator[WriteRows]:
    """Write rows, a row group for each call.

    Rows of a Parquet file keep their types. The types of others are those of the first rows: a
    column of text where these are of several types.
    """
    arrow, parquet = _arrow("writing")
    kinds = {
        str: arrow.string(),
        bool: arrow.bool_(),
        list: arrow.list_(arrow.string()),
        float: arrow.list_(arrow.float64()),
    }
    extra = arrow.schema([(name, kinds[kind]) for name, kind in writing.added.items()])
    form = writing.form
    with output_file(writing.target) as stream, ExitStack() as files:
        own: Any = form.schema
        table: Any = None

        def write_rows(records: Sequence[Record], added: Sequence[Sequence[object]]) -> None:
            nonlocal own, table
            if own is None:
                own = _schema_of(arrow, records, form.names)
            if table is None:
                whole = arrow.schema([*own, *extra], metadata=own.metadata)
                opened = parquet.ParquetWriter(stream, whole, compression="zstd")
                table = files.enter_context(opened)
            if not records:
                return
            found = _table(arrow, records, own, writing.separator)
            for field, values in zip(extra, zip(*added, strict=True), strict=True):
                found = found.append_column(field, arrow.array(values, type=field.type))
            table.write_table(found)

        yield write_rows
        write_rows([], [])  # a file without rows has columns, too


def _table(arrow: Any, records: Sequence[Record], schema: Any, separator: str) -> Any:  # noqa: ANN401 - pyarrow's
    """Return records as a table; rows of a Parquet file as they are there."""
    if not all(isinstance(record, ArrowRow) for record in records):
        columns = [
            _array(arrow, [record.get(field.name) for record in records], field, separator)
            for field in schema
        ]
        return arrow.table(columns, schema=schema)
    slices: list[Any] = []
    batch, start, end = None, 0, 0
    for record in records:
        assert isinstance(record, ArrowRow)
        if record.batch is not batch or record.place != end:
            if batch is not None:
                slices.append(batch.slice(start, end - start))
            batch, start = record.batch, record.place
        end = record.place + 1
    slices.append(batch.slice(start, end - start))  # type: ignore[union-attr]
    return arrow.Table.from_batches(slices, schema=schema)


def _schema_of(arrow: Any, records: Sequence[Record], names: Sequence[str]) -> Any:  # noqa: ANN401 - pyarrow's
    """Return a column for each name, with the type of its values."""
    kinds = []
    for name in names:
        try:
            kind = arrow.array([record.get(name) for record in records]).type
        except (arrow.ArrowException, OverflowError):
            kind = arrow.string()
        kinds.append((name, arrow.string() if arrow.types.is_null(kind) else kind))
    return arrow.schema(kinds)


def _array(arrow: Any, values: Sequence[object], field: Any, separator: str) -> Any:  # noqa: ANN401 - pyarrow's
    if arrow.types.is_string(field.type):
        values = [None if value is None else cell_text(value, separator) for value in values]
        for value in values:
            check_encodable(str(value))
    try:
        return arrow.array(values, type=field.type)
    except (arrow.ArrowException, OverflowError) as error:
        raise UnwritableError(
            f"has a value in the column {field.name!r} that does not fit those before it "
            f"({field.type}; {str(error).splitlines()[0]}); write csv or xlsx"
        ) from None


PARQUET = Format(
    name="parquet",
    extensions=(".parquet", ".pq"),
    description="Apache Parquet (needs pyarrow: the extra arrow)",
    read=read,
    options=TABLE_OPTIONS,
    sniff=lambda head, _: head.data.startswith(MAGIC),
    write=write,
    fixed_columns=True,
    write_rows=write_rows,
)

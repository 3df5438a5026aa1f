"""Writes documents in a format, as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from postil.common.compression import extension_of
from postil.common.files import STDOUT
from postil.corpus.document import LONE_SURROGATE, Document, Problems, is_encodable, name_fault
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format, UnwritableError, Writing
from postil.corpus.formats.guessing import format_named, formats_of_name
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.records import SELDOM, seldom_values
from postil.corpus.options import WriteOptions
from postil.errors import DocumentError, UsageError

PEEKED = 1000


def write_corpus(
    documents: Iterable[Document],
    target: str | Path,
    format: str | None = None,
    options: WriteOptions | None = None,
    problems: Problems | None = None,
) -> int:
    """Write ``documents`` to ``target`` and return the number of written documents.

    A file or folder appears under its name only when it is complete. Documents are written as
    they come. For formats with fixed columns (csv, tsv, Parquet) the columns are the fields of
    the first thousand documents, unless ``options`` names them.

    Parameters
    ----------
    documents : iterable of Document
        Documents to write, read once.
    target : str or Path
        File or folder; ``-`` is standard output.
    format : str, optional
        By default the format of the target's extension, and jsonl for standard output.
    options : WriteOptions, optional
        Columns and labels of the output.
    problems : Problems, optional
        Gets the documents that the format cannot carry; by default the first is an error. The
        ``drops`` of a format are no problem.
    """
    options = options or WriteOptions()
    problems = problems or Problems()
    chosen = output_format(target, format)
    writing = Writing(target, (), (), False, options)
    if chosen.fixed_columns:
        writing, documents = _with_columns(writing, documents)
        strange = next((name for name in writing.fields if not is_encodable(name)), None)
        if strange is not None:
            raise UsageError(f"the field name {strange!r} {LONE_SURROGATE}")
    count = 0
    assert chosen.write is not None, "output_format returns formats that can be written"
    with chosen.write(writing) as write_document:
        for position, document in enumerate(documents, start=1):
            try:
                fault = name_fault(document)
                if fault is not None:
                    raise UnwritableError(fault)
                write_document(document)
            except UnwritableError as error:
                where = f"document {position} ({document.id!r})"
                problems.report(DocumentError(str(target), where, str(error)))
                continue
            count += 1
    return count


def output_format(target: str | Path, format: str | None = None) -> Format:
    """Return the format that ``target`` will be written in."""
    if format is not None:
        named = format_named(format)
        if named.write is None:
            raise UsageError(f"{format} is only read; write jsonl, csv or folders (--to jsonl)")
        return named
    name = str(target)
    if name == STDOUT:
        return JSONL
    if name.endswith("/") or Path(target).is_dir():
        return FOLDERS
    candidates = [format for format in formats_of_name(name) if format.write is not None]
    # A .tsv that is written has a header row unless annif is asked for by name.
    plain = [format for format in candidates if f".{format.name}" == extension_of(name)]
    if len(plain or candidates) != 1:
        names = ", ".join(format.name for format in candidates)
        reason = f"may be {names}" if names else "does not say which format is wanted"
        raise UsageError(f"{target}: its name {reason}; name the format (--to jsonl)")
    return (plain or candidates)[0]


def _with_columns(
    writing: Writing, documents: Iterable[Document]
) -> tuple[Writing, Iterator[Document]]:
    """Return the columns to expect by the first documents, and the documents from the start."""
    stream = iter(documents)
    first = list(islice(stream, PEEKED))
    fields = writing.options.fields
    if fields is None:
        fields = tuple(dict.fromkeys(name for document in first for name in document.fields))
    found = {name for document in first for name in seldom_values(document)}
    seldom = tuple(name for name in SELDOM if name in found)
    uncertain = any(document.probabilities for document in first)
    return replace(writing, fields=fields, seldom=seldom, uncertain=uncertain), chain(first, stream)

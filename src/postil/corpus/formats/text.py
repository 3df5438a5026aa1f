"""Helpers of the formats that are text files: one field, empty files, encoding, writing lines."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from postil.common.files import output_file
from postil.corpus.document import Document
from postil.corpus.files.streams import Source
from postil.corpus.formats.format import UnwritableError, WriteDocument, Writing
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import CorpusError, UsageError

TEXT = "text"
"""The one column of a format that has no columns, and its field unless it is renamed."""

LINE_BREAKS = re.compile(r"[\r\n]+")


def text_field(options: ReadOptions, format_name: str) -> str:
    """Return the name of the only field: ``text``, or the name that ``text_columns`` gives it.

    For a model that reads one field, it is that field.
    """
    if options.text_columns is None:
        return options.fields[0] if len(options.fields) == 1 else TEXT
    if list(options.text_columns) != [TEXT]:
        raise UsageError(
            f"{format_name} has one text a document, called {TEXT}; "
            f"received --text-columns {', '.join(options.text_columns)}"
        )
    return options.text_columns[TEXT]


def refuse_empty(source: Source, blank: bytes = b"") -> None:
    """Raise CorpusError if ``source`` holds only a byte order mark and ``blank`` bytes."""
    with source.preview() as stream:
        while chunk := stream.read(1 << 16):
            if chunk.strip(b"\xef\xbb\xbf\xff\xfe" + blank):
                return
    raise empty(source)


def empty(source: Source) -> CorpusError:
    """Return the error for a file without documents."""
    return CorpusError(f"{source.name}: the file is empty; give a file with documents")


def one_line(document: Document) -> str:
    """Return all texts of a document on one line.

    Fields are joined by a space and runs of line breaks become a space: word counts do not
    change, and a format of lines has no other way.
    """
    return LINE_BREAKS.sub(" ", " ".join(text for text in document.fields.values() if text))


def encoded(text: str) -> bytes:
    """Encode the text in UTF-8; raise UnwritableError if a text file cannot hold it."""
    if "\0" in text:
        raise UnwritableError("holds a NUL character; jsonl and parquet can carry it")
    return check_encodable(text)


def check_encodable(text: str) -> bytes:
    """Encode the text in UTF-8; raise UnwritableError if it holds a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableError(
            f"holds a lone surrogate (U+{ord(error.object[error.start]):04X}), which is not "
            "text; jsonl can carry it"
        ) from error


def keeping_mark(data: bytes) -> bytes:
    """Double a byte order mark at the start of a file, since readers drop the first one."""
    return BOM_UTF8 + data if data.startswith(BOM_UTF8) else data


Encode = Callable[[Document], bytes]


def line_writer(
    encoder: Callable[[WriteOptions], Encode],
) -> Callable[[Writing], AbstractContextManager[WriteDocument]]:
    """Return a writer that puts each document, encoded, on a line of its own."""

    @contextmanager
    def write(writing: Writing) -> Iterator[WriteDocument]:
        encode = encoder(writing.options)
        with output_file(writing.target) as stream:
            at_start = True

            def write_document(document: Document) -> None:
                nonlocal at_start
                line = encode(document)
                stream.write((keeping_mark(line) if at_start else line) + b"\n")
                at_start = False

            yield write_document

    return write

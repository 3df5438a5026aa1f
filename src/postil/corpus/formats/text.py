"""What the text formats share: one text per document, strict lines, writing lines."""

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
    """Return the name of the only field: ``text``, or what ``text_columns`` calls it."""
    if options.text_columns is None:
        return TEXT
    if list(options.text_columns) != [TEXT]:
        raise UsageError(
            f"{format_name} has one text a document, called {TEXT}; "
            f"received --text-columns {', '.join(options.text_columns)}"
        )
    return options.text_columns[TEXT]


def refuse_empty(source: Source, blank: bytes = b"") -> None:
    """Raise unless ``source`` holds something besides a byte order mark and ``blank`` bytes."""
    with source.preview() as stream:
        while chunk := stream.read(1 << 16):
            if chunk.strip(b"\xef\xbb\xbf\xff\xfe" + blank):
                return
    raise empty(source)


def empty(source: Source) -> CorpusError:
    """Make the error for a file without documents."""
    return CorpusError(f"{source.name}: the file is empty: it holds no documents")


def one_line(document: Document) -> str:
    """All texts of a document on one line.

    Fields are joined by a space and runs of line breaks become a space: where words are
    counted nothing changes, and the format has no other way.
    """
    return LINE_BREAKS.sub(" ", " ".join(text for text in document.fields.values() if text))


def encoded(text: str) -> bytes:
    """Encode the text in UTF-8, if a text file can hold it."""
    if "\0" in text:
        raise UnwritableError("holds a NUL character; jsonl and parquet can carry it")
    return check_encodable(text)


def check_encodable(text: str) -> bytes:
    """Encode the text in UTF-8, unless it is not text."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableError(
            f"holds a lone surrogate (U+{ord(error.object[error.start]):04X}), which is not "
            "text; jsonl can carry it"
        ) from error


def keeping_mark(data: bytes) -> bytes:
    """Double a byte order mark at the start of a file: its reader takes the first one off."""
    return BOM_UTF8 + data if data.startswith(BOM_UTF8) else data


Encode = Callable[[Document], bytes]


def line_writer(
    encoder: Callable[[WriteOptions], Encode],
) -> Callable[[Writing], AbstractContextManager[WriteDocument]]:
    """Make a writer that puts what ``encoder`` makes of each document on a line of its own."""

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


class WordLabels:
    """Labels for formats where white space ends a label.

    With ``label_space`` white space inside a label is replaced by it; two labels that become
    one that way are an error. Remembers the labels it changed: memory grows with those.
    """

    def __init__(self, format_name: str, space: str | None, white: re.Pattern[str]) -> None:
        self._format = format_name
        self._space = space
        self._white = white
        self._originals: dict[str, str] = {}

    def __call__(self, label: str) -> str:
        """Return the label as one word, or raise."""
        if not label:
            raise UnwritableError("has an empty label; give it a name")
        word = label
        if self._white.search(label):
            if self._space is None:
                raise UnwritableError(
                    f"has the label {label!r}, and {self._format} labels cannot hold white "
                    "space; say what to put in its place (--label-space _) or write jsonl"
                )
            word = self._white.sub(self._space, label)
        if not word:
            raise UnwritableError(f"has the label {label!r}, of which nothing would be left")
        if self._space is not None and self._originals.setdefault(word, label) != label:
            raise UnwritableError(
                f"has the label {label!r}, which would be written like "
                f"{self._originals[word]!r}; choose another --label-space"
            )
        return word

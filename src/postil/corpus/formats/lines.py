"""Plain text: a document a line, no labels."""

from __future__ import annotations

from collections.abc import Iterator

from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines, numbered_lines
from postil.corpus.formats.format import Format, Head, Reading
from postil.corpus.formats.text import (
    Encode,
    encoded,
    line_writer,
    one_line,
    refuse_empty,
    text_field,
)
from postil.corpus.options import ReadOptions, WriteOptions


def read(source: Source, options: ReadOptions) -> Reading:
    """Every line is a document, a blank one too, so that line n stays line n."""
    field = text_field(options, "lines")
    refuse_empty(source)

    def walk(problems: Problems) -> Iterator[Document]:
        with source.open() as stream:
            lines = TextLines(stream, source.name, options.encoding)
            for number, line in numbered_lines(lines, problems):
                yield Document(f"line-{number}", {field: line})

    return Reading(walk, "a document a line, no labels; ids from line numbers")


def sniff(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001 - one signature for all
    """Any text will do: this is what is left when nothing else fits."""
    return b"\0" not in head.data or head.encoding != "utf-8"


def encoder(options: WriteOptions) -> Encode:  # noqa: ARG001 - one signature for all
    """Write all texts of a document on one line, and nothing else."""
    return lambda document: encoded(one_line(document))


LINES = Format(
    name="lines",
    extensions=(".lines",),
    description="plain text: a document a line, no labels",
    read=read,
    options=frozenset({"encoding", "text_columns"}),
    sniff=sniff,
    write=line_writer(encoder),
    drops=("ids", "labels", "splits", "field names", "line breaks"),
)

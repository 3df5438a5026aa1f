"""Annif's short-text corpus: a text, a tab, and the URIs of its subjects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines, numbered_lines
from postil.corpus.formats.format import Format, Head, Reading
from postil.corpus.formats.text import (
    Encode,
    WordLabels,
    encoded,
    line_writer,
    one_line,
    refuse_empty,
    text_field,
)
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import DocumentError

WHITE = re.compile(r"\s")
URI_LINE = re.compile(r"[^\t]*\t(\s*<[^<>\s]+>)*\s*")
SNIFFED_LINES = 20


def read(source: Source, options: ReadOptions) -> Reading:
    """Read a text, a tab and white-space-separated subjects on each line.

    A subject is a URI in angle brackets, which are taken off, or any word. Empty lines are no
    documents; another line without a tab is a bad document.
    """
    field = text_field(options, "annif")
    refuse_empty(source, blank=b"\r\n")

    def walk(problems: Problems) -> Iterator[Document]:
        with source.open() as stream:
            lines = TextLines(stream, source.name, options.encoding)
            for number, line in numbered_lines(lines, problems):
                text, tab, subjects = line.partition("\t")
                if tab:
                    labels = dict.fromkeys(filter(None, map(_bare, subjects.split())))
                    yield Document(f"line-{number}", {field: text}, tuple(labels))
                elif line:
                    message = (
                        "there is no tab between a text and its subjects; add one"
                        f"{problems.or_skip('the line')}"
                    )
                    problems.report(DocumentError(source.name, f"line {number}", message))

    return Reading(
        walk, "text before the tab, labels from the subjects after it; ids from line numbers"
    )


def _bare(subject: str) -> str:
    return subject[1:-1] if subject.startswith("<") and subject.endswith(">") else subject


def sniff(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001 - one signature for all
    """Look for one tab a line, with nothing but URIs in angle brackets after it."""
    lines = head.lines[:SNIFFED_LINES]
    matches = [URI_LINE.fullmatch(line) for line in lines]
    return all(matches) and any(match and match[1] for match in matches)


def encoder(options: WriteOptions) -> Encode:
    """Write the texts on one line, tabs as spaces, and each label in angle brackets.

    A label with white space is an error unless ``label_space`` says what replaces it.
    """
    word_of = WordLabels("annif", options.label_space, WHITE)

    def encode(document: Document) -> bytes:
        text = one_line(document).replace("\t", " ")
        subjects = " ".join(f"<{word_of(label)}>" for label in document.labels)
        return encoded(f"{text}\t{subjects}")

    return encode


ANNIF = Format(
    name="annif",
    extensions=(".annif",),
    description="Annif's short-text corpus: a text, a tab, subject URIs in angle brackets",
    read=read,
    options=frozenset({"encoding", "text_columns"}),
    sniff=sniff,
    write=line_writer(encoder),
    drops=("ids", "splits", "field names", "line breaks", "tabs"),
)

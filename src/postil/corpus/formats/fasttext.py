"""fastText: a document a line, labels as words with a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines, numbered_lines
from postil.corpus.formats.format import Format, Head, Reading, UnwritableError
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

PREFIX = "__label__"

# fastText works on bytes: these end a word, other Unicode spaces do not.
SPACES = r" \t\v\f\r"
WHITE = re.compile(rf"[{SPACES}\n\0]")


def _label_pattern(prefix: str) -> re.Pattern[str]:
    """Match a word that is a label, wherever it stands, with one space after it.

    What must stand before the prefix is asked after it, so that the search for the prefix is
    a plain string search.
    """
    mark = re.escape(prefix)
    return re.compile(rf"{mark}(?<![^{SPACES}]{mark})([^{SPACES}]+)(?:[{SPACES}]|$)")


def read(source: Source, options: ReadOptions) -> Reading:
    """Every line is a document, a blank one too; its labels may stand anywhere in it."""
    field = text_field(options, "fasttext")
    prefix = options.label_prefix or PREFIX
    pattern = _label_pattern(prefix)
    refuse_empty(source)

    def walk(problems: Problems) -> Iterator[Document]:
        with source.open() as stream:
            lines = TextLines(stream, source.name, options.encoding)
            for number, line in numbered_lines(lines, problems):
                labels = tuple(dict.fromkeys(pattern.findall(line))) if prefix in line else ()
                text = pattern.sub("", line) if labels else line
                yield Document(f"line-{number}", {field: text}, labels)

    return Reading(walk, f"labels from words with the prefix {prefix}; ids from line numbers")


def sniff(head: Head, options: ReadOptions) -> bool:
    """Look for a label at the beginning or end of the first line."""
    if not head.lines:
        return False
    words = head.lines[0].split()
    prefix = options.label_prefix or PREFIX
    return words[0].startswith(prefix) or words[-1].startswith(prefix)


def encoder(options: WriteOptions) -> Encode:
    """Write the labels, then all texts on the same line.

    A label with white space is an error unless ``label_space`` says what replaces it; so is a
    text with a word that would be read as a label.
    """
    word_of = WordLabels("fasttext", options.label_space, WHITE)
    pattern = _label_pattern(options.label_prefix)

    def encode(document: Document) -> bytes:
        text = one_line(document)
        if pattern.search(text):
            raise UnwritableError(
                f"has a text with a word that begins with {options.label_prefix}, which would "
                "become a label; choose another prefix (--label-prefix)"
            )
        words = [options.label_prefix + word_of(label) for label in document.labels]
        return encoded(" ".join([*words, text] if text else words))

    return encode


FASTTEXT = Format(
    name="fasttext",
    extensions=(".ft", ".fasttext"),
    description="fastText: a document a line, labels as __label__x words",
    read=read,
    options=frozenset({"encoding", "label_prefix", "text_columns"}),
    sniff=sniff,
    write=line_writer(encoder),
    drops=("ids", "splits", "field names", "line breaks"),
)

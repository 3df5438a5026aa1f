"""Formats with a document on each line: fastText, Annif's short texts, and plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.corpus.formats.format import Format, Head, Reading, UnwritableError
from postil.corpus.formats.records import SELDOM_LOSSES
from postil.corpus.formats.text import (
    Encode,
    encoded,
    line_writer,
    one_line,
    refuse_empty,
    text_field,
)
from postil.corpus.options import ReadOptions, WriteOptions
from postil.errors import DocumentError

FASTTEXT_PREFIX = "__label__"
# fastText works on bytes: these end a word, other Unicode spaces do not.
FASTTEXT_SPACES = r" \t\v\f\r"

ANNIF_LINE = re.compile(r"[^\t]*\t(\s*<[^<>\s]+>)*\s*")
SNIFFED_LINES = 20

TextAndLabels = tuple[str, tuple[str, ...]]


def _reading(
    source: Source,
    options: ReadOptions,
    field: str,
    parse: Callable[[str], TextAndLabels | None],
    sentence: str,
) -> Reading:
    """Return the reading of a source with a document on each line.

    ``parse`` returns None for a line that is no document and raises ValueError for a bad one.
    """

    def documents(problems: Problems) -> Iterator[Document]:
        with TextLines(source.open(), source.name, options.encoding) as lines:
            for line in lines.good(problems):
                try:
                    parsed = parse(line)
                except ValueError as error:
                    message = f"{error}{problems.or_skip('the line')}"
                    where = f"line {lines.number}"
                    problems.report(DocumentError(source.name, where, message))
                    continue
                if parsed is not None:
                    yield Document(f"line-{lines.number}", {field: parsed[0]}, parsed[1])

    return Reading(documents, sentence)


class _WordLabels:
    """Labels for formats in which white space ends a label.

    With ``label_space`` white space inside a label is replaced by it; two labels that become
    one in this way are an error. Memory grows with the labels that were changed.
    """

    def __init__(self, format_name: str, space: str | None, white: str) -> None:
        self._format = format_name
        self._space = space
        self._white = re.compile(white)
        self._originals: dict[str, str] = {}

    def __call__(self, label: str) -> str:
        """Return the label as one word; raise UnwritableError if it cannot be one."""
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


def _label_pattern(prefix: str) -> re.Pattern[str]:
    """Match a word that is a fastText label, anywhere in a line, with one space after it.

    The character before the prefix is tested after it, so that the search for the prefix is a
    plain string search.
    """
    mark, spaces = re.escape(prefix), FASTTEXT_SPACES
    return re.compile(rf"{mark}(?<![^{spaces}]{mark})([^{spaces}]+)(?:[{spaces}]|$)")


def _read_fasttext(source: Source, options: ReadOptions) -> Reading:
    """Read every line, a blank one too, as a document with labels anywhere in it."""
    field = text_field(options, "fasttext")
    prefix = options.label_prefix or FASTTEXT_PREFIX
    pattern = _label_pattern(prefix)
    refuse_empty(source)

    def parse(line: str) -> TextAndLabels:
        labels = tuple(dict.fromkeys(pattern.findall(line))) if prefix in line else ()
        return (pattern.sub("", line) if labels else line), labels

    sentence = f"labels from words with the prefix {prefix}; ids from line numbers"
    return _reading(source, options, field, parse, sentence)


def _sniff_fasttext(head: Head, options: ReadOptions) -> bool:
    """Return True if the first line begins or ends with a label."""
    if not head.lines:
        return False
    words = head.lines[0].split()
    prefix = options.label_prefix or FASTTEXT_PREFIX
    return words[0].startswith(prefix) or words[-1].startswith(prefix)


def _fasttext_encoder(options: WriteOptions) -> Encode:
    """Write the labels, then all texts on the same line.

    A label with white space is an error unless ``label_space`` replaces it; so is a text with a
    word that would be read as a label.
    """
    word_of = _WordLabels("fasttext", options.label_space, rf"[{FASTTEXT_SPACES}\n\0]")
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


def _read_annif(source: Source, options: ReadOptions) -> Reading:
    """Read a text, a tab and subjects between white space on each line.

    A subject is a URI in angle brackets, which are removed, or any word. Empty lines are no
    documents; another line without a tab is a bad document.
    """
    field = text_field(options, "annif")
    refuse_empty(source, blank=b"\r\n")

    def parse(line: str) -> TextAndLabels | None:
        text, tab, subjects = line.partition("\t")
        if tab:
            return text, tuple(dict.fromkeys(filter(None, map(_bare, subjects.split()))))
        if line:
            raise ValueError("there is no tab between a text and its subjects; add one")
        return None

    sentence = "text before the tab, labels from the subjects after it; ids from line numbers"
    return _reading(source, options, field, parse, sentence)


def _bare(subject: str) -> str:
    return subject[1:-1] if subject.startswith("<") and subject.endswith(">") else subject


def _sniff_annif(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001 - one signature for all
    """Return True if each line has one tab, with only URIs in angle brackets after it."""
    matches = [ANNIF_LINE.fullmatch(line) for line in head.lines[:SNIFFED_LINES]]
    return all(matches) and any(match and match[1] for match in matches)


def _annif_encoder(options: WriteOptions) -> Encode:
    """Write the texts on one line, tabs as spaces, and each label in angle brackets."""
    word_of = _WordLabels("annif", options.label_space, r"\s")

    def encode(document: Document) -> bytes:
        text = one_line(document).replace("\t", " ")
        subjects = " ".join(f"<{word_of(label)}>" for label in document.labels)
        return encoded(f"{text}\t{subjects}")

    return encode


def _read_lines(source: Source, options: ReadOptions) -> Reading:
    """Read every line as a document, a blank one too, so that line n stays line n."""
    field = text_field(options, "lines")
    refuse_empty(source)
    sentence = "a document a line, no labels; ids from line numbers"
    return _reading(source, options, field, lambda line: (line, ()), sentence)


FASTTEXT = Format(
    name="fasttext",
    extensions=(".ft", ".fasttext"),
    description="fastText: a document a line, labels as __label__x words",
    read=_read_fasttext,
    options=frozenset({"encoding", "label_prefix", "text_columns"}),
    sniff=_sniff_fasttext,
    write=line_writer(_fasttext_encoder),
    drops=("ids", "splits", "field names", "line breaks", *SELDOM_LOSSES),
)
ANNIF = Format(
    name="annif",
    extensions=(".annif",),
    description="Annif's short-text corpus: a text, a tab, subject URIs in angle brackets",
    read=_read_annif,
    options=frozenset({"encoding", "text_columns"}),
    sniff=_sniff_annif,
    write=line_writer(_annif_encoder),
    drops=("ids", "splits", "field names", "line breaks", *SELDOM_LOSSES, "tabs"),
)
LINES = Format(
    name="lines",
    extensions=(".lines",),
    description="plain text: a document a line, no labels",
    read=_read_lines,
    options=frozenset({"encoding", "text_columns"}),
    # The last format to try: any text fits.
    sniff=lambda head, _: b"\0" not in head.data or head.encoding != "utf-8",
    write=line_writer(lambda _: lambda document: encoded(one_line(document))),
    drops=("ids", "labels", "splits", "field names", "line breaks", *SELDOM_LOSSES),
)

"""Guesses of the format of a source, by its name and then by its content."""

from __future__ import annotations

import re
from difflib import get_close_matches

from postil.common.compression import extension_of
from postil.corpus.files.archives import is_archive
from postil.corpus.files.documents import READABLE, refusal
from postil.corpus.files.kinds import HTML, Kind, kind_of
from postil.corpus.files.streams import Source
from postil.corpus.formats import FORMATS
from postil.corpus.formats.annotations import DOCCANO
from postil.corpus.formats.delimited import begins_table, may_be_header
from postil.corpus.formats.documents import DOCUMENT
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format, Head, head_of
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.label_studio import LABEL_STUDIO
from postil.corpus.formats.lines import LINES
from postil.corpus.formats.parquet import PARQUET
from postil.corpus.formats.prodigy import PRODIGY
from postil.corpus.formats.xlsx import XLSX
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.registry import NAMES
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, UsageError

SVMLIGHT_LINE = re.compile(
    r"(?:[-+]?[\d.]+(?:e[-+]?\d+)?(?:,[-+]?[\d.]+)*)?(?:\s+qid:\d+)?(?:\s+\d+:\S+)*\s*(?:#.*)?",
    re.IGNORECASE,
)
SVMLIGHT_FEATURE = re.compile(r"\s\d+:[-+.\d]")
SVMLIGHT_EXTENSIONS = (".svm", ".svmlight", ".libsvm")
SVMLIGHT = (
    "the file holds vectors in svmlight/libsvm format, not texts; use it with postil train, "
    "predict, evaluate or path"
)
SNIFFED_LINES = 20

# Extensions that several formats have: the first that fits the content is taken.
SHARED: dict[str, tuple[str, ...]] = {
    ".tsv": ("annif", "tsv"),
    ".txt": ("jsonl", "fasttext", "annif", "mbox", "lines"),
    ".text": ("jsonl", "fasttext", "annif", "mbox", "lines"),
    **dict.fromkeys((".htm", ".xhtml", ".mht", ".mhtml", ".docm", ".dotx", ".md"), ("document",)),
}


def _is_svmlight(head: Head) -> bool:
    lines = [line for line in head.lines[:SNIFFED_LINES] if not line.startswith("#")]
    whole = all(SVMLIGHT_LINE.fullmatch(line) for line in lines)
    return whole and any(SVMLIGHT_FEATURE.search(line) for line in lines)


def format_named(name: str) -> Format:
    """Return the format of that name; an unknown one is an error that lists them all."""
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, FORMATS, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"there is no corpus format {name!r}; {hint}formats: {', '.join(FORMATS)}")


def formats_of_name(name: str) -> list[Format]:
    """Return the formats whose files have such an extension; the last is the usual one."""
    extension = extension_of(name)
    if extension in SHARED:
        return [FORMATS[shared] for shared in SHARED[extension]]
    return [format for format in FORMATS.values() if extension in format.extensions]


def guess_format(source: Source, options: ReadOptions) -> Format:
    """Return the format of ``source``: by its extension, else the first that fits its content.

    Content decides between formats that share an extension (.txt, .tsv), and the first bytes of
    a PDF, an archive or another file that is no text decide against any extension. Plain text is
    one document in a file, and a document a line in a stream.
    """
    if source.is_folder:
        return FOLDERS
    head = head_of(source, options)
    if source.paused and len(head.lines) == 1 and begins_table(head, options):
        head = head_of(source, options, lines=2)  # a header is one only if a row follows
    candidates = formats_of_name(source.name)
    kind = kind_of(head.data, source.name)
    if kind is not None and not kind.by_name:
        return _format_of_kind(source, kind, candidates, head, options)
    if len(candidates) == 1:
        tools = (LABEL_STUDIO, PRODIGY, DOCCANO) if candidates[0] is JSONL else ()
        return next((tool for tool in tools if tool.sniff(head, options)), candidates[0])
    if extension_of(source.name) in SVMLIGHT_EXTENSIONS or _is_svmlight(head):
        raise CorpusError(f"{source.name}: {SVMLIGHT}")
    if kind is HTML:
        return DOCUMENT
    fitting = (format for format in candidates or FORMATS.values() if format.sniff(head, options))
    format = next(fitting, candidates[-1] if candidates else None)
    if format is None:
        raise CorpusError(
            f"{source.name}: the file is of no known format (it holds NUL bytes); "
            f"name its format (--format) or encoding (--encoding). Formats: {', '.join(FORMATS)}"
        )
    return DOCUMENT if format is LINES and not source.once else format


def _format_of_kind(
    source: Source, kind: Kind, candidates: list[Format], head: Head, options: ReadOptions
) -> Format:
    """Return the format of a file that is no plain text; raise CorpusError if there is none."""
    for format in (*candidates, PARQUET, XLSX):
        if format is not LINES and format.sniff(head, options):
            return format
    if is_archive(head.data, source.name):
        return FOLDERS
    if kind in READABLE:
        return DOCUMENT
    if XLSX in candidates:
        return XLSX  # damaged, of which its reader tells more
    raise CorpusError(f"{source.name}: {refusal(kind)}")


def doubt(source: Source, format: Format, options: ReadOptions) -> str:
    """Return the end of the sentence about a guess if something speaks against it, else nothing."""
    if options.format is not None or format not in {LINES, DOCUMENT, FOLDERS} or source.is_folder:
        return ""
    if format is FOLDERS:
        own = [name for name, corpus in NAMES.items() if _distributed(corpus, source)]
        return f"; to read it as a known corpus, say --format {own[0]}" if own else ""
    head = head_of(source, options)
    if kind_of(head.data, source.name) is None and may_be_header(head):
        return "; if the first line holds names of columns, say --format csv"
    return ""


def _distributed(corpus: NamedCorpus, source: Source) -> bool:
    return bool(
        corpus.distribution and source.path and source.path.name in corpus.distribution.names
    )

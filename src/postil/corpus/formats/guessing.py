"""Guesses of the format of a source, by its name and then by its content."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import PurePath

from postil.common.compression import without_compression_suffix
from postil.corpus.files.streams import Source
from postil.corpus.formats import FORMATS
from postil.corpus.formats.delimited import begins_table, may_be_header
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format, Head, head_of
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.label_studio import LABEL_STUDIO
from postil.corpus.formats.lines import LINES
from postil.corpus.formats.prodigy import PRODIGY
from postil.corpus.formats.xlsx import is_workbook
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
    ".txt": ("jsonl", "fasttext", "annif", "lines"),
    ".text": ("jsonl", "fasttext", "annif", "lines"),
}


def _is_svmlight(head: Head) -> bool:
    lines = [line for line in head.lines[:SNIFFED_LINES] if not line.startswith("#")]
    whole = all(SVMLIGHT_LINE.fullmatch(line) for line in lines)
    return whole and any(SVMLIGHT_FEATURE.search(line) for line in lines)


def _begins(*marks: bytes) -> Callable[[Head], bool]:
    return lambda head: head.data.startswith(marks)


# Signs of files in none of the formats, and what to do with them.
FOREIGN: tuple[tuple[Callable[[Head], bool], str], ...] = (
    (_is_svmlight, SVMLIGHT),
    (
        lambda head: head.data[257:262] == b"ustar",
        "is a tar archive; unpack it and open the folder, or if it is a corpus known by name give "
        "the name (--format reuters-modapte)",
    ),
    (
        lambda head: head.data.startswith(b"PK\x03\x04") and b".npy" in head.data[:100],
        "is a file of NumPy arrays (.npz); vectors are learned from as svmlight: "
        "postil vectorize CORPUS -o vectors.svm",
    ),
    (
        lambda head: head.data.startswith(b"PK\x03\x04") and not is_workbook(head),
        "is a zip archive or an office document; unpack or export it as csv",
    ),
    (
        _begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "is a document of an old office program; save it as .xlsx or csv",
    ),
    (_begins(b"BZh", b"\xfd7zXZ\0"), "is compressed with bzip2 or xz; decompress it, or use zstd"),
    (_begins(b"%PDF-"), "is a PDF; extract its text first"),
    (_begins(b"SQLite format 3\0"), "is an SQLite database; export a table as csv"),
)


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


def extension_of(name: str) -> str:
    """Return the extension in lower case, below any compression's: ``x.JSONL.gz`` → ``.jsonl``."""
    return PurePath(without_compression_suffix(name)).suffix.lower()


def guess_format(source: Source, options: ReadOptions) -> Format:
    """Return the format of ``source``: by its extension, else the first that fits its content.

    Content decides between formats that share an extension (.txt, .tsv).
    """
    if source.is_folder:
        return FOLDERS
    head = head_of(source, options)
    if source.paused and len(head.lines) == 1 and begins_table(head, options):
        head = head_of(source, options, lines=2)  # a header is one only if a row follows
    candidates = formats_of_name(source.name)
    if len(candidates) == 1:
        tools = (LABEL_STUDIO, PRODIGY) if candidates[0] is JSONL else ()
        return next((tool for tool in tools if tool.sniff(head, options)), candidates[0])
    if extension_of(source.name) in SVMLIGHT_EXTENSIONS:
        raise CorpusError(f"{source.name}: {SVMLIGHT}")
    for recognise, sentence in FOREIGN:
        if recognise(head):
            raise CorpusError(f"{source.name}: {sentence}")
    fitting = (format for format in candidates or FORMATS.values() if format.sniff(head, options))
    format = next(fitting, candidates[-1] if candidates else None)
    if format is None:
        raise CorpusError(
            f"{source.name}: the file is of no known format (it holds NUL bytes); "
            f"name its format (--format) or encoding (--encoding). Formats: {', '.join(FORMATS)}"
        )
    return format


def doubt(source: Source, format: Format, options: ReadOptions) -> str:
    """Return the end of the sentence about a guess if something speaks against it, else nothing."""
    if format is LINES and options.format is None and may_be_header(head_of(source, options)):
        return "; if the first line holds names of columns, say --format csv"
    return ""

"""The kinds of files that are no plain text, told by the first bytes and then by the name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from postil.common.compression import extension_of

HEAD = 1 << 12
"""The bytes that tell what a file holds."""

ZIP = b"PK\x03\x04"
_OFFICE = b"[Content_Types].xml"

_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MBOX = re.compile(rb"From \S.*\b(?:19|20)\d\d\b.*\r?\n>?[A-Za-z][\w-]*:")


@dataclass(frozen=True)
class Kind:
    """A kind of file that is not plain text.

    Parameters
    ----------
    name : str
        With its article, for messages.
    extensions : tuple of str
        Those of its files.
    begins : callable
        Tells from the first bytes if a file has this kind.
    advice : str
        What to do with a file that postil cannot read; empty if it can.
    by_name : bool
        True if the name alone tells the kind, since any text could begin so.
    """

    name: str
    extensions: tuple[str, ...]
    begins: Callable[[bytes], object]
    advice: str = ""
    by_name: bool = False


def _marks(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(marks)


def _riff(form: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(b"RIFF") and head[8:12] == form


def _never(_: bytes) -> bool:
    return False


def _holds(*parts: bytes) -> Callable[[bytes], bool]:
    """Recognise a zip archive whose first entries have these names, or hold these bytes."""
    return lambda head: head.startswith(ZIP) and all(part in head for part in parts)


_PICTURE = "take it out"
_SOUND = "take it out, or give its text"
_PROGRAM = "take it out"
_VECTORS = "vectors are learned from as svmlight: postil vectorize CORPUS -o vectors.svm"
_AS_TEXT = "save it as PDF, DOCX or text"

PDF = Kind(
    "a PDF", (".pdf",), lambda head: head.lstrip(b"\xef\xbb\xbf\0\r\n ").startswith(b"%PDF-")
)
DOCX = Kind("a DOCX", (".docx", ".docm", ".dotx"), _holds(_OFFICE, b"word/"))
HTML = Kind("an HTML page", (".html", ".htm", ".xhtml"), _HTML.match, by_name=True)
MAIL = Kind("a mail", (".eml", ".mht", ".mhtml"), _never, by_name=True)
MBOX = Kind("a mailbox", (".mbox",), _MBOX.match, by_name=True)
ZIPPED = Kind("a zip archive", (".zip",), _marks(ZIP, b"PK\x05\x06"), "unpack it, or open it alone")
TAR = Kind(
    "a tar archive",
    (".tar",),
    lambda head: head[257:262] == b"ustar",
    "unpack it, or open it alone",
)

# The first that fits a file is its kind: within a family, the sharper sign comes first.
KINDS: tuple[Kind, ...] = (
    PDF,
    DOCX,
    Kind("an Excel workbook", (".xlsx", ".xlsm"), _holds(_OFFICE, b"xl/"), "save the sheet as csv"),
    Kind(
        "a PowerPoint presentation", (".pptx", ".pptm"), _holds(_OFFICE, b"ppt/"), "save it as PDF"
    ),
    Kind(
        "an OpenDocument file",
        (".odt", ".ods", ".odp"),
        _holds(b"mimetypeapplication/vnd.oasis"),
        "save it as DOCX, PDF or csv",
    ),
    Kind(
        "an EPUB book",
        (".epub",),
        _holds(b"mimetypeapplication/epub"),
        "convert it to HTML or text",
    ),
    Kind("a file of NumPy arrays", (".npz",), _holds(b".npy"), _VECTORS),
    Kind("a program", (".jar", ".apk"), _holds(b"META-INF/MANIFEST"), _PROGRAM),
    ZIPPED,
    TAR,
    HTML,
    MAIL,
    MBOX,
    Kind("an RTF document", (".rtf",), _marks(b"{\\rtf"), _AS_TEXT),
    Kind(
        "an old Office file (.doc, .xls, .ppt, .msg)",
        (".doc", ".xls", ".ppt", ".msg"),
        _marks(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "save it in a format of today (DOCX, csv, PDF, EML)",
    ),
    Kind("a PostScript file", (".ps", ".eps"), _marks(b"%!PS"), "convert it to PDF"),
    Kind("a PNG image", (".png",), _marks(b"\x89PNG\r\n\x1a\n"), _PICTURE),
    Kind("a JPEG image", (".jpg", ".jpeg"), _marks(b"\xff\xd8\xff"), _PICTURE),
    Kind("a GIF image", (".gif",), _marks(b"GIF87a", b"GIF89a"), _PICTURE),
    Kind("a TIFF image", (".tif", ".tiff"), _marks(b"II*\0", b"MM\0*"), _PICTURE),
    Kind("a WebP image", (".webp",), _riff(b"WEBP"), _PICTURE),
    Kind("a BMP image", (".bmp",), lambda head: head[:2] == b"BM" and b"\0" in head, _PICTURE),
    Kind("an icon", (".ico",), _marks(b"\0\0\1\0"), _PICTURE),
    Kind("a WAVE recording", (".wav",), _riff(b"WAVE"), _SOUND),
    Kind(
        "a video",
        (".avi", ".mkv"),
        lambda h: _riff(b"AVI ")(h) or h[:4] == b"\x1aE\xdf\xa3",
        _SOUND,
    ),
    Kind(
        "a video, sound or HEIC file", (".mp4", ".m4a"), lambda head: head[4:8] == b"ftyp", _SOUND
    ),
    Kind("a recording", (".mp3", ".ogg", ".flac"), _marks(b"ID3", b"OggS", b"fLaC"), _SOUND),
    Kind("a 7z archive", (".7z",), _marks(b"7z\xbc\xaf\x27\x1c"), "unpack it, or use zip"),
    Kind("a RAR archive", (".rar",), _marks(b"Rar!\x1a\x07"), "unpack it, or use zip"),
    Kind(
        "compressed with bzip2 or xz",
        (".bz2", ".xz"),
        _marks(b"BZh", b"\xfd7zXZ\0"),
        "decompress it, or use zstd",
    ),
    Kind("an SQLite database", (".sqlite",), _marks(b"SQLite format 3\0"), "export a table as csv"),
    Kind("a Parquet table", (".parquet",), _marks(b"PAR1"), "open it alone"),
    Kind("a NumPy array", (".npy",), _marks(b"\x93NUMPY"), "give texts"),
    Kind("an HDF5 file", (".h5",), _marks(b"\x89HDF\r\n"), "give texts"),
    Kind("a program", (), lambda head: head[:2] == b"MZ" and b"\0" in head, _PROGRAM),
    Kind("a program", (), _marks(b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe"), _PROGRAM),
)

_ZIP_FAMILY = {
    extension: kind
    for kind in KINDS[: KINDS.index(ZIPPED) + 1]
    if kind is not PDF
    for extension in kind.extensions
}


def kind_of(head: bytes, name: str) -> Kind | None:
    """Return the kind of a file, or None for plain text.

    Parameters
    ----------
    head : bytes
        At least the first ``HEAD`` bytes, decompressed, or all.
    name : str
        The file's name: it decides where bytes leave a choice (a mail may begin with anything).
    """
    extension = extension_of(name)
    if head.startswith(ZIP) and extension in _ZIP_FAMILY:
        return _ZIP_FAMILY[extension]
    for kind in KINDS:
        if kind.begins(head) or (kind.by_name and extension in kind.extensions):
            return kind
    return None


def peek(stream: BinaryIO) -> bytes:
    """Return the first bytes of a buffered stream, which stay in it."""
    return stream.peek(HEAD)  # type: ignore[attr-defined, no-any-return]

"""The text of one file that is a document: plain text, PDF, HTML, DOCX or a mail."""

from __future__ import annotations

import codecs
import io
import logging
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from postil.corpus.files import textlines
from postil.corpus.files.archives import clean_text
from postil.corpus.files.html import parse_page
from postil.corpus.files.kinds import DOCX, HTML, MAIL, MBOX, PDF, Kind, kind_of, peek
from postil.corpus.files.textlines import encoding_of, read_text
from postil.errors import DocumentError, MissingExtraError

if TYPE_CHECKING:
    from email.message import Message

WHOLE = "whole file"

LARGEST_FILE = 1 << 28
"""The most bytes of a PDF or DOCX, packed, and of what a DOCX unpacks to."""
LARGEST_XML = 1 << 26
"""The most bytes of a part of a DOCX that is parsed."""

LARGEST_PAGE = 1 << 22
"""The most characters of an HTML page in which the main text is sought, which takes long."""

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)\b[^<>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w:.-]+)", re.I
)
_HYPHEN = re.compile("(?:\x02|\ufffe)(?:\r\n)?")  # PDFium's mark of a word that the line breaks
_BLANK_LINES = re.compile(r"\n\s*\n\s*")

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SPACES = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n", f"{_WORD}p": "\n"}

READABLE = frozenset({PDF, DOCX, HTML, MAIL})


class UnreadableError(Exception):
    """A file has no text that can be read; the message says what it is, and the way out."""


def read_document(stream: BinaryIO, name: str, source: str, encoding: str | None) -> str:
    """Return the text of a file that is one document.

    The first bytes tell the kind of the file, and its name where they leave a choice.

    Parameters
    ----------
    stream : BinaryIO
        The buffered bytes, decompressed.
    name : str
        The file's name.
    source : str
        The name for messages.
    encoding : str or None
        Of text and HTML; by default UTF-8, or what a byte order mark or the page itself says.
    """
    kind = kind_of(peek(stream), name)
    if kind is None:
        return read_text(stream, source, encoding)
    if kind not in READABLE:
        raise DocumentError(source, WHOLE, refusal(kind))
    try:
        data = _all_bytes(stream, kind)
        if kind is HTML:
            text = page_text(_decoded(data, encoding))
        else:
            readers: dict[Kind, Callable[[bytes], str]] = {
                PDF: _pdf_text,
                DOCX: _docx_text,
                MAIL: _mail_text,
            }
            text = readers[kind](data)
    except UnreadableError as error:
        raise DocumentError(source, WHOLE, str(error)) from error
    if len(text) > textlines.LONGEST_LINE:
        raise textlines.too_long(source)
    return text


def refusal(kind: Kind) -> str:
    """Return the message about a file of a kind that is not read as one document."""
    if kind is MBOX:
        return "is a mailbox, which holds many documents; open it alone (--format mbox)"
    verb = "is" if kind.name.startswith(("a ", "an ")) else "is a file"
    return f"{verb} {kind.name}, not a text; {kind.advice}"


def _all_bytes(stream: BinaryIO, kind: Kind) -> bytes:
    most = LARGEST_FILE if kind in {PDF, DOCX} else textlines.LONGEST_LINE
    data = stream.read(most + 1)
    if len(data) > most:
        raise UnreadableError(
            f"is {kind.name} of more than {most:,} bytes, the most that is read; split it or take "
            "it out"
        )
    return data


def _pdf_text(data: bytes) -> str:
    """Return the text of all pages; a blank line is between two."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("reading PDF", "pypdfium2", "documents") from None
    pages: list[str] = []
    size = 0
    try:
        with pypdfium2.PdfDocument(data) as pdf:
            for page in pdf:
                text = page.get_textpage().get_text_range()
                page.close()
                pages.append(text)
                size += len(text)
                if size > textlines.LONGEST_LINE:
                    break
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableError(
                "is a PDF that asks for a password; save it without one"
            ) from error
        raise UnreadableError(f"is a damaged PDF ({error}); get it again") from error
    found = "\n\n".join(clean_text(_HYPHEN.sub("", text)).strip() for text in pages).strip()
    if not found:
        raise UnreadableError(
            "is a PDF without text, such as a scan; recognise its text first (OCR), or take it out"
        )
    return found


def _docx_text(data: bytes) -> str:
    """Return the paragraphs of the body, those in tables too, each on a line of its own.

    What a tracked change deleted is left out; what it inserted is read.
    """
    try:
        import docx
    except ImportError:
        raise MissingExtraError("reading DOCX", "python-docx", "documents") from None
    try:
        _check_unpacked(data)
        body = docx.Document(io.BytesIO(data)).element.body
    except UnreadableError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # of zipfile, zlib, lxml and python-docx: they share no base
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnreadableError(f"is a damaged DOCX ({reason[:100]}); get it again") from error
    for fallback in list(body.iter(_FALLBACK)):  # the same text again, for older programs
        fallback.getparent().remove(fallback)
    pieces: list[str] = []
    for element in body.iter():
        if element.tag == f"{_WORD}t":
            pieces.append(element.text or "")
        elif element.tag in _SPACES and element.getparent().tag != f"{_WORD}tabs":
            pieces.append(_SPACES[element.tag])
    return _BLANK_LINES.sub("\n", "".join(pieces)).strip()


def _check_unpacked(data: bytes) -> None:
    """Refuse a DOCX that unpacks to much more than a document has; sizes in it are binding."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    parsed = [entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels"))]
    if sum(entry.file_size for entry in entries) > LARGEST_FILE or sum(parsed) > LARGEST_XML:
        raise UnreadableError(
            f"is a DOCX that unpacks to more than {LARGEST_FILE:,} bytes, or {LARGEST_XML:,} of "
            "text, the most that is read; split it or take it out"
        )


def page_text(markup: str) -> str:
    """Return the title of an HTML page on a line, and the text below it.

    The text is the page's main part, without menus and footers, as trafilatura finds it; where
    it finds none, or is not installed, it is all the visible text.
    """
    page = parse_page(markup)
    body = _main_text(markup) or page.body
    first = body.partition("\n")[0].strip()
    return body if not page.title or first == page.title else f"{page.title}\n{body}"


def has_main_text() -> bool:
    """Return True if the main part of HTML pages can be told from the rest."""
    from importlib.util import find_spec

    return find_spec("trafilatura") is not None


def _main_text(markup: str) -> str:
    if len(markup) > LARGEST_PAGE:
        return ""
    try:
        import trafilatura
    except ImportError:
        return ""
    # It logs every page in which it finds nothing, which is no fault here.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        return str(trafilatura.extract(markup, include_comments=False) or "").strip()
    except MemoryError:
        raise
    except Exception:
        return ""


def _decoded(data: bytes, encoding: str | None) -> str:
    """Decode a page by the encoding given, its mark, its own word, or as UTF-8."""
    if encoding is None and encoding_of(data, None) == textlines.DEFAULT_ENCODING:
        declared = _CHARSET.search(data[: 1 << 12])
        if declared is not None:
            return _leniently(data, declared[1].decode("ascii"))
    chosen = encoding_of(data, encoding)
    try:
        return data.decode(chosen).removeprefix("\ufeff")
    except UnicodeError:
        raise UnreadableError(
            f"is an HTML page that is not valid {chosen}; name the encoding it has "
            "(--encoding latin-1)"
        ) from None


def _leniently(data: bytes, charset: str | None) -> str:
    """Decode by the encoding that a page or mail declares, as browsers do: nothing is an error.

    Without a known one, it is UTF-8, or if that does not fit the Windows code of western languages.
    """
    try:
        name = codecs.lookup(charset or "").name
        # What is declared to be Latin-1 or ASCII is Windows-1252 in truth.
        name = "cp1252" if name in {"iso8859-1", "ascii"} else name
        return data.decode(name, "replace").removeprefix("\ufeff")
    except (LookupError, ValueError):
        try:
            return data.decode("utf-8-sig")
        except UnicodeError:
            return data.decode("cp1252", "replace")


def _mail_text(data: bytes) -> str:
    mail = parse_mail(data)
    if not mail.has_header:
        raise UnreadableError("is no mail, since it has no header; name it .txt if it is a text")
    return mail.text


@dataclass(frozen=True)
class Mail:
    """The Message-ID of a mail without its brackets (empty if it has none), and its text."""

    identity: str
    text: str
    has_header: bool


def parse_mail(data: bytes) -> Mail:
    """Return the id of a mail, and its subject with the text below; attachments are left out.

    The text is the first plain part that is not empty, else the first HTML part. A mail that
    cannot be taken apart is an ``UnreadableError``.
    """
    from email import message_from_bytes

    try:
        message = message_from_bytes(data)
        identity = _header(message, "message-id").strip("<>")
        text = "\n\n".join(filter(None, (_header(message, "subject"), _body(message))))
    except MemoryError:
        raise
    except Exception as error:  # of the parser, which any nonsense may lead astray
        reason = type(error).__name__
        raise UnreadableError(f"is a mail that cannot be parsed ({reason}); take it out") from error
    return Mail(identity, text, bool(message.keys()))


def _body(message: Message) -> str:
    for part in _text_parts(message):
        payload = part.get_payload(decode=True)
        charset = part.get_content_charset()
        text = _leniently(payload if isinstance(payload, bytes) else b"", charset)
        if part.get_content_subtype() == "html":
            text = page_text(text)
        body = clean_text(text).strip()
        if body:
            return body
    return ""


def _header(message: Message, name: str) -> str:
    """Return a header on one line, decoded; empty if it is absent."""
    from email.errors import HeaderParseError
    from email.header import decode_header

    items = message.raw_items()
    raw = str(next((value for key, value in items if key.lower() == name), ""))
    text = _leniently(raw.encode("utf-8", "surrogateescape"), None)
    with suppress(HeaderParseError):
        text = "".join(
            _leniently(piece, charset) if isinstance(piece, bytes) else piece
            for piece, charset in decode_header(text)
        )
    return " ".join(clean_text(text).split())


def _text_parts(message: Message) -> Iterator[Message]:
    """Yield the text parts that are not attached, plain ones first."""
    parts = [
        part
        for part in message.walk()
        if part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"
    ]
    yield from (part for part in parts if part.get_content_subtype() != "html")
    yield from (part for part in parts if part.get_content_subtype() == "html")

"""A file that is one document (text, PDF, DOCX, HTML, a mail), and a mailbox of many mails."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from postil.common.compression import BUFFER
from postil.corpus.document import Document, Problems, SeenIds, is_encodable
from postil.corpus.files import textlines
from postil.corpus.files.documents import (
    READABLE,
    UnreadableError,
    parse_mail,
    read_document,
    refusal,
)
from postil.corpus.files.kinds import MBOX, kind_of, peek
from postil.corpus.files.streams import Source
from postil.corpus.formats.folders import notes_on
from postil.corpus.formats.format import Format, Head, Reading
from postil.corpus.formats.text import refuse_empty, text_field
from postil.corpus.formats.tree import shown
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

STREAM_ID = "stdin"

_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(source: Source, options: ReadOptions) -> Reading:
    """Read a file as one document, whose id is the name of the file."""
    field = text_field(options, "document")
    refuse_empty(source)
    with source.preview() as stream:
        kind = kind_of(peek(stream), source.name)
    if kind is not None and kind not in READABLE:
        raise CorpusError(f"{source.name}: {refusal(kind)}")
    identity = STREAM_ID if source.path is None else shown(source.path.name)

    def documents(problems: Problems) -> Iterator[Document]:
        try:
            with source.open() as stream:
                text = read_document(stream, source.name, source.name, options.encoding)
        except DocumentError as error:
            problems.report(error, {"id": identity})
            return
        yield Document(identity, {field: text})

    if kind is None:
        return Reading(documents, "the whole file is one text; --format lines reads one a line")
    return Reading(documents, "; ".join([f"{kind.name}, one text", *notes_on([source.name])]))


def read_mailbox(source: Source, options: ReadOptions) -> Reading:
    """Read each mail as a document, whose id is its Message-ID.

    A mail without one, or with that of an earlier mail, is called after its position
    ("mail-17"). Only the mail at hand is in memory.
    """
    field = text_field(options, "mbox")
    refuse_empty(source, blank=b"\r\n")

    def documents(problems: Problems) -> Iterator[Document]:
        seen = SeenIds()
        with source.open() as stream:
            for number, content in enumerate(_mails(stream, source), start=1):
                try:
                    mail = parse_mail(_within_limit(content))
                except UnreadableError as error:
                    problems.report(DocumentError(source.name, f"mail {number}", str(error)))
                    continue
                identity = mail.identity
                is_name = bool(identity) and is_encodable(identity)
                if not is_name or seen.first_position(identity, number) is not None:
                    identity = f"mail-{number}"
                yield Document(identity, {field: mail.text})

    sentence = "; ".join(["a mail a document", *notes_on(["x.mbox"]), "ids from Message-ID"])
    return Reading(documents, sentence)


def _mails(stream: BinaryIO, source: Source) -> Iterator[bytes | None]:
    """Yield the bytes of each mail; None for one that is too long."""
    mail: io.BytesIO | None = None
    size = 0
    after_blank = True
    while line := stream.readline(BUFFER):
        if after_blank and line.startswith(b"From "):
            if mail is not None:
                yield _unquoted(mail, size)
            mail, size = io.BytesIO(), 0
        elif mail is None:
            if line.strip(b"\xef\xbb\xbf\r\n"):
                raise CorpusError(
                    f"{source.name}: is no mailbox, which begins with a line 'From …'; a single "
                    "mail is read from a file .eml"
                )
        else:
            size += len(line)
            if size <= textlines.LONGEST_LINE:
                mail.write(line)
        after_blank = not line.strip(b"\r\n")
    if mail is not None:
        yield _unquoted(mail, size)


def _unquoted(mail: io.BytesIO, size: int) -> bytes | None:
    """Return the mail; a line that begins with From was quoted with a > in the mailbox."""
    if size > textlines.LONGEST_LINE:
        return None
    return _QUOTED_FROM.sub(rb"\1", mail.getvalue())


def _within_limit(mail: bytes | None) -> bytes:
    if mail is None:
        raise UnreadableError(
            f"is longer than {textlines.LONGEST_LINE:,} bytes, the most a document may have; take "
            "it out"
        )
    return mail


def _is_text(head: Head, _: ReadOptions) -> bool:
    return b"\0" not in head.data or head.encoding != "utf-8"


DOCUMENT = Format(
    name="document",
    extensions=(".pdf", ".docx", ".html", ".eml", ".txt"),
    description="a file that is one document: text, PDF, DOCX, HTML or a mail",
    read=read,
    options=frozenset({"encoding", "text_columns"}),
    # The last format to try: any text fits.
    sniff=_is_text,
    write=None,
)
MAILBOX = Format(
    name="mbox",
    extensions=MBOX.extensions,
    description="a mailbox: a mail a document",
    read=read_mailbox,
    options=frozenset({"text_columns"}),
    sniff=lambda head, _: bool(MBOX.begins(head.data)),
    write=None,
)

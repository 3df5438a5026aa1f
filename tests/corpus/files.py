"""Files of the kinds that hold one document, each made with the text it is given."""

from __future__ import annotations

import io
from collections.abc import Callable

import docx


def pdf(*pages: str, trailer: bytes = b"") -> bytes:
    """Return a PDF with a line of ASCII text on each page; an empty text draws nothing."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream".encode("latin-1"))
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return content + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, trailer, len(content))
    )


def docx_file(*paragraphs: str) -> bytes:
    """Return a DOCX."""
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def html(text: str) -> bytes:
    """Return an HTML page with a menu."""
    return f"<html><body><nav>Home</nav><article><p>{text}</p></article></body></html>".encode()


def mail(text: str) -> bytes:
    """Return a mail without a subject."""
    return f"From: a@example.org\nContent-Type: text/plain\n\n{text}\n".encode()


MADE: dict[str, Callable[[str], bytes]] = {
    "txt": str.encode,
    "pdf": pdf,
    "docx": docx_file,
    "html": html,
    "eml": mail,
}
"""By the extension of the file."""

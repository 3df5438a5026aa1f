"""Downloads a file over HTTP, and resumes what an earlier attempt began."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from postil.corpus.named.entry import exists
from postil.errors import FetchError

CHUNK = 1 << 16

LARGEST_FILE = 1 << 32
"""No file of a known corpus comes near this many bytes."""

LONGEST_NUMBER = 18  # digits of a number of bytes

PARTIAL_CONTENT = 206
RANGE_NOT_SATISFIABLE = 416

_HEADERS = {"User-Agent": "postil", "Accept-Encoding": "identity"}

Progress = Callable[[int, int | None], None]
"""Called with the bytes that have arrived, and the total if the server tells it."""


class TransferError(Exception):
    """An address did not give the file; another may."""


def download(url: str, part: Path, *, timeout: float, progress: Progress) -> str:
    """Download the rest of ``url`` to the end of ``part``; return the sha256 of the whole file.

    If the server cannot resume in the middle, the file is downloaded from its beginning. If
    anything interrupts the transfer, Ctrl-C too, ``part`` keeps the bytes that have arrived. A
    file of more bytes than the server announced, or than ``LARGEST_FILE``, is removed. Memory is
    one chunk.
    """
    have = part.stat().st_size if exists(part) else 0
    with _translated(timeout), _request(url, have, timeout) as response:
        if response is None:
            return _digest_of_part(part).hexdigest()
        begin = _first_byte(response) if have else 0
        if begin not in {0, have}:
            part.unlink()
            raise TransferError(f"the server sent bytes from {begin:,} on, not from {have:,}")
        digest = _digest_of_part(part) if begin else hashlib.sha256()
        length = _number(r"(\d+)", response.headers.get("Content-Length"))
        total = None if length is None else begin + length
        most = LARGEST_FILE if total is None else min(total, LARGEST_FILE)
        done = begin
        progress(done, total)
        with _opened(part, "ab" if begin else "wb") as file:
            while done <= most and (chunk := response.read(CHUNK)):
                _write(file, chunk)
                digest.update(chunk)
                done += len(chunk)
                progress(done, total)
    if done > most:
        part.unlink()
        raise TransferError(
            f"more than {most:,} bytes came, so it is another file; nothing of it was kept"
        )
    if total is not None and done < total:
        raise TransferError(f"the transfer broke off after {done:,} of {total:,} bytes")
    return digest.hexdigest()


def _digest_of_part(part: Path) -> hashlib._Hash:
    try:
        with part.open("rb") as file:
            return hashlib.file_digest(file, "sha256")
    except OSError as error:
        raise FetchError(f"{part}: cannot be read ({error.strerror}); remove it") from error


@contextmanager
def _request(url: str, have: int, timeout: float) -> Iterator[HTTPResponse | None]:
    """Request the missing bytes; the response is None if the server says that none are missing."""
    wanted = {"Range": f"bytes={have}-"} if have else {}
    try:
        response = urlopen(Request(url, headers=_HEADERS | wanted), timeout=timeout)
    except HTTPError as error:
        with error:
            if error.code != RANGE_NOT_SATISFIABLE or not have:
                raise
            if _number(r"bytes \*/(\d+)", error.headers.get("Content-Range")) == have:
                yield None
                return
        # The bytes at hand are more than the file has: they are of another file.
        response = urlopen(Request(url, headers=_HEADERS), timeout=timeout)
    with response:
        yield response


def _number(pattern: str, header: str | None) -> int | None:
    """Return the number in a header, None if it has another form or is absurdly long."""
    found = re.fullmatch(pattern, header or "")
    return int(found[1]) if found and len(found[1]) <= LONGEST_NUMBER else None


def _first_byte(response: HTTPResponse) -> int:
    if response.status != PARTIAL_CONTENT:
        return 0
    return _number(r"bytes (\d+)-.*", response.headers.get("Content-Range")) or 0


@contextmanager
def _translated(timeout: float) -> Iterator[None]:
    try:
        yield
    except HTTPError as error:
        raise TransferError(f"the server answered {error.code} {error.reason}") from error
    except FetchError:
        raise
    except (OSError, HTTPException) as error:
        # urllib wraps some errors of the connection in a URLError, and passes others on.
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise TransferError(f"no answer within {timeout:g} seconds") from error
        if isinstance(error, URLError):
            raise TransferError(f"cannot be reached ({reason})") from error
        raise TransferError(f"the connection failed ({error or type(error).__name__})") from error


def _opened(part: Path, mode: str) -> BinaryIO:
    try:
        return part.open(mode)  # type: ignore[return-value]
    except OSError as error:
        raise _unwritable(part, error) from error


def _write(file: BinaryIO, chunk: bytes) -> None:
    try:
        file.write(chunk)
    except OSError as error:
        raise _unwritable(Path(file.name), error) from error


def _unwritable(part: Path, error: OSError) -> FetchError:
    return FetchError(
        f"{part}: cannot be written ({error.strerror}); make room, or set POSTIL_DATA"
    )

"""One file over HTTP, going on where an earlier attempt stopped."""

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

from postil.corpus.named.distributions import is_there
from postil.errors import FetchError

CHUNK = 1 << 16

LARGEST_FILE = 1 << 32
"""No file of a known corpus comes near this many bytes."""

LONGEST_NUMBER = 18  # digits of a number of bytes

PARTIAL_CONTENT = 206
RANGE_NOT_SATISFIABLE = 416

_HEADERS = {"User-Agent": "postil", "Accept-Encoding": "identity"}

Progress = Callable[[int, int | None], None]
"""Is told the bytes that are here, and how many there will be where the server says."""


class TransferError(Exception):
    """An address did not give the file; another may."""


def download(url: str, part: Path, *, timeout: float, progress: Progress) -> str:
    """Fetch ``url`` into ``part``, going on at its end, and return the sha256 of it all.

    A server that cannot go on in the middle sends the file from its beginning, and it is taken
    from there. Whatever interrupts the transfer, Ctrl-C too, ``part`` keeps what has arrived.
    Of a file that has more bytes than the server said, or than ``LARGEST_FILE``, nothing is
    kept. The sum is taken while the bytes pass; memory is one chunk.
    """
    have = part.stat().st_size if is_there(part) else 0
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


def sha256_of(path: Path) -> str:
    """Take the sum of a file's bytes."""
    return _digest(path).hexdigest()


def _digest(path: Path) -> hashlib._Hash:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")


def _digest_of_part(part: Path) -> hashlib._Hash:
    try:
        return _digest(part)
    except OSError as error:
        raise FetchError(f"{part}: cannot be read ({error.strerror}); remove it") from error


@contextmanager
def _request(url: str, have: int, timeout: float) -> Iterator[HTTPResponse | None]:
    """Ask for what is missing; ``None`` where the server says that nothing is."""
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
        # What is here is longer than the file: it is something else.
        response = urlopen(Request(url, headers=_HEADERS), timeout=timeout)
    with response:
        yield response


def _number(pattern: str, header: str | None) -> int | None:
    """Return the number in a header; ``None`` where it is not of that form, or absurdly long."""
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
    except TimeoutError as error:
        raise TransferError(f"no answer within {timeout:g} seconds") from error
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise TransferError(f"no answer within {timeout:g} seconds") from error
        raise TransferError(f"cannot be reached ({error.reason})") from error
    except FetchError:
        raise
    except (OSError, HTTPException) as error:
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

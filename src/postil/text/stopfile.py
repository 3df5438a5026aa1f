"""A user's own stop list, from a file."""

from __future__ import annotations

import re
from pathlib import Path

from postil.errors import InputError, UsageError

# A mark inside a word, as in c#, opens no comment.
_COMMENT = re.compile(r"(?:^|\s)[#|].*")


def read_stop_file(path: str) -> frozenset[str]:
    """Read the words of a UTF-8 file: one or more on a line, comments after ``#`` or ``|``."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(
            f"stop(file:{path}): the file cannot be read ({error.strerror}); "
            "check the path, which is relative to the working folder"
        ) from None
    words: set[str] = set()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        words.update(_COMMENT.sub("", _decode(path, number, line)).split())
    if not words:
        raise InputError(f"{path}: a stop list must hold at least one word; this file holds none")
    return frozenset(words)


def _decode(path: str, number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {number}: a stop list must be UTF-8, and byte "
            f"0x{line[error.start]:02x} in column {error.start + 1} is not; convert the file"
        ) from None

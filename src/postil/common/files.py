"""Output files and folders that appear under their name only when they are complete."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from postil.common.compression import BUFFER, codec_of_name
from postil.errors import UsageError

try:
    import fcntl
except ImportError:  # Windows, where leftovers stay
    fcntl = None  # type: ignore[assignment]

STDOUT = "-"


@contextmanager
def output_file(target: str | Path) -> Iterator[BinaryIO]:
    """Open ``target`` for writing bytes; ``-`` is standard output.

    A name that ends in .gz or .zst is compressed. A file is written beside its target under a
    temporary name and renamed at the end; an error or Ctrl-C leaves the target unchanged and
    nothing else behind. The next write to the same target removes what a killed process left
    behind. Pipes and devices are written directly.
    """
    if str(target) == STDOUT:
        if sys.stdout is None:
            raise UsageError("standard output is closed; name a file, or leave it open")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = _resolved(target)
    if path.is_dir():
        raise UsageError(f"{target}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        with path.open("wb") as stream, _compressed(stream, path) as compressed:
            yield compressed
        return
    with _temporary(path, folder=False, target=target) as temporary:
        with temporary.open("wb") as file:
            with _compressed(file, path) as compressed:
                yield compressed
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)


@contextmanager
def output_folder(target: str | Path) -> Iterator[Path]:
    """Make a new folder to write into, and rename it to ``target`` at the end.

    ``target`` must not exist yet, or be an empty folder: documents of two corpora never mix.
    """
    if str(target) == STDOUT:
        raise UsageError("a folder cannot be written to standard output; name a folder")
    path = _resolved(target)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{target}: exists and is not an empty folder; name a new one")
    with _temporary(path, folder=True, target=target) as temporary:
        yield temporary
        temporary.replace(path)


@contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside ``target``, on the same disk, and remove it afterwards."""
    with _temporary(target, folder=True) as temporary:
        yield temporary


def _resolved(target: str | Path) -> Path:
    # A link is followed: the file it points to is replaced, not the link.
    try:
        path = Path(os.path.realpath(target))
    except ValueError as error:  # a NUL or a lone surrogate
        raise UsageError(f"{str(target)!r}: is not the name of a file ({error})") from error
    if not path.parent.is_dir():
        raise UsageError(f"{target}: the folder {path.parent} does not exist; make it first")
    return path


@contextmanager
def _temporary(path: Path, *, folder: bool, target: str | Path | None = None) -> Iterator[Path]:
    """Create a temporary file or folder beside ``path``, locked, and remove it at the end.

    A killed process cannot remove its own, but its lock ends with it: temporary files of the
    same ``path`` that can be locked are leftovers, and are removed first. With ``target``, a
    file or folder that cannot be created is a ``UsageError`` about it.
    """
    _remove_leftovers(path)
    try:
        temporary, lock = _create_locked(path, folder)
    except OSError as error:
        if target is None:
            raise
        raise UsageError(f"{target}: cannot be written ({error.strerror})") from error
    try:
        yield temporary
    finally:
        _remove(temporary)
        if lock is not None:
            os.close(lock)


def _create_locked(path: Path, folder: bool) -> tuple[Path, int | None]:
    """Create and lock a temporary file or folder; the lock is None where there are no locks."""
    while True:
        temporary = path.with_name(f"{_prefix(path)}{os.urandom(4).hex()}.part")
        if folder:
            temporary.mkdir()
        else:
            temporary.open("xb").close()
        try:
            return temporary, _lock(temporary)
        except (BlockingIOError, FileNotFoundError):
            continue  # another process took it for a leftover before it was locked
        except OSError:
            return temporary, None


def _remove_leftovers(path: Path) -> None:
    leftover = re.compile(re.escape(_prefix(path)) + r"[0-9a-f]{8}\.part")
    with suppress(OSError):
        for beside in path.parent.iterdir():
            if leftover.fullmatch(beside.name):
                with suppress(OSError):
                    lock = _lock(beside)
                    _remove(beside)
                    os.close(lock)


def _prefix(path: Path) -> str:
    return f".{path.name[:100]}."


def _lock(path: Path) -> int:
    """Open and lock a file or folder without waiting; the lock ends when it is closed."""
    if fcntl is None:
        raise OSError(0, "this system has no file locks")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.lstat()  # it may have been removed before it was locked
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


@contextmanager
def _compressed(stream: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    codec = codec_of_name(path.name)
    if codec is None:
        yield stream
        return
    # Compressors are slow with small pieces, so lines are gathered first.
    with codec.compressing(stream) as compressed:
        buffered = io.BufferedWriter(compressed, BUFFER)
        try:
            yield buffered
        finally:
            buffered.detach()

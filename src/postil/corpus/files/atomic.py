"""Where bytes go to: standard output, or a file or folder that appears only when complete."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from postil.corpus.files.compression import BUFFER, codec_of_name
from postil.errors import UsageError

STDOUT = "-"


@contextmanager
def output_file(target: str | Path) -> Iterator[BinaryIO]:
    """Open ``target`` for writing bytes; ``-`` is standard output.

    A name that ends in .gz or .zst is compressed. A file is written beside its target under a
    temporary name and renamed over it at the end; an error or Ctrl-C leaves the target as it
    was and nothing else behind. Pipes and devices are written directly.
    """
    if str(target) == STDOUT:
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
    temporary = _beside(path)
    try:
        with _create(temporary, target) as file:
            with _compressed(file, path) as compressed:
                yield compressed
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def output_folder(target: str | Path) -> Iterator[Path]:
    """Make a new folder to write into, renamed to ``target`` at the end.

    ``target`` must not exist yet, or be an empty folder: documents of two corpora never mix.
    """
    if str(target) == STDOUT:
        raise UsageError("a folder cannot be written to standard output; name a folder")
    path = _resolved(target)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{target}: exists and is not an empty folder; name a new one")
    temporary = _beside(path)
    try:
        temporary.mkdir()
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _resolved(target: str | Path) -> Path:
    # A link is followed: the file it points to is replaced, not the link.
    path = Path(os.path.realpath(target))
    if not path.parent.is_dir():
        raise UsageError(f"{target}: the folder {path.parent} does not exist; make it first")
    return path


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.part")


def _create(temporary: Path, target: str | Path) -> BinaryIO:
    try:
        return temporary.open("xb")
    except OSError as error:
        raise _unwritable(target, error) from error


def _unwritable(target: str | Path, error: OSError) -> UsageError:
    return UsageError(f"{target}: cannot be written ({error.strerror})")


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

"""Failures told with the name of the file, and, where that can be known, before the work."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.errors import UsageError

STREAM = "-"


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Give an error of the system the name of the file it is about, if it has none."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our output has seen enough: no fault of the file
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(name)
        raise


def file_named(name: str) -> Path:
    """The file that an option names; a name with a slash at its end is that of a folder."""
    if name.endswith(("/", os.sep)):
        raise UsageError(f"{name}: is the name of a folder; name a file in it")
    return Path(name)


def check_output(target: str | Path, *inputs: str | Path | None) -> None:
    """Refuse a file that could not be written, or that is read, before any work.

    ``inputs`` are the files, folders and corpora that the command reads; ``None`` is none of
    them, ``-`` standard input or output.
    """
    if str(target) == STREAM:
        return
    keep_inputs(target, *inputs)
    file_named(str(target))
    path = Path(os.path.realpath(target))
    if not path.parent.is_dir():
        raise UsageError(f"{target}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise UsageError(f"{target}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        return  # a pipe or a device
    try:
        # The folder is what counts: a new file takes the place of an old one.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UsageError(
            f"{target}: cannot be written ({error.strerror}); name a file in a folder of yours"
        ) from None


def keep_inputs(target: str | Path, *inputs: str | Path | None) -> None:
    """Refuse a target that is one of the inputs, by whatever name, or that lies in one."""
    try:
        old = Path(target).stat()
    except (OSError, ValueError):
        return  # there is nothing to lose
    if str(target) == STREAM or not stat.S_ISREG(old.st_mode):
        return  # pipes and devices are not replaced; folders are refused by who writes them
    for given in inputs:
        if given is None:
            continue
        if _same(old, given):
            raise UsageError(
                f"{target}: is read by this command, and its output would take its place; name "
                "another file"
            )
        if _holds(given, target):
            raise UsageError(
                f"{target}: is a file in {given}, which is read by this command, and its output "
                "would take its place; name a file outside"
            )


def _same(old: os.stat_result, given: str | Path) -> bool:
    try:
        if given == STREAM:
            return os.path.samestat(old, os.fstat(sys.stdin.fileno()))
        return not _is_corpus(given) and os.path.samestat(old, Path(given).stat())
    except (OSError, ValueError):
        return False  # absent: who reads it will say so


def _holds(given: str | Path, target: str | Path) -> bool:
    if given == STREAM or _is_corpus(given) or not Path(given).is_dir():
        return False
    return Path(os.path.realpath(target)).is_relative_to(os.path.realpath(given))


def _is_corpus(given: str | Path) -> bool:
    from postil.corpus.named.registry import NAMES

    return isinstance(given, str) and given in NAMES


def check_model_output(target: Path, *inputs: str | Path | None) -> None:
    """Refuse a model file that could not be written, before anything is learned."""
    from postil.common.compression import codec_of_name

    if str(target) == STREAM:
        raise UsageError(
            "-: a model is not written to standard output, where the report goes; name a file"
        )
    check_output(target, *inputs)
    if codec_of_name(target.name) is not None:
        raise UsageError(
            f"{target}: a model is mapped into memory and cannot be compressed; name it .postil"
        )

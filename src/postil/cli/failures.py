"""Failures told with the name of the file, and, where that can be known, before the work."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.errors import UsageError


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


def check_output(target: Path) -> None:
    """Refuse a file that could not be written, before the work that would go into it."""
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


def check_model_output(target: Path) -> None:
    """Refuse a model file that could not be written, before anything is learned."""
    from postil.corpus.files.compression import codec_of_name

    check_output(target)
    if codec_of_name(target.name) is not None:
        raise UsageError(
            f"{target}: a model is mapped into memory and cannot be compressed; name it .postil"
        )

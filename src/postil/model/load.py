"""Reading a model from its file.

Nothing in a file is executed, and nothing is believed: first the container is checked, then the
checksum of everything, then each part of the model against all others.
"""

from __future__ import annotations

import mmap
import os
import stat
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from postil import __version__
from postil.common.threads import thread_count
from postil.errors import ModelFileError, PostilError
from postil.model.container import Buffer, foreign, read_header, read_tensors, tensor_checksum
from postil.model.model import Model
from postil.model.tensors import Arrays
from postil.model.versions import Reader, checked_metadata, manifest_of, reader_of

# What parts of a model raise when they are put together of what does not fit.
_MISFITS = (PostilError, ValueError, TypeError, LookupError, ArithmeticError)


def load_model(path: str | Path, *, threads: int | None = None) -> Model:
    """Read a model; ``threads`` is for its vectorizer.

    The file is mapped, not read: weights stay in it, shared by every process that has it open.
    So it must not be changed in place (``save_model`` never does: it puts a new file under the
    name); saving or updating a model whose file was is refused. Costs a pass over the file for
    its checksums, at 1.6 GB/s if it is in memory already, another over the weights, and a
    microsecond for each term of the vocabulary.
    """
    wanted = thread_count(threads)
    with _named(path):
        file = _mapped(Path(path))
        model = _model(file.buffer, wanted)
    object.__setattr__(model, "file", file)
    return model


def model_from_bytes(
    content: bytes | memoryview, *, name: str = "<bytes>", threads: int | None = None
) -> Model:
    """Read a model from the bytes of its file, which it shares; ``name`` stands in errors."""
    wanted = thread_count(threads)
    with _named(name):
        return _model(content, wanted)


@contextmanager
def _named(source: str | Path) -> Iterator[None]:
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{source}: {error}") from error.__cause__


class MappedFile:
    """A model file that is mapped into memory, and its state when it was mapped.

    Writing into such a file changes the arrays of every model that was loaded from it. The file
    stays open, so that it is known whatever becomes of its name.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path.absolute()
        self._descriptor = os.dup(descriptor)
        weakref.finalize(self, os.close, self._descriptor)
        self._state = self._current_state()
        self.buffer = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)

    def check_unchanged(self) -> None:
        """Refuse the file, and so the model, if it was written into since it was loaded.

        Costs a pass over the file where its times have changed: a link or a new name is no harm.
        """
        state = self._current_state()
        if state == self._state:
            return
        if state[0] >= len(self.buffer):  # of a shorter file the pages are gone
            with suppress(ModelFileError):
                _verified(self.buffer)
                self._state = state
                return
        raise ModelFileError(
            f"{self.path}: was written into after the model was loaded from it, and the model is "
            "damaged by that; load it again, and replace model files by renaming (mv), not by "
            "copying over them (cp)"
        )

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Pickle as None: the arrays of a copied model are its own."""
        return type(None), ()

    def _current_state(self) -> tuple[int, int, int]:
        """Return size and times of the file; only the last cannot be set by a user."""
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _mapped(path: Path) -> MappedFile:
    with _readable():
        status = path.stat()
    # Looked at before opening, which would wait for ever at a pipe.
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise ModelFileError(f"is {what}; name a file that postil train wrote")
    if status.st_size == 0:
        raise ModelFileError("is empty; copy it again or train the model again")
    with _readable(), path.open("rb") as file:
        return MappedFile(path, file.fileno())


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ModelFileError("there is no such file") from None
    except OSError as error:
        raise ModelFileError(f"cannot be read ({error.strerror})") from error
    except ValueError as error:  # a name with a NUL, or a file that was emptied meanwhile
        raise ModelFileError(f"cannot be read ({error})") from error


def _model(buffer: Buffer, threads: int) -> Model:
    if len(buffer) == 0:
        raise foreign("it is empty")
    return _put_together(*_verified(buffer), threads)


def _verified(buffer: Buffer) -> tuple[Reader, dict[str, Any], Arrays]:
    """Return what a file holds, after all of it matched its checksums."""
    header = read_header(buffer)
    metadata = checked_metadata(header.metadata)
    reader = reader_of(metadata.format_version)
    arrays = read_tensors(buffer, header)
    manifest = manifest_of(metadata)
    _verify(arrays, manifest.pop("checksums"))
    return reader, manifest, arrays


def _verify(arrays: Arrays, checksums: dict[str, Any]) -> None:
    if arrays.keys() != checksums.keys():
        name = min(arrays.keys() ^ checksums.keys())
        raise ModelFileError(
            f"is damaged (tensors and checksums differ in {name!r}); copy it again"
        )
    for name, array in arrays.items():
        if tensor_checksum(name, array) != checksums[name]:
            raise ModelFileError(
                f"is damaged (the tensor {name!r} does not match its checksum); copy it again"
            )


def _put_together(reader: Reader, manifest: dict[str, Any], arrays: Arrays, threads: int) -> Model:
    try:
        return reader(manifest, arrays, threads)
    except _MISFITS as error:
        # The bytes are as they were written: it was another postil, or somebody else, who did.
        raise ModelFileError(
            f"cannot be used by postil {__version__}; it says it was written by "
            f"{manifest.get('created_by')!r} ({error}); use that version, or train the model again"
        ) from error

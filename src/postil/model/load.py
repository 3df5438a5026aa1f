"""Read a model from its file.

Nothing in a file is executed or trusted: first the container is checked, then all checksums, then
each part of the model against all others.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from postil import __version__
from postil.common.threads import thread_count
from postil.errors import InputError, ModelFileError, PostilError
from postil.model.container import (
    FORMAT,
    FORMAT_VERSION,
    Arrays,
    Buffer,
    Metadata,
    damaged,
    foreign,
    from_text,
    read_header,
    read_tensors,
    tensor_checksum,
    text_checksum,
)
from postil.model.model import Model
from postil.model.parts import from_parts

# The errors of parts of a model that do not fit together.
_MISFITS = (PostilError, ValueError, TypeError, LookupError, ArithmeticError)
_VERSION = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def load_model(path: str | Path, *, threads: int | None = None) -> Model:
    """Read a model.

    The file is mapped, not read: weights stay in it, shared by every process that has it open. So
    it must not be changed in place; ``save_model`` never does, it puts a new file under the name.
    A model whose file was changed in place cannot be saved or updated. Costs a pass over the file
    for its checksums, at 1.6 GB/s if it is in memory already, another over the weights, and a
    microsecond for each term of the vocabulary.

    Parameters
    ----------
    path
        The model file.
    threads
        The number of threads of its vectorizer; by default the cores of the machine.
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
    """Read a model from the bytes of its file, which it shares; errors call it ``name``."""
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
    stays open, so that it can be checked after it was renamed or removed.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path.absolute()
        self._descriptor = os.dup(descriptor)
        weakref.finalize(self, os.close, self._descriptor)
        self._state = self._current_state()
        self.buffer = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)

    def check_unchanged(self) -> None:
        """Raise ModelFileError if the file was written into since it was loaded.

        Costs a pass over the file where its times have changed, as a link or a new name does.
        """
        state = self._current_state()
        if state == self._state:
            return
        if state[0] >= len(self.buffer):  # a shorter file has lost pages
            with suppress(ModelFileError):
                _verified(self.buffer)
                self._state = state
                return
        raise ModelFileError(
            f"{self.path}: was written into after the model was loaded from it, which damages the "
            "model; load it again, and replace model files by renaming (mv), not by copying over "
            "them (cp)"
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
    # Checked before opening, which would wait for ever at a pipe.
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise ModelFileError(f"is {what}; name a file that postil train wrote")
    if status.st_size == 0:
        raise ModelFileError("the file is empty; copy it again or train the model again")
    with _readable(), path.open("rb") as file:
        return MappedFile(path, file.fileno())


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ModelFileError(
            "the file does not exist; check the path, or write a model with postil train"
        ) from None
    except OSError as error:
        raise ModelFileError(f"the file cannot be read ({error.strerror})") from error
    except ValueError as error:  # a name with a NUL, or a file emptied meanwhile
        raise ModelFileError(f"the file cannot be read ({error})") from error


def _model(buffer: Buffer, threads: int) -> Model:
    if len(buffer) == 0:
        raise foreign("it is empty")
    manifest, arrays = _verified(buffer)
    try:
        return from_parts(manifest, arrays, threads)
    except _MISFITS as error:
        # The checksums are right, so another postil or another program wrote these contents.
        raise ModelFileError(
            f"cannot be used by postil {__version__}; it says it was written by "
            f"{manifest.get('created_by')!r} ({error}); use that version, or train the model again"
        ) from error


def _verified(buffer: Buffer) -> tuple[dict[str, Any], Arrays]:
    """Return the manifest and the arrays of a file after checking all checksums."""
    header = read_header(buffer)
    metadata = _checked_metadata(header.metadata)
    arrays = read_tensors(buffer, header)
    manifest = _manifest(metadata)
    checksums = manifest.pop("checksums")
    if arrays.keys() != checksums.keys():
        name = min(arrays.keys() ^ checksums.keys())
        raise damaged(f"tensors and checksums differ in {name!r}")
    for name, array in arrays.items():
        if tensor_checksum(name, array) != checksums[name]:
            raise damaged(f"the tensor {name!r} does not match its checksum")
    return manifest, arrays


def _checked_metadata(found: dict[str, str]) -> Metadata:
    if found.get("format") != FORMAT:
        raise foreign("it is a safetensors file of another program")
    version = found.get("format_version", "")
    if not _VERSION.fullmatch(version):
        raise damaged(f"format version {version!r}", "the file has a damaged header")
    if int(version) != FORMAT_VERSION:
        raise ModelFileError(
            f"was written by a newer postil, in format version {version}; this postil "
            f"({__version__}) reads version {FORMAT_VERSION}: upgrade postil"
        )
    if found.keys() != set(Metadata._fields):
        raise damaged("its metadata are not complete", "the file has a damaged header")
    return Metadata(**found)


def _manifest(metadata: Metadata) -> dict[str, Any]:
    if text_checksum(metadata.manifest) != metadata.checksum:
        raise damaged("its manifest does not match its checksum")
    try:
        manifest = from_text(metadata.manifest)
    except (InputError, ValueError) as error:  # a number may have too many digits for Python
        raise ModelFileError(
            f"has a manifest that cannot be read ({error}); train the model again"
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("checksums"), dict):
        raise ModelFileError("has a manifest without checksums; train the model again")
    return manifest

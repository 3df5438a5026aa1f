"""Write a model to its file, and lock the file for an update."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from postil.common.compression import codec_of_name
from postil.common.files import output_file
from postil.errors import UsageError
from postil.model import container
from postil.model.container import (
    FORMAT,
    FORMAT_VERSION,
    HeaderTooLongError,
    Metadata,
    pack,
    tensor_checksum,
    text_checksum,
    to_text,
)
from postil.model.model import Model
from postil.model.parts import to_parts
from postil.model.stored import Parts

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Bytes of a header for everything but names and the reports of single categories.
OTHER_BYTES = 1 << 20

Notify = Callable[[str], None]


class LeftOutWarning(UserWarning):
    """A model file has no room for the reports of single categories."""


def check_names_fit(names: Iterable[str]) -> None:
    """Raise UsageError if the names of categories do not fit into a model file."""
    size = len(to_text(to_text(list(names))))  # as they are written: JSON within JSON
    room = container.LONGEST_HEADER - OTHER_BYTES
    if size > room:
        raise UsageError(
            f"the names of the categories take {size} bytes, and a model file has room for {room}; "
            "use fewer categories or shorter names"
        )


def save_model(model: Model, path: str | Path) -> None:
    """Write a model; the file appears under its name only when it is complete and on disk.

    An error or Ctrl-C leaves the file that was there before. The same model gives the same bytes
    on every machine. A model whose own file was written into since it was loaded is refused: new
    checksums would call it sound. Costs two passes over the arrays, one for their checksums.
    """
    if codec_of_name(Path(path).name) is not None:
        raise UsageError(
            f"{path}: a model is mapped into memory and cannot be compressed; name it .postil"
        )
    pieces = packed_model(model)
    with output_file(path) as stream:
        for piece in pieces:
            stream.write(piece)
        model.check_file_unchanged()  # nor while it was read: an error here leaves no file


def model_to_bytes(model: Model) -> bytes:
    """Return the bytes of a model's file; equal for equal models."""
    return b"".join(packed_model(model))


def packed_model(model: Model) -> list[bytes | memoryview]:
    """Return the bytes of a model's file in pieces."""
    model.check_file_unchanged()
    return packed(to_parts(model))


def packed(parts: Parts) -> list[bytes | memoryview]:
    """Return the bytes of a model's file in pieces, the first two being its header.

    Where the header would be too long, it is written without the reports and search results of
    single categories.
    """
    try:
        return _packed(parts)
    except HeaderTooLongError:
        method = dict(parts.settings["method"])
        if isinstance(method.get("search"), dict):
            method["search"] = {**method["search"], "categories": None}
        shorter = {**parts.settings, "reports": [], "method": method}
        if shorter == parts.settings:
            raise
    pieces = _packed(Parts(shorter, parts.arrays))
    warnings.warn(
        f"the model file has no room for the reports of {len(parts.settings['names'])} categories "
        "and is written without them",
        LeftOutWarning,
        stacklevel=4,
    )
    return pieces


def _packed(parts: Parts) -> list[bytes | memoryview]:
    settings, arrays = parts
    checksums = {name: tensor_checksum(name, array) for name, array in arrays.items()}
    manifest = to_text({**settings, "checksums": checksums})
    metadata = Metadata(
        format=FORMAT,
        format_version=str(FORMAT_VERSION),
        checksum=text_checksum(manifest),
        manifest=manifest,
    )
    return pack(metadata._asdict(), arrays)


@contextmanager
def locked_model(path: str | Path, notify: Notify) -> Iterator[None]:
    """Hold the lock of the model file ``path``: load, change and save it inside.

    The lock is on the file itself, so that no lock file is left behind, and it ends with the
    process. It only keeps updates apart: reading a model needs no lock. A file that cannot be
    opened is not locked, and loading it raises the error.

    Parameters
    ----------
    path
        The model file.
    notify
        Called with a sentence while another update holds the lock, or if the system has no locks.
    """
    try:
        file = _locked(Path(path), notify)
    except OSError as error:
        notify(f"{path}: cannot be locked ({error.strerror}); run one update of it at a time")
        file = None
    try:
        yield
    finally:
        if file is not None:
            os.close(file)


def _locked(path: Path, notify: Notify) -> int | None:
    """Return the open, locked file that ``path`` names; None if there is no regular file."""
    if not path.is_file():
        return None
    if fcntl is None:
        raise OSError(0, "this system has no file locks")
    note = f"{path}: another update of this model is under way; waiting for it to end"
    while True:
        file = os.open(path, os.O_RDONLY)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if note:
                    notify(note)
                    note = ""  # notify once
                fcntl.flock(file, fcntl.LOCK_EX)
            # A save puts a new file under the name, and the lock of the old file protects nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), path.stat()):
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)

"""Keep a model file to one update at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Tell = Callable[[str], None]


@contextmanager
def locked_model(path: str | Path, tell: Tell) -> Iterator[None]:
    """Hold the lock of the model file under ``path``: load, change and save it inside.

    Whoever else holds it is waited for, after ``tell`` has said so. The lock is on the file
    itself, so that none is left beside it, and ends with the process whatever happens. Only those
    who ask for it heed it; reading a model needs no lock. Where the system has no locks, ``tell``
    says that nothing keeps updates apart. A file that cannot be opened is left to who loads it.
    """
    try:
        file = _locked(Path(path), tell)
    except OSError as error:
        tell(f"{path}: cannot be locked ({error.strerror}); run one update of it at a time")
        file = None
    try:
        yield
    finally:
        if file is not None:
            os.close(file)


def _locked(path: Path, tell: Tell) -> int | None:
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
                    tell(note)
                    note = ""  # said once
                fcntl.flock(file, fcntl.LOCK_EX)
            # A save puts a new file under the name: the lock of the old one is then worth nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), path.stat()):
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)

"""Many files in one place: a folder, or a tar archive that is read as a stream."""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from postil.corpus.files.streams import Source
from postil.errors import CorpusError, DocumentError

CHUNK = 1 << 16
LARGEST_DOCUMENT = 1 << 26
"""No document of the collections read here comes near this many bytes."""
LARGEST_HEADER = 1 << 20

# The headers that tarfile reads as a whole: names and attributes of the member that follows.
_LONG_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive; it can be read until the next is asked for.

    ``place`` is the folder or archive and ``name`` the path in it, with slashes; messages are
    headed by the two.
    """

    place: str
    name: str
    opener: Callable[[], IO[bytes]]

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders on the way to the file, and the file's own name."""
        return tuple(self.name.split("/"))

    def chunks(self, size: int) -> Iterator[bytes]:
        """Yield the bytes, at most ``size`` at a time.

        A file that cannot be read is a ``DocumentError``, an archive that is damaged here a
        ``CorpusError``.
        """
        try:
            with self.opener() as stream:
                while chunk := stream.read(size):
                    yield chunk
        except OSError as error:
            raise self.error(f"cannot be read ({error.strerror or error})") from error
        except tarfile.TarError as error:
            raise _damaged(self.place, self.name, error) from error

    def read(self) -> bytes:
        """Read all of a file that is one document."""
        content = bytearray()
        for chunk in self.chunks(CHUNK):
            content += chunk
            if len(content) > LARGEST_DOCUMENT:
                raise self.error(f"has more than {LARGEST_DOCUMENT:,} bytes; take it out")
        return bytes(content)

    def error(self, message: str, line: int | None = None) -> DocumentError:
        """Make a ``DocumentError`` about this file."""
        position = self.name if line is None else f"{self.name} line {line}"
        return DocumentError(self.place, position, message)


def members(path: Path) -> Iterator[Member]:
    """Every file of a folder (by name) or of a tar archive, plain or compressed (in its order).

    Nothing is unpacked to disk, and only the file at hand is in memory. A damaged or truncated
    archive is a ``CorpusError`` where the damage is reached, never a short corpus.
    """
    source = Source(path)
    return _folder_members(path) if source.is_folder else _tar_members(source)


def _folder_members(folder: Path) -> Iterator[Member]:
    for place, folders, files in os.walk(folder, onerror=_unreadable_folder):
        folders.sort()
        for file in sorted(files):
            path = Path(place, file)
            name = _plain_name(path.relative_to(folder).as_posix())
            if not _is_hidden(name):
                yield Member(str(folder), name, _opener(path))


def _unreadable_folder(error: OSError) -> None:
    raise CorpusError(f"{error.filename}: cannot be read ({error.strerror})") from error


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    def open_file() -> IO[bytes]:
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(0, "it is a pipe or a device; take it out")
        return path.open("rb")

    return open_file


class _StrictInfo(tarfile.TarInfo):
    """A header that is damaged or too large is an error.

    tarfile alone would take a damaged one for the end, and read any size into memory.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _StrictInfo:
        try:
            info = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf and buf.count(0) != len(buf):
                raise tarfile.ReadError(str(error)) from error
            raise
        if info.type in _LONG_HEADERS and info.size > LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {info.size:,} bytes")
        return info


def _tar_members(source: Source) -> Iterator[Member]:
    name = "its beginning"
    with source.open() as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictInfo) as archive:
                while (info := archive.next()) is not None:
                    name = _plain_name(info.name)
                    # The archive object remembers every member it has met, unless told to forget.
                    archive.members = []  # type: ignore[attr-defined]
                    if not info.isdir() and not _is_hidden(name):
                        yield Member(source.name, name, _extractor(archive, info))
        except tarfile.TarError as error:
            raise _damaged(source.name, name, error) from error


def _damaged(place: str, name: str, error: tarfile.TarError) -> CorpusError:
    return CorpusError(
        f"{place}: not a tar archive, or damaged, at {name} ({error}); get the file again"
    )


def _plain_name(name: str) -> str:
    # Names that are not UTF-8 come with lone surrogates, which no output could carry.
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return readable.removeprefix("./")


def _is_hidden(name: str) -> bool:
    # What file managers leave behind (.DS_Store, ._name) is never a document.
    return name.rpartition("/")[2].startswith(".")


def _extractor(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def extract() -> IO[bytes]:
        content = archive.extractfile(info) if info.isfile() else None
        if content is None:
            raise OSError(0, "it is a link or a device; unpack the archive and name the folder")
        return content

    return extract

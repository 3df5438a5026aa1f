"""Files of a folder, or of a tar or zip archive, read one by one; text of old collections."""

from __future__ import annotations

import io
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from postil.common.compression import BUFFER, decompressed, without_compression_suffix
from postil.corpus.document import Problems
from postil.corpus.files.kinds import TAR, ZIPPED, kind_of, peek
from postil.corpus.files.streams import Source
from postil.errors import CorpusError, DocumentError

LARGEST_DOCUMENT = 1 << 26
"""No document of the collections read here comes near this many bytes."""
LONGEST_LINE = 1 << 24
"""A longer line comes in pieces: no input can fill the memory."""
LARGEST_HEADER = 1 << 20

# The headers that tarfile reads as a whole: names and attributes of the member that follows.
_LONG_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
# Errors of a damaged zip archive, and of a file in it that is encrypted or oddly compressed.
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)
_ENCRYPTED = 1
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive, which can be read until the next one is requested.

    ``place`` is the folder or archive and ``name`` the path in it, with slashes; messages begin
    with both. ``size`` is that which an archive gives.
    """

    place: str
    name: str
    opener: Callable[[], IO[bytes]]
    size: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders on the way to the file, and the file's own name."""
        return tuple(self.name.split("/"))

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        """Open the file.

        A file that cannot be read is a ``DocumentError``, damage of the archive inside the file a
        ``CorpusError``.
        """
        with self.reading(), self.opener() as stream:
            yield stream

    def reading(self) -> AbstractContextManager[None]:
        """Return a context in which errors of reading the file are errors of ours."""
        return _reading(self)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file, decompressed if it is gzip or zstd."""
        with self._open() as stream:
            buffered = io.BufferedReader(cast(io.RawIOBase, stream), BUFFER)
            with decompressed(cast(BinaryIO, buffered), str(Path(self.place, self.name))) as plain:
                yield plain

    def chunks(self, size: int) -> Iterator[bytes]:
        """Yield the bytes, at most ``size`` at a time."""
        with self._open() as stream:
            while chunk := stream.read(size):
                yield chunk

    def lines(self) -> Iterator[bytes]:
        """Yield the lines with their ends, decompressed if the file is gzip or zstd."""
        with self.open() as plain:
            yield from iter(partial(plain.readline, LONGEST_LINE), b"")

    def read(self) -> bytes:
        """Return all bytes of a file that is one document."""
        with self._open() as stream:
            content = stream.read(LARGEST_DOCUMENT + 1)
        if len(content) > LARGEST_DOCUMENT:
            raise self.error(f"has more than {LARGEST_DOCUMENT:,} bytes; take it out")
        return content

    def error(self, message: str, line: int | None = None) -> DocumentError:
        """Return a ``DocumentError`` about this file."""
        position = self.name if line is None else f"{self.name} line {line}"
        return DocumentError(self.place, position, message)


@contextmanager
def _reading(member: Member) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise member.error(f"cannot be read ({error.strerror or error})") from error
    except tarfile.TarError as error:
        raise _damaged(member.place, member.name, error) from error
    except _ZIP_ERRORS as error:
        raise member.error(
            f"cannot be read ({error}); take it out, or make the zip again"
        ) from error


def members(path: Path) -> Iterator[Member]:
    """Yield every file of a folder (by name), or of a tar or zip archive (in its order).

    An archive may be compressed. Nothing of it is unpacked to disk, and only the file at hand is in
    memory. A damaged or truncated archive is a ``CorpusError`` when the damage is reached, never a
    short corpus.
    """
    source = Source(path)
    return _folder_members(path) if source.is_folder else archived(source)


def archived(source: Source) -> Generator[Member, None, None]:
    """Yield every file of a tar or zip archive, but no hidden one."""
    with source.open_seekable() if source.once else source.preview() as stream:
        is_zip = kind_of(peek(stream), "x.zip") is ZIPPED
    return _zip_members(source) if is_zip else _tar_members(source)


def is_archive(head: bytes, name: str) -> bool:
    """Return True if a file with these first bytes and this name is a tar or zip archive."""
    return kind_of(head, name) in {TAR, ZIPPED}


def named_members(path: Path, names: Collection[str]) -> Iterator[tuple[str, Member]]:
    """Yield the files that are called one of ``names``, each once.

    They may lie in folders inside, and be compressed (``x.dat`` is ``x.dat.gz`` too). The first
    of two files of one name is read: an unpacked file may lie beside the packed one.
    """
    met: set[str] = set()
    for member in members(path):
        name = without_compression_suffix(member.parts[-1])
        if name in names and name not in met:
            met.add(name)
            yield name, member


def text_members(
    path: Path, is_document: Callable[[Member], bool], problems: Problems, absent: str
) -> Iterator[tuple[Member, str]]:
    """Yield the files that are documents with their Latin-1 text; bad ones go to ``problems``.

    If there is no document at all, ``absent`` ends the message of the ``CorpusError``.
    """
    found = False
    for member in filter(is_document, members(path)):
        found = True
        try:
            text = decode_latin1(member.read())
        except DocumentError as error:
            problems.report(error)
            continue
        yield member, text
    if not found:
        raise CorpusError(f"{path}: {absent}")


def decode_latin1(raw: bytes) -> str:
    """Decode Latin-1, in which every byte is a character, and clean the text."""
    return clean_text(raw.decode("latin-1"))


def clean_text(text: str) -> str:
    """Turn CR LF and CR into LF, and other control characters except tabs into spaces.

    In old collections control characters stand for lost characters and for separators: a space
    never glues two words together.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", text)


def _folder_members(folder: Path) -> Iterator[Member]:
    def unreadable(error: OSError) -> None:
        raise CorpusError(f"{error.filename}: cannot be read ({error.strerror})") from error

    for place, folders, files in os.walk(folder, onerror=unreadable):
        folders.sort()
        for file in sorted(files):
            path = Path(place, file)
            name = _plain_name(path.relative_to(folder).as_posix())
            if not _is_hidden(name):
                yield Member(str(folder), name, partial(_open_file, path))


def _open_file(path: Path) -> IO[bytes]:
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(0, "it is a pipe or a device; take it out")
    return path.open("rb")


class _StrictInfo(tarfile.TarInfo):
    """A header of a tar archive that raises an error if it is damaged or too large.

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


def _tar_members(source: Source) -> Generator[Member, None, None]:
    name = "its beginning"
    with source.open_seekable() if source.once else source.open() as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictInfo) as archive:
                while (info := archive.next()) is not None:
                    name = _plain_name(info.name)
                    # The archive object would otherwise remember every member.
                    archive.members = []  # type: ignore[attr-defined]
                    if not info.isdir() and not _is_hidden(name):
                        extract = partial(_extract, archive, info)
                        yield Member(source.name, name, extract, info.size)
        except tarfile.TarError as error:
            raise _damaged(source.name, name, error) from error


def _zip_members(source: Source) -> Generator[Member, None, None]:
    with source.open_seekable() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except (*_ZIP_ERRORS, ValueError, OSError) as error:
            raise CorpusError(
                f"{source.name}: is a damaged zip archive ({error}); get the file again"
            ) from error
        for info in archive.infolist():
            name = _plain_name(info.filename)
            if not info.is_dir() and not _is_hidden(name):
                yield Member(source.name, name, partial(_unzip, archive, info), info.file_size)


def _unzip(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.flag_bits & _ENCRYPTED:
        raise OSError(0, "it is encrypted; unpack the archive with its password")
    return archive.open(info)


def _extract(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(info) if info.isfile() else None
    if content is None:
        raise OSError(0, "it is a link or a device; unpack the archive and name the folder")
    return content


def _damaged(place: str, name: str, error: tarfile.TarError) -> CorpusError:
    return CorpusError(
        f"{place}: not a tar archive, or damaged, at {name} ({error}); get the file again"
    )


def _plain_name(name: str) -> str:
    # Names that are not UTF-8 come with lone surrogates, which no output could carry.
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    # A path is a name here, and leads nowhere.
    return "/".join(part for part in readable.split("/") if part not in {"", ".", ".."})


def _is_hidden(name: str) -> bool:
    # Leftovers of file managers (.DS_Store, ._name) are never documents.
    return name.rpartition("/")[2].startswith(".")

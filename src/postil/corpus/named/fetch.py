"""Puts a named corpus into the data folder: from its public addresses, or from a local copy."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from postil.common.compression import MAGIC_LENGTH, codec_of_bytes
from postil.common.files import scratch_folder
from postil.corpus.named.download import CHUNK, Progress, TransferError, download
from postil.corpus.named.entry import Distribution, NamedCorpus, data_folders, exists
from postil.corpus.named.registry import named
from postil.errors import FetchError, InputError, UsageError

TIMEOUT = 30.0
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Fetched:
    """The place of a corpus, and how it was checked.

    ``check`` is ``sha256`` for its published checksum, ``documents`` if its documents were read
    and counted, and ``present`` if it was there before and was not checked. ``sha256`` is that of
    the file; a folder has none.
    """

    path: Path
    check: Literal["sha256", "documents", "present"]
    sha256: str | None = None


def ignore_progress(done: int, total: int | None) -> None:
    """Ignore progress."""


def fetch(
    name: str,
    *,
    from_path: Path | None = None,
    force: bool = False,
    progress: Progress = ignore_progress,
    timeout: float = TIMEOUT,
    urls: Sequence[str] | None = None,
) -> Fetched:
    """Put a named corpus into the data folder, unless it is there already.

    Only a file that passed its check gets its name; a partial download stays beside it as
    ``.part``, and the next call resumes it. A collection of several files becomes a folder. A
    file whose checksum is not published, or that was packed again, is read and its documents
    are counted.

    Parameters
    ----------
    name : str
        Name of the corpus.
    from_path : Path, optional
        An archive or an unpacked folder to copy instead of a download.
    force : bool
        Fetch even if the corpus is there.
    progress : callable
        Called with the bytes that have arrived and the total, if known.
    timeout : float
        Seconds to wait for the server.
    urls : sequence of str, optional
        Addresses to try in order, by default those of the corpus.
    """
    corpus = named(name)
    distribution = corpus.distribution
    if distribution is None:
        raise UsageError(f"the corpus {name} is shipped with postil; there is nothing to fetch")
    present = corpus.locate()
    if present is not None and not force:
        return Fetched(present, "present")
    task = _Task(corpus, distribution, progress, timeout)
    if from_path is not None:
        return task.copy(from_path)
    if distribution.parts and urls is None:
        return task.download_folder()
    return task.download_file(distribution.urls if urls is None else urls)


@dataclass(frozen=True, slots=True)
class _Task:
    """The fetching of one corpus."""

    corpus: NamedCorpus
    distribution: Distribution
    progress: Progress
    timeout: float

    def download_file(self, urls: Sequence[str]) -> Fetched:
        name, homepage = self.corpus.name, self.distribution.homepage
        if not urls:
            raise FetchError(
                f"postil knows no address of the file of {name} (see {homepage}); "
                f"if you have it: {_offline(name)}"
            )
        target = _store() / self.distribution.file_name
        part = target.with_name(f"{target.name}.part")
        try:
            fetched = _first_that_works(urls, lambda url: self._download_checked(url, part))
        except TransferError as error:
            kept = f"; the next attempt resumes {part}" if exists(part) else ""
            raise FetchError(
                f"{name} could not be fetched: {error}{kept}. Try again later, or, with a copy "
                f"from elsewhere (see {homepage}): {_offline(name)}"
            ) from error
        part.replace(target)
        return replace(fetched, path=target)

    def _download_checked(self, url: str, part: Path) -> Fetched:
        """Download and check; a file that fails its check is removed.

        If it was put together from two attempts, the file may have changed between them: then it
        is downloaded once more from the beginning.
        """
        resumed = exists(part)
        digest = download(url, part, timeout=self.timeout, progress=self.progress)
        try:
            return self._check(part, digest)
        except TransferError:
            part.unlink()
            if not resumed:
                raise
        return self._download_checked(url, part)

    def _check(self, part: Path, digest: str) -> Fetched:
        expected = self.distribution.sha256
        if expected is None:
            self._count_documents(part)
            return Fetched(part, "documents", digest)
        if digest != expected:
            raise TransferError(
                f"what came is another file: sha256 expected {expected}, got {digest}; "
                "nothing of it was kept"
            )
        return Fetched(part, "sha256", digest)

    def download_folder(self) -> Fetched:
        """Download the parts of a collection into a folder, and count its documents.

        A part that is there is not downloaded again, and one that broke off is resumed.
        """
        name, distribution, store = self.corpus.name, self.distribution, _store()
        target = store / (distribution.folder_name or distribution.file_name)
        folder = target.with_name(f"{target.name}.part")
        try:
            _refuse_existing(distribution, store)
            folder.mkdir(exist_ok=True)
            done = 0
            for urls in distribution.parts:
                done += self._download_part(urls, folder, done)
            self._count_documents(folder)
            folder.replace(target)
        except TransferError as error:
            resumes = f"; the next attempt resumes {folder} (remove from it a file that is wrong)"
            raise FetchError(
                f"{name} could not be fetched: {error}{resumes if exists(folder) else ''}. Try "
                "again later, or, with the files from elsewhere (see "
                f"{distribution.homepage}): {_offline(name)}"
            ) from error
        except FetchError:
            raise
        except OSError as error:
            raise FetchError(
                f"{folder}: cannot be written ({error.strerror}); remove it"
            ) from error
        return Fetched(target, "documents")

    def _download_part(self, urls: Sequence[str], folder: Path, done: int) -> int:
        """Download a part, unless it is there, and return its size."""
        target = folder / urls[0].rpartition("/")[2]
        part = target.with_name(f"{target.name}.part")

        def progress(own: int, _: int | None) -> None:
            self.progress(done + own, None)  # the size of all parts is unknown before the last

        def attempt(url: str) -> None:
            download(url, part, timeout=self.timeout, progress=progress)
            _check_compressed(part)

        if not exists(target):
            _first_that_works(urls, attempt)
            part.replace(target)
        return target.stat().st_size

    def _count_documents(self, path: Path) -> None:
        """Read all documents strictly; the entry knows how many there must be."""
        try:
            for _ in self.corpus.open(path):
                pass
        except InputError as error:
            raise TransferError(f"it is not {self.corpus.title}: {error}") from error

    def copy(self, origin: Path) -> Fetched:
        name = self.corpus.name
        if not exists(origin):
            raise FetchError(f"{origin}: there is no such file or folder to take {name} from")
        if not (origin.is_file() or origin.is_dir()):
            raise FetchError(f"{origin}: is a pipe or a device; save {name} to a file first")
        folder = _store()
        try:
            if origin.is_dir():
                return self._copy_folder(origin, folder)
            return self._copy_file(origin, folder / self.distribution.file_name)
        except TransferError as error:
            raise FetchError(f"{origin}: {error}; nothing was kept") from error
        except OSError as error:
            raise FetchError(f"{origin}: cannot be copied to {folder} ({error})") from error

    def _copy_file(self, origin: Path, target: Path) -> Fetched:
        total = origin.stat().st_size
        digest = hashlib.sha256()
        with scratch_folder(target) as scratch:
            copy = scratch / target.name
            with origin.open("rb") as source, copy.open("xb") as sink:
                while chunk := source.read(CHUNK):
                    sink.write(chunk)
                    digest.update(chunk)
                    self.progress(sink.tell(), total)
            known = digest.hexdigest() == self.distribution.sha256
            if not known:
                # A file that was packed again has another sum, and may hold every document.
                self._count_documents(copy)
            copy.replace(target)
        return Fetched(target, "sha256" if known else "documents", digest.hexdigest())

    def _copy_folder(self, origin: Path, folder: Path) -> Fetched:
        if self.distribution.folder_name is None:
            raise TransferError(f"{self.corpus.name} is one file, and this is a folder")
        _refuse_existing(self.distribution, folder)
        _refuse_links(origin)
        self._count_documents(origin)
        target = folder / self.distribution.folder_name
        with scratch_folder(target) as scratch:
            copy = shutil.copytree(origin, scratch / target.name)
            copy.replace(target)
        return Fetched(target, "documents")


def _first_that_works(urls: Sequence[str], attempt: Callable[[str], Result]) -> Result:
    """Return the result for the first address that does not fail; else raise all failures."""
    failures = []
    for url in urls:
        try:
            return attempt(url)
        except TransferError as error:
            failures.append(f"{url}: {error}")
    raise TransferError("; ".join(failures))


def _offline(name: str) -> str:
    return f"postil corpus fetch {name} --from PATH"


def _check_compressed(part: Path) -> None:
    """Remove a part that is not compressed, such as an error page of the server."""
    with part.open("rb") as file:
        head = file.read(MAGIC_LENGTH)
    if codec_of_bytes(head) is None:
        part.unlink()
        raise TransferError("what came is not a compressed file; nothing of it was kept")


def _refuse_links(origin: Path) -> None:
    """Raise TransferError for a folder that holds anything but files and folders.

    A link may lead out of the folder or around in it; its copy would hold what it leads to.
    """
    for place, folders, files in os.walk(origin):
        for name in sorted(folders + files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise TransferError(
                    f"{path} is a link, a pipe or a device, which is not copied; put the file "
                    "itself in its place, or take it out"
                )


def _refuse_existing(distribution: Distribution, folder: Path) -> None:
    present = next((folder / n for n in distribution.names if exists(folder / n)), None)
    if present is not None:
        raise TransferError(f"{present} is there already; remove it first")


def _store() -> Path:
    folder = data_folders()[0]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FetchError(
            f"{folder}: cannot be made ({error.strerror}); set POSTIL_DATA to another folder"
        ) from error
    return folder

"""Getting a named corpus: from its public addresses, or from a copy that is already here.

Getting a collection that is published as several compressed files.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from postil.common.compression import MAGIC_LENGTH, codec_of_bytes
from postil.common.files import scratch_folder
from postil.corpus.document import Problems
from postil.corpus.named.distributions import Distribution, is_there, locate, store_folder
from postil.corpus.named.download import CHUNK, Progress, TransferError, download, sha256_of
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.registry import named
from postil.errors import FetchError, InputError, UsageError


def download_parts(
    parts: Sequence[Sequence[str]], folder: Path, *, timeout: float, progress: Progress
) -> None:
    """Download each part from the first of its addresses that gives it, into ``folder``.

    A part that is there is not fetched again, and one that broke off is continued, so that
    after a ``TransferError`` the next call goes on where this one stopped. ``progress`` is told
    the bytes of all parts together.
    """
    done = 0
    for urls in parts:
        target = folder / urls[0].rpartition("/")[2]
        if not is_there(target):
            _download_part(urls, target, timeout, _from(done, progress))
        done += target.stat().st_size


def _from(begin: int, progress: Progress) -> Progress:
    # How much all parts are together is known to nobody before the last.
    return lambda done, _: progress(begin + done, None)


def _download_part(urls: Sequence[str], target: Path, timeout: float, progress: Progress) -> None:
    part = target.with_name(f"{target.name}.part")
    failures = []
    for url in urls:
        try:
            download(url, part, timeout=timeout, progress=progress)
            _check_compressed(part)
        except TransferError as error:
            failures.append(f"{url}: {error}")
            continue
        part.replace(target)
        return
    raise TransferError("; ".join(failures))


def _check_compressed(part: Path) -> None:
    """A page that says sorry is not compressed; it must not stay for a part."""
    with part.open("rb") as file:
        head = file.read(MAGIC_LENGTH)
    if codec_of_bytes(head) is None:
        part.unlink()
        raise TransferError("what came is not a compressed file; nothing of it was kept")


TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """Where a corpus is now.

    ``check`` says how it was checked: against its published ``sha256``, by reading and counting
    its ``documents``, or not at all because it was ``present`` before. ``sha256`` is that of
    the file; a folder has none.
    """

    path: Path
    check: Literal["sha256", "documents", "present"]
    sha256: str | None = None


def ignore_progress(done: int, total: int | None) -> None:
    """Notify nobody."""


def fetch(
    name: str,
    *,
    from_path: Path | None = None,
    force: bool = False,
    progress: Progress = ignore_progress,
    timeout: float = TIMEOUT,
    urls: Sequence[str] | None = None,
) -> Fetched:
    """Put a named corpus where ``open_named`` finds it, unless it is there (or ``force``).

    It is downloaded from the first of its addresses (or of ``urls``) that gives it, or copied
    from ``from_path``, an archive or an unpacked folder. What is published as several files
    becomes a folder. Only what passed its check gets its name; a partial download stays beside
    it as ``.part`` and is continued by the next call.
    A file whose checksum is not published, or that was packed anew, is read and its documents
    are counted.
    """
    corpus = named(name)
    distribution = corpus.distribution
    if distribution is None:
        raise UsageError(f"the corpus {name} is shipped with postil; there is nothing to fetch")
    present = locate(distribution)
    if present is not None and not force:
        return Fetched(present, "present")
    if from_path is not None:
        return _copy(corpus, distribution, from_path, progress)
    task = _Task(corpus, distribution, progress, timeout)
    if distribution.parts and urls is None:
        return _download_folder(task)
    return _download_any(task, distribution.urls if urls is None else urls)


@dataclass(frozen=True, slots=True)
class _Task:
    corpus: NamedCorpus
    distribution: Distribution
    progress: Progress
    timeout: float


def _download_any(task: _Task, urls: Sequence[str]) -> Fetched:
    name, homepage = task.corpus.name, task.distribution.homepage
    if not urls:
        raise FetchError(
            f"the corpus {name} has no public address ({homepage} is what it was made from); "
            f"if you have its file: {_offline(name)}"
        )
    target = _store() / task.distribution.file_name
    part = target.with_name(f"{target.name}.part")
    failures = []
    for url in urls:
        try:
            fetched = _download(task, url, part)
        except TransferError as error:
            failures.append(f"{url}: {error}")
            continue
        part.replace(target)
        return replace(fetched, path=target)
    kept = f"; the next attempt goes on with {part}" if is_there(part) else ""
    raise FetchError(
        f"{name} could not be fetched: {'; '.join(failures)}{kept}. Try again later, or, with a "
        f"copy from elsewhere (see {homepage}): {_offline(name)}"
    )


def _download_folder(task: _Task) -> Fetched:
    """Download the parts of a collection into a folder, and count its documents."""
    distribution, store = task.distribution, _store()
    target = store / (distribution.folder_name or distribution.file_name)
    folder = target.with_name(f"{target.name}.part")
    try:
        _refuse_in_the_way(distribution, store)
        folder.mkdir(exist_ok=True)
        download_parts(distribution.parts, folder, timeout=task.timeout, progress=task.progress)
        _count_documents(task.corpus, folder)
        folder.replace(target)
    except TransferError as error:
        goes_on = f"; the next attempt goes on with {folder} (remove from it a file that is wrong)"
        kept = goes_on if is_there(folder) else ""
        raise FetchError(
            f"{task.corpus.name} could not be fetched: {error}{kept}. Try again later, or, with "
            "the files from elsewhere (see "
            f"{distribution.homepage}): {_offline(task.corpus.name)}"
        ) from error
    except FetchError:
        raise
    except OSError as error:
        raise FetchError(f"{folder}: cannot be written ({error.strerror}); remove it") from error
    return Fetched(target, "documents")


def _offline(name: str) -> str:
    return f"postil corpus fetch {name} --from PATH"


def _download(task: _Task, url: str, part: Path) -> Fetched:
    """Download and check; what fails its check is removed.

    Where it was put together from two attempts, the first may be to blame (the file may have
    changed between them): then it is taken once more from the beginning.
    """
    continued = is_there(part)
    digest = download(url, part, timeout=task.timeout, progress=task.progress)
    try:
        return _check_download(task, part, digest)
    except TransferError:
        part.unlink()
        if not continued:
            raise
    return _download(task, url, part)


def _check_download(task: _Task, part: Path, digest: str) -> Fetched:
    expected = task.distribution.sha256
    if expected is None:
        _count_documents(task.corpus, part)
        return Fetched(part, "documents", digest)
    if digest != expected:
        raise TransferError(
            f"what came is another file: sha256 expected {expected}, got {digest}; "
            "nothing of it was kept"
        )
    return Fetched(part, "sha256", digest)


def _count_documents(corpus: NamedCorpus, path: Path) -> None:
    """Read it all, strictly; the reader knows how many documents there must be."""
    try:
        for _ in corpus.read(path)(Problems("strict")):
            pass
    except InputError as error:
        raise TransferError(f"it is not {corpus.title}: {error}") from error


def _copy(
    corpus: NamedCorpus, distribution: Distribution, origin: Path, progress: Progress
) -> Fetched:
    if not is_there(origin):
        raise FetchError(f"{origin}: there is no such file or folder to take {corpus.name} from")
    if not (origin.is_file() or origin.is_dir()):
        raise FetchError(f"{origin}: is a pipe or a device; save {corpus.name} to a file first")
    folder = _store()
    try:
        if origin.is_dir():
            return _copy_folder(corpus, distribution, origin, folder)
        return _copy_file(corpus, distribution, origin, folder, progress)
    except TransferError as error:
        raise FetchError(f"{origin}: {error}; nothing was kept") from error
    except OSError as error:
        raise FetchError(f"{origin}: cannot be copied to {folder} ({error})") from error


def _copy_file(
    corpus: NamedCorpus,
    distribution: Distribution,
    origin: Path,
    folder: Path,
    progress: Progress,
) -> Fetched:
    target, total = folder / distribution.file_name, origin.stat().st_size
    with scratch_folder(target) as scratch:
        copy = scratch / target.name
        with origin.open("rb") as source, copy.open("xb") as sink:
            while chunk := source.read(CHUNK):
                sink.write(chunk)
                progress(sink.tell(), total)
        digest = sha256_of(copy)
        known = digest == distribution.sha256
        if not known:
            # A file that was packed anew has another sum, and may still hold every document.
            _count_documents(corpus, copy)
        copy.replace(target)
    return Fetched(target, "sha256" if known else "documents", digest)


def _copy_folder(
    corpus: NamedCorpus, distribution: Distribution, origin: Path, folder: Path
) -> Fetched:
    if distribution.folder_name is None:
        raise TransferError(f"{corpus.name} is one file, and this is a folder")
    _refuse_in_the_way(distribution, folder)
    _refuse_links(origin)
    _count_documents(corpus, origin)
    target = folder / distribution.folder_name
    with scratch_folder(target) as scratch:
        copy = shutil.copytree(origin, scratch / target.name)
        copy.replace(target)
    return Fetched(target, "documents")


def _refuse_links(origin: Path) -> None:
    """Refuse a folder that holds anything but files and folders.

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


def _refuse_in_the_way(distribution: Distribution, folder: Path) -> None:
    in_the_way = next((folder / n for n in distribution.names if is_there(folder / n)), None)
    if in_the_way is not None:
        raise TransferError(f"{in_the_way} is there already; remove it first")


def _store() -> Path:
    folder = store_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FetchError(
            f"{folder}: cannot be made ({error.strerror}); set POSTIL_DATA to another folder"
        ) from error
    return folder

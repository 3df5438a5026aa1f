"""Getting a collection that is published as several compressed files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from postil.corpus.files.compression import MAGIC_LENGTH, codec_of_bytes
from postil.corpus.named.download import Progress, TransferError, download
from postil.corpus.named.locations import is_there


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

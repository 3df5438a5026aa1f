"""The files named corpora come in: what they are called, where they are, their checksums.

A checksum is the sha256 of the file at the public addresses, as at least one other project
publishes it (scikit-learn for Reuters-21578 and 20 Newsgroups by date, the Hugging Face datasets
library for these and the original 20 Newsgroups); that of the arXiv sample, which has no
address, is of the sample itself. ``None`` says that no published checksum is known: then what
was downloaded is read through and its documents are counted.

A collection may also be published as several files, which have no file of all together: then
``parts`` are these, and they are kept in a folder.

Where corpora are kept on this computer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Distribution:
    """A collection as one file, or as several in a folder.

    ``file_name`` is what it is called in a data folder; an unpacked copy is called
    ``folder_name``. ``other_names`` are accepted there too. ``urls`` are tried in order.
    ``parts`` holds, for each of several files, its addresses, which end in its name. ``holds``
    names the files of an unpacked copy, for whoever looks for them.
    """

    file_name: str
    homepage: str
    urls: tuple[str, ...] = ()
    sha256: str | None = None
    folder_name: str | None = None
    other_names: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    holds: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name it may have in a data folder, the usual one first."""
        folder = () if self.folder_name is None else (self.folder_name,)
        return (self.file_name, *self.other_names, *folder)


REUTERS = Distribution(
    file_name="reuters21578.tar.gz",
    folder_name="reuters21578",
    homepage="http://www.daviddlewis.com/resources/testcollections/reuters21578/",
    urls=(
        "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
        "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/"
        "reuters21578.tar.gz",
        "http://www.daviddlewis.com/resources/testcollections/reuters21578/reuters21578.tar.gz",
    ),
    sha256="3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
)

NEWS_BYDATE = Distribution(
    file_name="20news-bydate.tar.gz",
    folder_name="20news-bydate",
    homepage="http://qwone.com/~jason/20Newsgroups/",
    urls=(
        "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
        "https://ndownloader.figshare.com/files/5975967",
    ),
    sha256="8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
)

NEWS_19997 = Distribution(
    file_name="20news-19997.tar.gz",
    folder_name="20_newsgroups",
    other_names=("20_newsgroups.tar.gz",),
    homepage="http://qwone.com/~jason/20Newsgroups/",
    urls=("http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz",),
    sha256="ab7bbf82b7831f7dbb1a09d9312f66fa78565c8de25526999b0d66f69d37e414",
)

WEBKB = Distribution(
    file_name="webkb.tar.gz",
    folder_name="webkb",
    other_names=("webkb-data.gtar.gz",),
    homepage="http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/",
    urls=(
        "https://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz",
        "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz",
    ),
)

ARXIV_120K = Distribution(
    file_name="arxiv-120k.jsonl.zst",
    other_names=("arxiv-120k.jsonl", "arxiv-120k.jsonl.gz"),
    homepage="https://doi.org/10.5281/zenodo.1463242",
    sha256="50a3fa3ff8c5d7d544be3a446daf45a7191c48b2f35431da88a27ce7565f5119",
)

_LYRL2004 = (
    "http://www.jmlr.org/papers/volume5/lewis04a",
    "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a",
)
_LYRL2004_FILES = {
    "rcv1-v2.topics.qrels": "a08-topic-qrels",
    "lyrl2004_tokens_train.dat": "a12-token-files",
    **{f"lyrl2004_tokens_test_pt{part}.dat": "a12-token-files" for part in range(4)},
}

RCV1_V2 = Distribution(
    file_name="rcv1-v2.tar",
    folder_name="rcv1-v2",
    other_names=("rcv1-v2.tar.gz",),
    homepage=f"{_LYRL2004[0]}/lyrl2004_rcv1v2_README.htm",
    parts=tuple(
        tuple(f"{place}/{appendix}/{file}.gz" for place in _LYRL2004)
        for file, appendix in _LYRL2004_FILES.items()
    ),
    holds=tuple(_LYRL2004_FILES),
)

OHSUMED = Distribution(
    file_name="ohsumed.tar.gz",
    folder_name="ohsumed",
    other_names=("t9.filtering.tar.gz",),
    homepage="https://trec.nist.gov/data/filtering/README.t9.filtering",
    urls=("https://trec.nist.gov/data/filtering/t9.filtering.tar.gz",),
    holds=("ohsumed.87", "ohsumed.88-91"),
)


DATA_VARIABLE = "POSTIL_DATA"


def data_folders() -> tuple[Path, ...]:
    """List where corpora are looked for: the folder POSTIL_DATA names, then the user's cache."""
    named = os.environ.get(DATA_VARIABLE)
    return (Path(named), cache_folder()) if named else (cache_folder(),)


def store_folder() -> Path:
    """Say where fetched corpora are put: the first of ``data_folders``."""
    return data_folders()[0]


def cache_folder() -> Path:
    """Name the user's cache: XDG_CACHE_HOME/postil, or what the platform has instead."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named) / "postil"
    return _PLATFORM_CACHES.get(sys.platform, _unix_cache)() / "postil"


def locate(distribution: Distribution) -> Path | None:
    """Find the file or folder that holds a collection; ``None`` where there is none."""
    candidates = (folder / name for folder in data_folders() for name in distribution.names)
    return next(filter(is_there, candidates), None)


def is_there(path: Path) -> bool:
    """Say whether a file or folder exists; one that cannot be looked at does not."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def _unix_cache() -> Path:
    return Path.home() / ".cache"


def _mac_cache() -> Path:
    return Path.home() / "Library" / "Caches"


def _windows_cache() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")


_PLATFORM_CACHES: Mapping[str, Callable[[], Path]] = {
    "darwin": _mac_cache,
    "win32": _windows_cache,
}

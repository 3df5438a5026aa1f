"""Where corpora are kept on this computer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from postil.corpus.named.distributions import Distribution

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

"""The resident memory of this process, and its peak since a moment of our choice."""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def start() -> int:
    """Forget the peak so far and return the bytes held now.

    Where the system cannot forget a peak (all but Linux) this is the peak so far: growth is
    then understated by whatever was let go before.
    """
    gc.collect()
    _give_back_free_memory()
    try:
        _CLEAR.write_text(_RESET_PEAK, encoding="ascii")
    except OSError:
        return peak()
    return _from_status("VmRSS")


def peak() -> int:
    """Return the largest number of bytes held since the start."""
    return _from_status("VmHWM") if _STATUS.exists() else _from_usage()


def _from_status(key: str) -> int:
    for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    return _from_usage()


def _from_usage() -> int:
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def _give_back_free_memory() -> None:
    # Memory that the allocator keeps for later would hide growth that fits into it.
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)

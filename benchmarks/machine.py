"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from postil import __version__
from postil.common.threads import thread_count

PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "PyStemmer",
    "polars",
    "fasttext",
    "fasttext-wheel",
    "vowpalwabbit",
    "liblinear-official",
    "celer",
    "skglm",
    "numba",
)
PROCESSOR = "processor"
BUSY = 0.5
"""A load above this part of the processors is worth a remark."""


def description() -> dict[str, str]:
    """Describe the computer, Python and the packages that are compared."""
    found = {name: _version(name) for name in PACKAGES}
    versions = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    return {
        PROCESSOR: f"{_processor_model()}, {thread_count(None)} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": f"postil {__version__}, {versions}",
    }


def load() -> str:
    """The load of the last minute, with a remark if that is much."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    last = os.getloadavg()[0]
    busy = last > BUSY * thread_count(None)
    return f"{last:.1f}" + (": the machine is busy, do not trust these numbers" if busy else "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()

"""Fingerprints of data and of code: equal where the bytes are, whatever the dates."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path

from postil.errors import InputError, UsageError

# What could change the result of any run from documents to decisions.
RUN_CODE = (
    "postil.corpus",
    "postil.text",
    "postil.vectors",
    "postil.features",
    "postil.learn",
    "postil.decide",
    "postil.evaluate",
    "postil.model",
    "postil.training",
    "postil.training_run",
    "postil.prediction",
    "postil.assessment",
    "postil._native",
)
CODE_SUFFIXES = frozenset({".py", ".so", ".pyd", ".toml", ".txt"})


def data_fingerprint(*paths: Path) -> str:
    """SHA-256 over files, and over folders with all that is in them, by their names in it.

    Reads every byte once. Where the files lie does not count.
    """
    whole = sha256()
    for path in paths:
        for name, file in _files(path):
            whole.update(f"{name}\0{_content(file)}\n".encode())
        whole.update(b"\n")
    return whole.hexdigest()


def code_fingerprint(*modules: str) -> str:
    """SHA-256 over the sources of modules, and of packages with all their modules.

    ``code_fingerprint("postil.learn", "postil._native")`` changes whenever a result of either
    could. Nothing is run but the packages around the modules.
    """
    whole = sha256()
    for module in modules:
        for name, file in _sources(module):
            whole.update(f"{module}\0{name}\0{_content(file)}\n".encode())
    return whole.hexdigest()


def _sources(module: str) -> Iterator[tuple[str, Path]]:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise UsageError(f"there is no module {module!r} with a source to take a fingerprint of")
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        # A compiled module's file name tells the platform, which is not its code's doing.
        yield origin.suffix, origin
        return
    for name, file in _files(origin.parent):
        if file.suffix in CODE_SUFFIXES:
            yield name, file


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield "", path
        return
    found = {file.relative_to(path).as_posix(): file for file in path.rglob("*") if file.is_file()}
    for name in sorted(found):
        yield name, found[name]


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read for its fingerprint ({error.strerror})"
        ) from error

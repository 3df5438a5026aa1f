"""Results kept by what they depend on, so that a second run is instant.

An entry is a JSON file named by the SHA-256 of its question: which experiment, with which
settings, on which data, by which code. A question with any other answer has another name, so
that entries never go stale and need no lock: processes that compute the same write the same,
each under a temporary name first.

Fingerprints of data and of code: equal where the bytes are, whatever the dates.

Work that several experiments share: done once in a reproduction, and kept like a result.

Tables of a paper often look at the same trained models. An experiment is a function of its
settings alone, so that neither the cache nor what others have done is among them: both are set
around the whole run, and experiments reach them through :func:`shared`.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from postil.common.files import output_file
from postil.corpus.named.entry import cache_folder
from postil.errors import InputError, UsageError
from postil_papers.cells import Json, canonical_json, digest

FORMAT = 1
FOLDER = "results"
ENTRY = re.compile(r"[0-9a-f]{64}\.json")
PART = re.compile(r"\.[0-9a-f]{64}\.json\.[0-9a-f]+\.part")
ATTEMPTS = 5
ABANDONED = 3600.0  # seconds after which a file half-written belongs to a process that died


class CacheWarning(UserWarning):
    """A result could not be read from the cache, or not be kept in it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a result depends on.

    ``data`` is a fingerprint of the documents, ``code`` one of the parts of the program that
    matter; whoever asks says what they are.
    """

    experiment: str
    settings: Mapping[str, Json]
    data: str
    code: str

    def as_json(self) -> dict[str, Json]:
        """The question as it is hashed and kept."""
        return {
            "format": FORMAT,
            "experiment": self.experiment,
            "settings": self.settings,
            "data": self.data,
            "code": self.code,
        }

    @property
    def key(self) -> str:
        """SHA-256 of the question's canonical JSON."""
        return digest(self.as_json())


@dataclass(frozen=True, slots=True)
class Answer:
    """What the cache holds for a question; the result itself may be ``None``."""

    result: Json


class ResultCache:
    """A folder of results: by default ``results`` in the user's cache."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder if folder is not None else cache_folder() / FOLDER

    def get(self, question: Question) -> Answer | None:
        """Look a result up; ``None`` where there is none.

        A damaged entry counts as none and is warned of; keeping the result again repairs it.
        """
        path = self._path(question)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _warn(f"{path}: cannot be read ({error.strerror}); computing the result again")
            return None
        try:
            return Answer(_checked_result(content, question))
        except InputError as error:
            _warn(f"{path}: {error}; computing the result again")
            return None

    def put(self, question: Question, result: Json) -> None:
        """Keep a result. That the disk is full or read-only is warned of, not raised."""
        entry = {"question": question.as_json(), "result": result, "sha256": digest(result)}
        content = canonical_json(entry).encode("ascii")
        path = self._path(question)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(path, content)
        except (OSError, UsageError) as error:
            _warn(f"{path}: the result cannot be kept ({error})")

    def kept(self) -> Iterator[tuple[str, Json]]:
        """The name and result of every entry that can be read, whatever the question was."""
        for path in self._files():
            if not ENTRY.fullmatch(path.name):
                continue
            with suppress(OSError, ValueError, RecursionError, KeyError, TypeError):
                entry = json.loads(path.read_bytes())
                yield str(entry["question"]["experiment"]), entry["result"]

    def clear(self) -> int:
        """Remove all entries, and what dead processes left; return the number of entries."""
        removed = 0
        for path in self._files():
            if ENTRY.fullmatch(path.name):
                removed += _remove(path)
            elif PART.fullmatch(path.name) and _is_abandoned(path):
                _remove(path)
        return removed

    def _path(self, question: Question) -> Path:
        return self.folder / f"{question.key}.json"

    def _files(self) -> Iterator[Path]:
        with suppress(FileNotFoundError):
            yield from list(self.folder.iterdir())


def _write(path: Path, content: bytes) -> None:
    """Write a file; once more where another process took the old one away in between."""
    for attempt in range(ATTEMPTS):
        try:
            with output_file(path) as file:
                file.write(content)
        except FileNotFoundError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def _checked_result(content: bytes, question: Question) -> Json:
    """Take the result out of an entry that is whole and answers this question."""
    try:
        entry = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError("is damaged: not JSON") from error
    if not isinstance(entry, dict) or entry.keys() != {"question", "result", "sha256"}:
        raise InputError("is damaged: not an entry of the cache")
    try:
        asked = canonical_json(entry["question"])
        found = digest(entry["result"])
    except UsageError as error:
        raise InputError(f"is damaged: {error}") from error
    if asked != canonical_json(question.as_json()):
        raise InputError("is damaged: it answers another question")
    if found != entry["sha256"]:
        raise InputError("is damaged: its checksum does not match")
    return cast("Json", entry["result"])


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def _is_abandoned(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > ABANDONED
    except FileNotFoundError:
        return False


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=3)


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
    "postil.train.train",
    "postil.train.run",
    "postil.train.predict",
    "postil.train.assess",
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


@dataclass(slots=True)
class _Pool:
    """What this reproduction has done so far, by the keys of the questions."""

    cache: ResultCache | None
    refresh: bool
    done: dict[str, Json] = field(default_factory=dict)

    def answer(self, question: Question, compute: Callable[[], Json]) -> Json:
        if question.key not in self.done:
            self.done[question.key] = self._found(question, compute)
        return self.done[question.key]

    def _found(self, question: Question, compute: Callable[[], Json]) -> Json:
        kept = None if self.cache is None or self.refresh else self.cache.get(question)
        if kept is not None:
            return kept.result
        result = compute()
        if self.cache is not None:
            self.cache.put(question, result)
        return result


_POOL: ContextVar[_Pool | None] = ContextVar("pool", default=None)


def shared(question: Question, compute: Callable[[], Json]) -> Json:
    """The answer to a question: from another experiment, from the cache, or computed now.

    ``compute`` gives plain values, as JSON holds them. Outside a reproduction it is called.
    """
    pool = _POOL.get()
    return compute() if pool is None else pool.answer(question, compute)


@contextmanager
def sharing(cache: ResultCache | None, *, refresh: bool = False) -> Iterator[None]:
    """Let the experiments in here share work; with ``refresh`` nothing kept before is taken."""
    token = _POOL.set(_Pool(cache, refresh))
    try:
        yield
    finally:
        _POOL.reset(token)

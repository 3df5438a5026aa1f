"""Results kept on disk, so that a second run is instant and an interrupted one can resume.

A result is kept by the name of the work, its settings, the bytes of its corpus and the code that
computes it, so that an entry never goes stale. joblib.Memory stores the entries: it writes each
atomically, computes a damaged one again, and only warns where the disk is full.
"""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import cache, partial
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from joblib import Memory

from postil.corpus.named.entry import cache_folder
from postil.corpus.named.registry import named
from postil.errors import CorpusError, InputError, UsageError
from postil.recipes.recipe import Recipe

Value = TypeVar("Value")

FOLDER = "results"
# What could change the result of any run from documents to decisions, besides this package.
RUN_CODE = (
    "postil.corpus",
    "postil.text",
    "postil.vectors",
    "postil.features",
    "postil.learn",
    "postil.decide",
    "postil.evaluate",
    "postil.model",
    "postil.train",
    "postil._native",
)
CODE_SUFFIXES = frozenset({".py", ".so", ".pyd", ".toml", ".txt"})
OWN = __name__.partition(".")[0]


class AbsentCorpusError(CorpusError):
    """A known corpus is not on this computer; the message says how to get it."""


class Kept(NamedTuple):
    """A result with the seconds that computing it took; ``cached`` if an earlier run did it."""

    value: Any
    seconds: float
    cached: bool


class ResultStore:
    """A folder of results: by default ``results`` in the user's cache.

    With ``refresh``, entries written before this object was made are computed again.
    """

    def __init__(self, folder: Path | None = None, *, refresh: bool = False) -> None:
        self._memory = Memory(folder or cache_folder() / FOLDER, compress=True, verbose=0)
        since = time.time() if refresh else 0.0
        self._call = self._memory.cache(
            _computed,
            ignore=["compute"],
            cache_validation_callback=lambda metadata: metadata.get("time", 0.0) >= since,
        )

    def get(
        self,
        name: str,
        compute: Callable[..., Any],
        settings: Mapping[str, Any],
        check: Callable[[Any], Any] = lambda value: value,
    ) -> Kept:
        """Return ``check(compute(**settings))``, from the folder if it was computed before."""
        computed: list[bool] = []

        def work() -> Any:  # noqa: ANN401 - whatever is computed
            computed.append(True)
            return check(compute(**settings))

        corpus = settings.get("corpus") or getattr(settings.get("collection"), "corpus", None)
        data = corpus_fingerprint(corpus) if corpus else ""
        seconds, value = self._call(name, plain(settings), data, code_of(_module(compute)), work)
        return Kept(value, seconds, not computed)

    def seconds(self) -> dict[str, float]:
        """Return the most that each kind of work took, by name."""
        found: dict[str, float] = {}
        for item in self._memory.store_backend.get_items():
            with suppress(OSError, ValueError, LookupError, TypeError):
                metadata = json.loads((Path(item.path) / "metadata.json").read_text("utf-8"))
                name = ast.literal_eval(metadata["input_args"]["name"])
                found[name] = max(float(metadata["duration"]), found.get(name, 0.0))
        return found


def _computed(
    name: str,  # noqa: ARG001 - part of the key, as all but the last
    settings: object,  # noqa: ARG001
    data: str,  # noqa: ARG001
    code: str,  # noqa: ARG001
    compute: Callable[[], Any],
) -> tuple[float, Any]:
    started = time.perf_counter()
    value = compute()
    return time.perf_counter() - started, value


_STORE: ContextVar[ResultStore | None] = ContextVar("store", default=None)


@contextmanager
def using(store: ResultStore | None) -> Iterator[ResultStore]:
    """Let the experiments in this block share results through a store; ``None`` forgets them."""
    with TemporaryDirectory() as temporary:
        chosen = store or ResultStore(Path(temporary))
        token = _STORE.set(chosen)
        try:
            yield chosen
        finally:
            _STORE.reset(token)


def remember(name: str, compute: Callable[..., Value], **settings: Any) -> Value:  # noqa: ANN401
    """Return ``compute(**settings)``; within a reproduction compute it once and keep it."""
    store = _STORE.get()
    if store is None:
        return compute(**settings)
    value: Value = store.get(name, compute, settings).value
    return value


def plain(value: Any) -> Any:  # noqa: ANN401 - settings of any kind
    """Return a setting as JSON holds it; the ``[[expect]]`` of a recipe changes no result."""
    if isinstance(value, Recipe):
        return {key: each for key, each in value.to_dict().items() if key != "expect"}
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def corpus_fingerprint(name: str) -> str:
    """Return the SHA-256 over the files of a known corpus; raise AbsentCorpusError without them."""
    corpus = named(name)
    try:
        place = corpus.find()
    except CorpusError as error:
        # In a few words: many cells may show it.
        raise AbsentCorpusError(f"the corpus {name} is absent; {corpus.how_to_get}") from error
    return _known_fingerprint(place)


def data_fingerprint(path: Path) -> str:
    """Return the SHA-256 over a file, or over the names and bytes of all files in a folder."""
    whole = sha256()
    for name, file in _files(path):
        whole.update(f"{name}\0{_content(file)}\n".encode())
    return whole.hexdigest()


_known_fingerprint = cache(data_fingerprint)  # a corpus does not change while postil runs


@cache
def code_of(module: str) -> str:
    """Return the fingerprint of all code that could change a result computed by a module.

    That is ``RUN_CODE``, and the module with whatever it imports from this package.
    """
    waiting, own = [module], set()
    while waiting:
        name = waiting.pop()
        if name.partition(".")[0] == OWN and name not in own:
            own.add(name)
            waiting += _imported(name)
    return code_fingerprint(*RUN_CODE, *sorted(own))


@cache
def code_fingerprint(*modules: str) -> str:
    """Return the SHA-256 over the sources of modules, and of packages with all their modules."""
    whole = sha256()
    for module in modules:
        for name, file in _sources(module):
            whole.update(f"{module}\0{name}\0{_content(file)}\n".encode())
    return whole.hexdigest()


def _module(compute: Callable[..., Any]) -> str:
    return str((compute.func if isinstance(compute, partial) else compute).__module__)


def _imported(module: str) -> Iterator[str]:
    """Yield the modules that a module takes names from."""
    for _, file in _sources(module):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield node.module


def _sources(module: str) -> Iterator[tuple[str, Path]]:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise UsageError(f"the module {module!r} has no source to take a fingerprint of")
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        # The name of a compiled module's file tells the platform, which is no part of its code.
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

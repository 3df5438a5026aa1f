"""The entry of a corpus with a name: what it is, its files, its options and how it is read."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from postil.corpus.corpus import Corpus, DocumentSource
from postil.corpus.document import OnError, Problems
from postil.errors import CorpusError, DocumentError, UsageError

DATA_VARIABLE = "POSTIL_DATA"
DEMO = Path(__file__).parent.parent / "data" / "demo.jsonl"

_SWITCHES = {
    **dict.fromkeys(("yes", "true", "on", "1"), True),
    **dict.fromkeys(("no", "false", "off", "0"), False),
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a corpus, whose value is one of a few words; yes or no if none are listed."""

    name: str
    help: str
    default: str | bool
    values: tuple[str, ...] = ("yes", "no")

    def parse(self, value: object) -> str | bool:
        """Return the word in lower case, or the bool; raise UsageError if it is not allowed."""
        word = value.lower() if isinstance(value, str) else value
        if not isinstance(self.default, bool):
            if word in self.values:
                return str(word)
            allowed = ", ".join(self.values)
            raise UsageError(f"{self.name} must be one of {allowed}, received {value!r}")
        if isinstance(word, bool):
            return word
        if isinstance(word, str) and word in _SWITCHES:
            return _SWITCHES[word]
        raise UsageError(f"{self.name} must be yes or no, received {value!r}")


@dataclass(frozen=True, slots=True)
class Distribution:
    """The files of a collection: one file, or several in a folder.

    Parameters
    ----------
    file_name : str
        Name in a data folder.
    homepage : str
        Address of its description.
    urls : tuple of str
        Addresses of the file, tried in order.
    sha256 : str, optional
        Published checksum of the file.
    folder_name : str, optional
        Name of an unpacked copy.
    other_names : tuple of str
        Further names in a data folder.
    parts : tuple of tuples of str
        For a collection of several files, the addresses of each, which end in its name.
    holds : tuple of str
        Names of the files of an unpacked copy, for messages.
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
        """All names in a data folder, the usual one first."""
        folder = () if self.folder_name is None else (self.folder_name,)
        return (self.file_name, *self.other_names, *folder)


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    """Return the tables ``collections`` and ``corpora`` of the file beside this one."""
    return tomllib.loads(Path(__file__).with_name("corpora.toml").read_text("utf-8"))


def distribution_of(collection: str) -> Distribution:
    """Return the files of a collection."""
    table = _catalogue()["collections"][collection]
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in table.items()
        if name != "terms"
    }
    given["parts"] = tuple(tuple(urls) for urls in table.get("parts", ()))
    return Distribution(**given)


@dataclass(frozen=True, slots=True)
class NamedCorpus:
    """A corpus with a name.

    ``distribution`` is None for the corpus that is shipped with postil. ``sizes`` are the numbers
    of documents that a complete copy can have. ``reader`` takes the path and the values of the
    options, and returns the documents.
    """

    name: str
    title: str
    description: str
    terms: str
    distribution: Distribution | None
    sizes: frozenset[int]
    reader: Callable[..., DocumentSource]
    options: tuple[Option, ...] = ()

    @classmethod
    def load(
        cls, name: str, reader: Callable[..., DocumentSource], options: tuple[Option, ...]
    ) -> NamedCorpus:
        """Return the corpus that ``corpora.toml`` describes under this name."""
        table = _catalogue()["corpora"][name]
        collection = _catalogue()["collections"][table["collection"]]
        is_shipped = "file_name" not in collection
        return cls(
            name=name,
            title=table["title"],
            description=table["description"],
            terms=collection["terms"],
            distribution=None if is_shipped else distribution_of(table["collection"]),
            sizes=frozenset(table["sizes"]),
            reader=reader,
            options=options,
        )

    def open(
        self,
        path: Path,
        choices: Mapping[str, object] | None = None,
        on_error: OnError = "strict",
    ) -> Corpus:
        """Open the copy at ``path``; that it is not complete is a problem at its end.

        ``choices`` are values of ``options``, or words for them.
        """
        values = self.parse_options(choices or {})
        problems = Problems(on_error)

        def check_size(count: int) -> None:
            if self.sizes and count + problems.count not in self.sizes:
                expected = " or ".join(f"{size:,}" for size in sorted(self.sizes))
                message = f"{self.name} has {expected} documents, this copy {count:,}; get it again"
                problems.report(DocumentError(str(path), "at its end", message))

        return Corpus(
            self.name,
            self.reader(path, **values),
            problems=problems,
            description=self.description,
            # With the unused stories there are more documents than the split has.
            at_end=None if values.get("unused") else check_size,
        )

    def parse_options(self, given: Mapping[str, object]) -> dict[str, str | bool]:
        """Return the value of every option; raise UsageError for a name that is no option."""
        strange = sorted(given.keys() - {option.name for option in self.options})
        if strange:
            known = ", ".join(option.name for option in self.options) or "no options"
            raise UsageError(f"{self.name} has no option {strange[0]!r}; it takes: {known}")
        return {
            option.name: option.parse(given.get(option.name, option.default))
            for option in self.options
        }

    def locate(self) -> Path | None:
        """Return the file or folder of the corpus on this computer, None if it is absent."""
        if self.distribution is None:
            return DEMO
        names = self.distribution.names
        candidates = (folder / name for folder in data_folders() for name in names)
        return next(filter(exists, candidates), None)

    def find(self) -> Path:
        """Return the file or folder of the corpus; raise CorpusError if it is absent."""
        path = self.locate()
        if path is None:
            assert self.distribution is not None
            places = " or ".join(map(str, data_folders()))
            raise CorpusError(
                f"the corpus {self.name} is absent: no {_files(self.distribution)} in {places}; "
                f"{self.how_to_get}"
            )
        return path

    @property
    def how_to_get(self) -> str:
        """Return the way to get an absent corpus, for messages."""
        fetch = f"postil corpus fetch {self.name}"
        if self.distribution and (self.distribution.urls or self.distribution.parts):
            return f"get it with: {fetch} (from a copy you have: {fetch} --from PATH)"
        return f"postil knows no address of its file; from a copy you have: {fetch} --from PATH"


def _files(distribution: Distribution) -> str:
    if not distribution.holds:
        return distribution.file_name
    return (
        f"{distribution.file_name}, nor a folder {distribution.folder_name} with "
        f"{', '.join(distribution.holds)} (each plain or .gz; see {distribution.homepage}),"
    )


def data_folders() -> tuple[Path, ...]:
    """Return the folders with corpora: that of POSTIL_DATA, then the user's cache.

    Fetched corpora go to the first.
    """
    named = os.environ.get(DATA_VARIABLE)
    return (Path(named), cache_folder()) if named else (cache_folder(),)


def cache_folder() -> Path:
    """Return the user's cache: XDG_CACHE_HOME/postil, or the platform's equivalent."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named) / "postil"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "postil"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "postil"
    return Path.home() / ".cache" / "postil"


def exists(path: Path) -> bool:
    """Return True if a file or folder exists and can be looked at."""
    try:
        path.stat()
    except OSError:
        return False
    return True

"""Reuters SGML to documents, against the parser most people would write."""

from __future__ import annotations

import tarfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import REUTERS
from benchmarks.harness import (
    Cell,
    Line,
    Settings,
    Spread,
    Task,
    UnequalError,
    benchmark,
    interleaved,
)
from benchmarks.reuters_regex import modapte
from postil.corpus.document import Document, Problems
from postil.corpus.files.archives import members
from postil.corpus.named import registry
from postil.corpus.named.reuters import reuters
from postil.errors import CorpusError

REFERENCE = "regular expressions"
OURS = "postil"
FILES_WHEN_QUICK = 3

_PARTS = tuple(field.name for field in fields(Document))

Read = Callable[[], Iterable[Document]]


@benchmark("reading", "Reuters SGML to ModApte documents: against regular expressions in Python")
def run(settings: Settings) -> Iterator[Line]:
    """From the unpacked files, and from the archive as it is distributed."""
    try:
        found = registry.named(REUTERS).find()
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        megabytes = _unpack(found, folder, FILES_WHEN_QUICK if settings.quick else None)
        yield from _measure("unpacked files", _from_folder(folder), megabytes, settings)
        if found.is_file() and not settings.quick:
            yield from _measure("the .tar.gz", _from_archive(found), megabytes, settings)
    yield "Equal documents: ids, fields, labels and splits. MB are of SGML."


def _unpack(found: Path, folder: Path, files: int | None) -> float:
    stories = (member for member in members(found) if member.name.endswith(".sgm"))
    for member in islice(stories, files):
        folder.joinpath(member.parts[-1]).write_bytes(member.read())
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def _ours(path: Path) -> Read:
    # Straight from the reader: a sample of the files is no complete corpus, and says so.
    return lambda: reuters(path, "modapte")(Problems())


def _from_folder(folder: Path) -> Mapping[str, Read]:
    def theirs() -> Iterator[Document]:
        for path in sorted(folder.glob("*.sgm")):
            yield from modapte(path.read_bytes())

    return {REFERENCE: theirs, OURS: _ours(folder)}


def _from_archive(archive: Path) -> Mapping[str, Read]:
    def theirs() -> Iterator[Document]:
        with tarfile.open(archive) as files:
            for member in files:
                if member.name.endswith(".sgm") and (content := files.extractfile(member)):
                    yield from modapte(content.read())

    return {REFERENCE: theirs, OURS: _ours(archive)}


def _measure(
    source: str, readers: Mapping[str, Read], megabytes: float, settings: Settings
) -> Iterator[Line]:
    _check_equal(readers[OURS](), readers[REFERENCE]())
    tasks = {name: _task(read) for name, read in readers.items()}
    seconds = interleaved(tasks, settings.rounds)
    for name, own in seconds.items():
        row: dict[str, Cell] = {
            "source": f"{source}, {megabytes:.1f} MB",
            "contender": name,
            "seconds": Spread.of(own),
            "MB/s": Spread.of([megabytes / one for one in own]),
        }
        if name == OURS:
            row[f"× {REFERENCE}"] = Spread.of_ratios(seconds[REFERENCE], own)
            row["goal"] = f"≥ 3 × {REFERENCE}"
        yield row


def _task(read: Read) -> Task:
    return lambda: deque(read(), maxlen=0)


def _check_equal(ours: Iterable[Document], theirs: Iterable[Document]) -> None:
    for our, their in zip(ours, theirs, strict=True):
        if our != their:
            parts = [name for name in _PARTS if getattr(our, name) != getattr(their, name)]
            raise UnequalError(f"{their.id} and our {our.id} differ in {', '.join(parts)}")

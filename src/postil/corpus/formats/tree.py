"""A tree of folders surveyed: which files are one document, and what their labels are."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postil.corpus.document import Split
from postil.corpus.formats.columns import SPLITS
from postil.corpus.problems import Problems
from postil.errors import DocumentError

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with files in it: the label and the split it gives them."""

    folder: Path
    label: str | None
    split_name: str | None

    @property
    def split(self) -> Split | None:
        """The split the folder belongs to."""
        return None if self.split_name is None else SPLITS[self.split_name.casefold()]


@dataclass(frozen=True, slots=True)
class Group:
    """One document: its (first) file, and the labels of all folders it was found in."""

    path: Path
    labels: tuple[str, ...]
    split: Split | None


@dataclass(slots=True)
class Tree:
    """All places of a tree, in order, and for each file name the places that have it.

    Memory grows with the number of files: their names and a small tuple each.
    """

    split_names: tuple[str, ...]
    places: list[Place] = field(default_factory=list)
    files: dict[tuple[str | None, str], tuple[int, ...]] = field(default_factory=dict)
    count: int = 0
    unlabelled: int = 0
    unreadable: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def labels(self) -> frozenset[str]:
        """The labels there are."""
        return frozenset(place.label for place in self.places if place.label is not None)

    def add(self, place: Place, names: Sequence[str]) -> None:
        """Take in the files of one folder."""
        if not names:
            return
        index = len(self.places)
        self.places.append(place)
        for name in names:
            key = (place.split_name, name)
            self.files[key] = (*self.files.get(key, ()), index)
        self.count += len(names)
        if place.label is None:
            self.unlabelled += len(names)


def survey(root: Path) -> Tree:
    """List the tree under ``root``; time grows with its files, none of which is opened."""
    folders, names, failure = _listing(root)
    are_splits = bool(folders) and not names and _are_splits(folders)
    tree = Tree(tuple(folders) if are_splits else ())
    if failure:
        tree.unreadable.append((root, failure))
    if are_splits:
        for name in folders:
            _descend(root / name, (), name, tree, ())
    else:
        _descend(root, (), None, tree, ())
    return tree


def _are_splits(folders: Sequence[str]) -> bool:
    plain = {name.casefold() for name in folders}
    return plain <= SPLITS.keys() and any(SPLITS[name] for name in plain)


def _descend(
    folder: Path,
    parts: tuple[str, ...],
    split_name: str | None,
    tree: Tree,
    above: tuple[tuple[int, int], ...],
) -> None:
    """Add ``folder`` and all below it; ``above`` guards against links that lead back up."""
    folders, names, failure = _listing(folder)
    if failure:
        tree.unreadable.append((folder, failure))
        return
    status = folder.stat()
    identity = (status.st_dev, status.st_ino)
    if identity in above:
        return
    tree.add(Place(folder, shown("/".join(parts)) or None, split_name), names)
    for name in folders:
        _descend(folder / name, (*parts, name), split_name, tree, (*above, identity))


def _listing(folder: Path) -> tuple[list[str], list[str], str]:
    """List the folders and the files in a folder, sorted, without hidden ones; or why not."""
    try:
        with os.scandir(folder) as entries:
            seen = [(entry.name, entry.is_dir()) for entry in entries if entry.name[0] != "."]
    except OSError as error:
        return [], [], error.strerror or str(error)
    folders = sorted(name for name, is_folder in seen if is_folder)
    return folders, sorted(name for name, is_folder in seen if not is_folder), ""


def groups(tree: Tree, problems: Problems) -> Iterator[Group]:
    """Each document of the tree, its files brought together, in the order of first files."""
    for (_, name), indices in tree.files.items():
        places = [tree.places[index] for index in indices]
        if len(places) == 1:
            yield _group(name, places)
            continue
        for same in _same_content(name, places, problems):
            yield _group(name, same)


def _group(name: str, places: Sequence[Place]) -> Group:
    labels = tuple(place.label for place in places if place.label is not None)
    return Group(places[0].folder / name, labels, places[0].split)


def _same_content(name: str, places: Sequence[Place], problems: Problems) -> Iterator[list[Place]]:
    """Bring together the places whose file ``name`` has the same bytes, kind by kind."""
    by_size: dict[int, list[Place]] = {}
    for place in places:
        path = place.folder / name
        try:
            by_size.setdefault(path.stat().st_size, []).append(place)
        except OSError as error:
            problems.report(_unreadable(path, error))
    for candidates in by_size.values():
        if len(candidates) == 1:
            yield candidates
            continue
        by_digest: dict[bytes, list[Place]] = {}
        for place in candidates:
            path = place.folder / name
            try:
                by_digest.setdefault(_digest(path), []).append(place)
            except OSError as error:
                problems.report(_unreadable(path, error))
        yield from by_digest.values()


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.digest()


def _unreadable(path: Path, error: OSError) -> DocumentError:
    return DocumentError(str(path), "whole file", f"cannot be read ({error.strerror})")


def shown(name: str) -> str:
    """Show a file name as text, bytes that are not UTF-8 as escapes."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")

"""A tree of folders surveyed: which files are one document, and what their labels are."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postil.corpus.document import Problems, Split
from postil.corpus.formats.columns import SPLITS
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

    ``problems`` are the folders that cannot be listed and what is neither file nor folder;
    ``repeated_links`` counts links to folders that have a place by another path. Memory grows
    with the number of files: their names and a small tuple each.
    """

    split_names: tuple[str, ...] = ()
    places: list[Place] = field(default_factory=list)
    files: dict[tuple[str | None, str], tuple[int, ...]] = field(default_factory=dict)
    count: int = 0
    unlabelled: int = 0
    repeated_links: int = 0
    problems: list[DocumentError] = field(default_factory=list)

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
    """List the tree under ``root``; time grows with its files, none of which is opened.

    Links are followed, but a folder is walked once, by whatever paths it can be reached: by its
    own path if that is in the tree, else by the link nearest to the root.
    """
    tree = Tree()
    found: list[tuple[tuple[str, ...], list[str]]] = []
    walked: set[tuple[int, int]] = set()
    folders: deque[tuple[str, ...]] = deque([()])
    links: deque[tuple[str, ...]] = deque()
    while folders or links:
        parts = folders.popleft() if folders else links.popleft()
        folder = root.joinpath(*parts)
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in walked:
                tree.repeated_links += 1
                continue
            walked.add((status.st_dev, status.st_ino))
            listing = _listing(folder)
        except OSError as error:
            reason = f"cannot be listed ({error.strerror or error})"
            tree.problems.append(DocumentError(str(folder), "folder", reason))
            continue
        if not parts and not listing.files:
            tree.split_names = _splits_among(sorted(listing.folders + listing.links))
        found.append((parts, listing.files))
        folders += [(*parts, name) for name in listing.folders]
        links += [(*parts, name) for name in listing.links]
        tree.problems += [_not_a_file(folder / name) for name in listing.others]
    for parts, names in sorted(found):
        split_name = parts[0] if tree.split_names and parts else None
        label = shown("/".join(parts[1:] if split_name else parts)) or None
        tree.add(Place(root.joinpath(*parts), label, split_name), names)
    return tree


def _splits_among(folders: Sequence[str]) -> tuple[str, ...]:
    """Return the folders at the top if all are named after splits, else none."""
    plain = {name.casefold() for name in folders}
    are_splits = plain <= SPLITS.keys() and any(SPLITS[name] for name in plain)
    return tuple(folders) if are_splits else ()


@dataclass(slots=True)
class _Listing:
    """The names in a folder, without hidden ones, sorted; ``links`` are those to folders."""

    folders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def _listing(folder: Path) -> _Listing:
    listing = _Listing()
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not entry.name.startswith("."):
                _kind(listing, entry).append(entry.name)
    return listing


def _kind(listing: _Listing, entry: os.DirEntry[str]) -> list[str]:
    try:
        if entry.is_dir():
            return listing.links if entry.is_symlink() else listing.folders
        return listing.files if entry.is_file() else listing.others
    except OSError:  # a link that leads to itself, or into a folder that is closed
        return listing.others


def _not_a_file(path: Path) -> DocumentError:
    return DocumentError(
        str(path),
        "whole file",
        "is no file that can be read: a link to nothing, a pipe or a device; take it out",
    )


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

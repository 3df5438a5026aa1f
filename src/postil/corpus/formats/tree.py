"""The survey of a tree of folders: the files of each document, its labels and its split."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from postil.corpus.document import Problems, Split
from postil.corpus.formats.columns import SPLITS
from postil.errors import DocumentError


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with files in it: the label and the split it gives them."""

    folder: Path
    label: str | None
    split_name: str | None

    @property
    def split(self) -> Split | None:
        """The split that the folder belongs to."""
        return None if self.split_name is None else SPLITS[self.split_name.casefold()]


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _size(path: Path) -> int:
    return path.stat().st_size


@dataclass(slots=True)
class Tree:
    """The places of a tree, in order, and for each file name the places that have it.

    ``problems`` are the folders that cannot be listed and the entries that are neither file nor
    folder; ``repeated_links`` counts links to folders that have a place by another path. Memory
    grows with the number of files: their names and a small tuple each. ``size`` and ``digest``
    tell files of one name apart.
    """

    split_names: tuple[str, ...] = ()
    places: list[Place] = field(default_factory=list)
    files: dict[tuple[str | None, str], tuple[int, ...]] = field(default_factory=dict)
    unlabelled: int = 0
    repeated_links: int = 0
    problems: list[DocumentError] = field(default_factory=list)
    size: Callable[[Path], Hashable] = _size
    digest: Callable[[Path], Hashable] = _digest

    @property
    def labels(self) -> frozenset[str]:
        """All labels."""
        return frozenset(place.label for place in self.places if place.label is not None)

    def paths(self) -> Iterator[tuple[Path, Place]]:
        """Yield every file with its place."""
        for (_, name), indices in self.files.items():
            for index in indices:
                yield self.places[index].folder / name, self.places[index]

    def documents(self, problems: Problems) -> Iterator[tuple[Path, tuple[str, ...], Split | None]]:
        """Yield the first file, the labels and the split of each document, in order of the files.

        Files of one name and content in several folders of a split are one document.
        """
        for (_, name), indices in self.files.items():
            places = [self.places[index] for index in indices]
            groups = [places] if len(places) == 1 else self._same_content(name, places, problems)
            for group in groups:
                labels = tuple(place.label for place in group if place.label is not None)
                yield group[0].folder / name, labels, group[0].split

    def _same_content(
        self, name: str, places: Sequence[Place], problems: Problems
    ) -> Iterator[list[Place]]:
        """Group the places whose file ``name`` has the same bytes, if they have the same size."""
        for candidates in _grouped(name, places, self.size, problems):
            alone = len(candidates) == 1
            yield from [candidates] if alone else _grouped(name, candidates, self.digest, problems)


def survey(root: Path) -> Tree:
    """List the tree under ``root``; time grows with its files, none of which is opened.

    Links are followed, but a folder is listed once, however many paths lead to it: by its own
    path if that is in the tree, else by the link nearest to the root.
    """
    tree = Tree()
    found: list[tuple[tuple[str, ...], list[str]]] = []
    listed: set[tuple[int, int]] = set()
    folders: deque[tuple[str, ...]] = deque([()])
    links: deque[tuple[str, ...]] = deque()
    while folders or links:
        parts = folders.popleft() if folders else links.popleft()
        folder = root.joinpath(*parts)
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in listed:
                tree.repeated_links += 1
                continue
            listed.add((status.st_dev, status.st_ino))
            names = _names(folder)
        except OSError as error:
            reason = f"cannot be listed ({error.strerror or error})"
            tree.problems.append(DocumentError(str(folder), "folder", reason))
            continue
        if not parts and not names["file"]:
            tree.split_names = _splits_among(sorted(names["folder"] + names["link"]))
        found.append((parts, names["file"]))
        folders += [(*parts, name) for name in names["folder"]]
        links += [(*parts, name) for name in names["link"]]
        tree.problems += [_not_a_file(folder / name) for name in names["other"]]
    _fill(tree, root, found)
    return tree


def archive_survey(names: Iterable[str]) -> Tree:
    """Return the tree of an archive that holds files of these paths.

    If all lie in one folder at the top, which people pack along, the tree begins in it.
    """
    folders: dict[tuple[str, ...], set[str]] = {}
    for name in names:
        *parts, file = name.split("/")
        if any(part.startswith(".") for part in parts):
            continue
        folders.setdefault(tuple(parts), set()).add(file)
    tops = {parts[:1] for parts in folders}
    root: tuple[str, ...] = ()
    if len(tops) == 1 and tops != {()} and not _splits_among(next(iter(tops))):
        (root,) = tops
    tree = Tree()
    found = [(parts[len(root) :], sorted(files)) for parts, files in folders.items()]
    if all(parts for parts, _ in found):
        tree.split_names = _splits_among(sorted({parts[0] for parts, _ in found}))
    _fill(tree, Path(*root), found)
    return tree


def _fill(tree: Tree, root: Path, found: list[tuple[tuple[str, ...], list[str]]]) -> None:
    """Add the files that were found, by their folder below ``root``."""
    for parts, files in sorted(found):
        split_name = parts[0] if tree.split_names and parts else None
        label = shown("/".join(parts[1:] if split_name else parts)) or None
        if not files:
            continue
        tree.places.append(Place(root.joinpath(*parts), label, split_name))
        for name in files:
            key = (split_name, name)
            tree.files[key] = (*tree.files.get(key, ()), len(tree.places) - 1)
        tree.unlabelled += len(files) if label is None else 0


def _splits_among(folders: Sequence[str]) -> tuple[str, ...]:
    """Return the folders at the top if all are named after splits, else none."""
    plain = {name.casefold() for name in folders}
    are_splits = plain <= SPLITS.keys() and any(SPLITS[name] for name in plain)
    return tuple(folders) if are_splits else ()


def _names(folder: Path) -> dict[str, list[str]]:
    """Return the sorted names in a folder, without hidden ones, by kind; a link is to a folder."""
    names: dict[str, list[str]] = {"folder": [], "link": [], "file": [], "other": []}
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not entry.name.startswith("."):
                names[_kind(entry)].append(entry.name)
    return names


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_dir():
            return "link" if entry.is_symlink() else "folder"
        return "file" if entry.is_file() else "other"
    except OSError:  # a link that leads to itself, or into a folder that is closed
        return "other"


def _not_a_file(path: Path) -> DocumentError:
    return DocumentError(
        str(path),
        "whole file",
        "is no file that can be read: a link to nothing, a pipe or a device; take it out",
    )


def _grouped(
    name: str, places: Sequence[Place], key: Callable[[Path], Hashable], problems: Problems
) -> list[list[Place]]:
    """Group the places by a key of their file ``name``; unreadable files go to ``problems``."""
    groups: dict[Hashable, list[Place]] = {}
    for place in places:
        path = place.folder / name
        try:
            groups.setdefault(key(path), []).append(place)
        except OSError as error:
            reason = f"cannot be read ({error.strerror})"
            problems.report(DocumentError(str(path), "whole file", reason))
    return list(groups.values())


def shown(name: str) -> str:
    """Return a file name as text, with bytes that are not UTF-8 as escapes."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")

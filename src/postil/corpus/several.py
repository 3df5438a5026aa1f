"""Several files as one corpus: those of a folder or archive of tables, or of several inputs."""

from __future__ import annotations

import glob
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from postil.common.compression import BUFFER, extension_of, without_compression_suffix
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, Problems, SeenIds, Split
from postil.corpus.files.archives import archived
from postil.corpus.files.streams import Source
from postil.corpus.formats.columns import SPLITS, Columns, describe
from postil.corpus.formats.documents import DOCUMENT
from postil.corpus.formats.folders import FOLDERS, MANY, bad_file
from postil.corpus.formats.format import Format, Reading
from postil.corpus.formats.guessing import format_named, guess_format
from postil.corpus.formats.tree import Tree, archive_survey, shown, survey
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError, InputError, UsageError

_SPLIT_NAME = re.compile(r"([a-z]+)(?:[-_.]\d.*)?")


@dataclass(frozen=True)
class Part:
    """A file (or folder) of several: how it is opened, its name in ids, its label and split."""

    open: Callable[[], Source]
    name: str
    label: str | None = None
    split: Split | None = None


class ArchivedSource(Source):
    """A file in an archive, which can be opened any number of times."""

    def __init__(self, archive: Source, name: str) -> None:
        super().__init__(archive.path)
        self.name = f"{archive.name}/{name}"
        self.once = False
        self._archive = archive
        self._member = name

    def _open_file(self) -> BinaryIO:
        return io.BufferedReader(_MemberBytes(self._archive, self._member), BUFFER)


class _MemberBytes(io.RawIOBase):
    """The bytes of a file in an archive, which stays open as long; damage is a CorpusError."""

    def __init__(self, archive: Source, name: str) -> None:
        self._kept = ExitStack()
        members = self._kept.enter_context(closing(archived(archive)))
        for member in members:
            if member.name == name:
                break
        else:
            raise CorpusError(f"{archive.name}/{name}: there is no such file in the archive")
        try:
            self._stream = self._kept.enter_context(member.open())
        except DocumentError as error:
            raise CorpusError(str(error)) from error
        self._member = member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - a writable buffer of any kind
        try:
            with self._member.reading():
                return self._stream.readinto(buffer)  # type: ignore[attr-defined, no-any-return]
        except DocumentError as error:
            raise CorpusError(str(error)) from error

    def close(self) -> None:
        """Close the archive too."""
        self._kept.close()
        super().close()


def expanded(names: Sequence[str | Path]) -> list[str | Path]:
    """Return the names with patterns such as ``data/*.jsonl`` replaced by the files they match.

    A file whose own name holds such characters is itself.
    """
    found: list[str | Path] = []
    for name in names:
        if isinstance(name, Path) or not glob.has_magic(name) or Path(name).exists():
            found.append(name)
            continue
        matching = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - it may be absolute
        if not matching:
            raise CorpusError(f"{name}: no file matches this pattern")
        found += matching
    return found


def parts_of_inputs(paths: Sequence[Path]) -> list[Part]:
    """Return the parts that are given one by one; equal names are told apart by their paths."""
    twice = next((path for path, count in Counter(paths).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice; give it once")
    names = Counter(path.name for path in paths)
    parts = [
        Part(
            partial(Source, path),
            shown(path.as_posix() if names[path.name] > 1 else path.name),
        )
        for path in paths
    ]
    return _with_splits(parts)


def parts_of_folder(source: Source, options: ReadOptions) -> tuple[list[Part], Tree]:
    """Return the files of a folder or archive if each holds many documents, else none.

    With a format that is given (but folders), every file is taken. Empty files hold nothing.
    """
    tree = Tree()
    if options.format == FOLDERS.name:
        return [], tree
    every = options.format is not None
    parts: list[Part] = []
    if source.is_folder:
        assert source.path is not None
        root = source.path
        if every or _holds_tables(root):
            tree = survey(root)
        for path, place in tree.paths():
            if path.stat().st_size:
                name = shown(path.relative_to(root).as_posix())
                parts.append(Part(partial(Source, path), name, place.label, place.split))
    else:
        sizes: dict[str, int] = {}
        for member in archived(source):
            if not every and member.size and extension_of(member.name) not in MANY:
                return [], tree
            sizes[member.name] = member.size
        tree = archive_survey(sizes)
        for path, place in tree.paths():
            if sizes[name := path.as_posix()]:
                opener = partial(ArchivedSource, source, name)
                parts.append(Part(opener, name, place.label, place.split))
    parts.sort(key=lambda part: part.name)
    return (parts if tree.split_names else _with_splits(parts)), tree


def _holds_tables(root: Path) -> bool:
    """Return True if each file that is not empty has the extension of many documents."""
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith(".") and extension_of(name) not in MANY:
                with suppress(OSError):
                    if Path(place, name).stat().st_size:
                        return False
    return True


def _with_splits(parts: list[Part]) -> list[Part]:
    """Mark the parts whose files are called train or test, if all are called after splits."""
    splits = [_split_name(part.name) for part in parts]
    if None in splits or not any(SPLITS[name] for name in splits if name):
        return parts
    return [
        replace(part, split=SPLITS[name])
        for part, name in zip(parts, splits, strict=True)
        if name is not None
    ]


def _split_name(name: str) -> str | None:
    """Return ``train`` for ``train.csv`` or ``train-00000-of-00002.parquet``, else None."""
    stem = PurePath(without_compression_suffix(name)).stem.casefold()
    match = _SPLIT_NAME.fullmatch(stem)
    return match[1] if match and match[1] in SPLITS else None


def read_several(
    parts: Sequence[Part], options: ReadOptions, faults: Sequence[DocumentError] = ()
) -> Reading:
    """Read the parts one after the other, as one corpus; ``faults`` were met in finding them.

    Tables have to agree on their columns. Ids that come from positions begin with the name of the
    file; other ids have to differ between files as they do within one. A part that cannot be read
    is a bad document.
    """
    names: list[str] = []
    merged = _Merged()
    sentences: dict[str, str] = {}
    forms: list[TableForm | None] = []
    for part in parts:
        source = part.open()
        try:
            format, reading = _read_part(source, options)
        except InputError:
            if options.on_error == "strict":
                raise
            continue  # reported when it is read
        names.append(format.name)
        forms.append(reading.form)
        if reading.table is None:
            own = "each a text" if format is DOCUMENT else reading.sentence
            sentences.setdefault(format.name, f"{format.name}: {own}")
        else:
            merged.add(source.name, reading.table.columns)
            separator, unit = reading.table.separator, reading.table.unit

    def documents(problems: Problems) -> Iterator[Document]:
        seen = SeenIds()
        for fault in faults:
            problems.report(fault)
        for number, part in enumerate(parts, start=1):
            source = part.open()
            try:
                format, reading = _read_part(source, options)
            except InputError as error:
                kept = {"id": part.name} if merged.columns is None else None
                problems.report(bad_file(source.name, error, problems), kept)
                continue
            for document in _named(format, part, reading)(problems):
                earlier = seen.first_position(document.id, number)
                if earlier is not None and earlier != number:
                    message = (
                        f"the id {document.id!r} was given to a document before, in "
                        f"{parts[earlier - 1].name}; make ids unique, or number the documents "
                        "instead (--id-column '')"
                    )
                    problems.report(DocumentError(source.name, f"id {document.id}", message))
                    continue
                yield _placed(document, part, take_label=merged.without_labels)

    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    listed = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    if merged.columns is not None:
        sentences["table"] = describe(merged.columns, separator, unit)
        if merged.without_labels and any(part.label for part in parts):
            sentences["table"] += "; labels from folders"
    if any(part.split for part in parts):
        sentences["split"] = "splits from the names of files"
    sentence = "; ".join([f"{len(parts):,} files ({listed})", *sentences.values()])
    form = forms[0] if len({form and form.names for form in forms}) == 1 else None
    if form is not None:
        own = names[0] if len(counts) == 1 else ""
        form = replace(form, columns=merged.columns, format=own)
    return Reading(documents, sentence, form)


def _read_part(source: Source, options: ReadOptions) -> tuple[Format, Reading]:
    format = format_named(options.format) if options.format else guess_format(source, options)
    if source.is_folder and format is not FOLDERS:
        raise CorpusError(f"{source.name}: is a folder, and {format.name} is read from a file")
    format.check_options(options)
    return format, format.read(source, options)


def _named(
    format: Format, part: Part, reading: Reading
) -> Callable[[Problems], Iterator[Document]]:
    """Return the documents of a part with ids that say which part they come from."""
    if reading.table is not None:
        return replace(reading.table, prefix=f"{part.name}:").documents
    between = "/" if format is FOLDERS else ":"

    def documents(problems: Problems) -> Iterator[Document]:
        for document in reading.documents(problems):
            identity = part.name if format is DOCUMENT else f"{part.name}{between}{document.id}"
            yield replace(document, id=identity)

    return documents


def _placed(document: Document, part: Part, *, take_label: bool) -> Document:
    """Give a document the split of its part, and its label where no column holds labels."""
    labels = (part.label,) if take_label and part.label is not None else document.labels
    if labels is document.labels and (part.split is None or document.split is not None):
        return document
    return replace(document, labels=labels, split=document.split or part.split)


class _Merged:
    """The columns of all tables, which must not play different parts in two of them."""

    def __init__(self) -> None:
        self.columns: Columns | None = None
        self._names: dict[str, str] = {}

    @property
    def without_labels(self) -> bool:
        """True if there are tables, and none has a column of labels."""
        return self.columns is not None and self.columns.labels is None

    def add(self, source: str, columns: Columns) -> None:
        """Add the columns of a table; raise CorpusError if they contradict the earlier ones."""
        found = {**dict.fromkeys(columns.fields, "text"), **_parts(columns)}
        found |= dict.fromkeys(columns.unused, "nothing")
        for column, part in found.items():
            earlier = self._names.setdefault(column, part)
            if earlier != part:
                raise CorpusError(
                    f"{source}: the column {column!r} is read as {part}, and in the files before "
                    f"it as {earlier}; say what the columns are (--text-columns, --label-column, "
                    "--id-column, --split-column)"
                )
        if self.columns is None:
            self.columns = columns
            return
        for role, (own, other) in _both(columns, self.columns):
            raise CorpusError(
                f"{source}: the column with the {role} is called {own!r}, and {other!r} in the "
                "files before it; give the columns the same names"
            )
        kept: dict[str, Any] = {
            name: getattr(columns, name) or getattr(self.columns, name)
            for name in (field.name for field in fields(Columns))
        }
        kept["fields"] = {**self.columns.fields, **columns.fields}
        kept["unused"] = tuple(dict.fromkeys((*self.columns.unused, *columns.unused)))
        self.columns = Columns(**kept)


def _parts(columns: Columns) -> dict[str, str]:
    """Return what each column of one name holds besides text: ``{"label": "labels"}``."""
    values = {field.name: getattr(columns, field.name) for field in fields(Columns)}
    return {value: name for name, value in values.items() if isinstance(value, str)}


def _both(first: Columns, second: Columns) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the parts that two tables have in columns of different names."""
    own = {part: column for column, part in _parts(first).items()}
    others = {part: column for column, part in _parts(second).items()}
    for part in own.keys() & others.keys():
        if own[part] != others[part]:
            yield part, (own[part], others[part])

"""Folders: a folder for each category, a file for each document."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from postil.common.compression import extension_of
from postil.common.files import output_folder
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files import textlines
from postil.corpus.files.archives import Member, archived
from postil.corpus.files.documents import WHOLE, has_main_text, read_document
from postil.corpus.files.kinds import HTML, MAIL, MBOX
from postil.corpus.files.streams import Source
from postil.corpus.formats.columns import SPLITS
from postil.corpus.formats.format import Format, Reading, UnwritableError, WriteDocument, Writing
from postil.corpus.formats.records import SELDOM_LOSSES
from postil.corpus.formats.text import encoded, keeping_mark, text_field
from postil.corpus.formats.tree import Tree, archive_survey, shown, survey
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

# Extensions of files that hold many documents.
MANY: dict[str, str] = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "JSON"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "a table"),
    **dict.fromkeys((".parquet", ".pq"), "a Parquet table"),
    **dict.fromkeys((".ft", ".fasttext", ".annif", ".lines"), "one a line"),
    ".xlsx": "a workbook",
    ".mbox": "a mailbox",
}
LONGEST_NAME = 200
SAFE = " !#$&'()+,;=@[]^_`{}~-."


def read(source: Source, options: ReadOptions) -> Reading:
    """Read each file as a document whose label is the path of its folder.

    - ``sport/17.txt`` has the label ``sport``, ``sport/ball/3.txt`` the label ``sport/ball``;
      a file at the top has none.
    - If all folders at the top are called train or test (or validation, which is no split),
      they are splits, and categories are the folders in them.
    - Files with the same name *and the same content* in several folders of a split are one
      document with several labels; with different content they are different documents.
    - A file is plain text, a PDF, a DOCX, an HTML page or a mail; any other is a bad document,
      and so is a file that holds many documents.
    - Files and folders whose names begin with a dot are ignored.
    - Links are followed, but no folder is read twice. A pipe, a device or a link to nothing is
      a bad document.
    - The id is the path of the (first) file. Documents come in the order of their paths.

    A tar or zip archive is read as the folder that was packed, in its own order.

    The list of file names is held in memory, about 200 bytes a file; texts are not.
    """
    field = text_field(options, "folders")
    files: _Files = _Folder(source) if source.is_folder else _Archive(source)
    tree = files.survey()
    if not tree.files:
        what = "folder" if source.is_folder else "archive"
        raise CorpusError(f"{source.name}: there are no files in this {what}, so no documents")

    def documents(problems: Problems) -> Iterator[Document]:
        tree = files.survey()
        for error in tree.problems:
            problems.report(error)
        for file, labels, split in files.documents(tree, problems):
            try:
                if options.format is None:
                    _refuse_many(file.source)
                with file.opener() as stream:
                    text = read_document(stream, file.source, file.source, options.encoding)
            except (DocumentError, CorpusError, OSError) as error:
                problems.report(bad_file(file.source, error, problems), {"id": file.identity})
                continue
            yield Document(file.identity, {field: text}, labels, split)

    return Reading(documents, _sentence(tree))


@dataclass(frozen=True, slots=True)
class _File:
    """A file that is a document: its id, its name for messages, and how it is opened."""

    identity: str
    source: str
    opener: Callable[[], AbstractContextManager[BinaryIO]]


_Found = Iterator[tuple[_File, tuple[str, ...], Split | None]]


class _Files(Protocol):
    """The files of a folder or archive."""

    def survey(self) -> Tree:
        """Return the tree of the files."""

    def documents(self, tree: Tree, problems: Problems) -> _Found:
        """Yield the files that are documents, with labels and split."""


class _Folder:
    def __init__(self, source: Source) -> None:
        assert source.path is not None
        self._root = source.path

    def survey(self) -> Tree:
        return survey(self._root)

    def documents(self, tree: Tree, problems: Problems) -> _Found:
        for path, labels, split in tree.documents(problems):
            identity = shown(path.relative_to(self._root).as_posix())
            yield _File(identity, str(path), partial(_opened, path)), labels, split


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    return Source(path).open()


class _Archive:
    """The files of an archive, which is read from its beginning in each pass.

    A pass for the names comes first; one more finds equal files, if names and sizes repeat.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._state: object = None
        self._tree = Tree()
        self._digests: dict[str, Hashable] = {}

    def survey(self) -> Tree:
        """Return the tree of the files, found anew if the archive was replaced."""
        path = self._source.path
        status = None if path is None else path.stat()
        state = status and (status.st_mtime_ns, status.st_size)
        if self._tree.files and state == self._state:
            return self._tree
        sizes: dict[str, int] = {}
        for member in self._members():
            sizes.setdefault(member.name, member.size)
        self._state, self._tree, self._digests = state, archive_survey(sizes), {}
        self._tree.size = lambda path: sizes[path.as_posix()]
        self._tree.digest = partial(self._digest, sizes)
        return self._tree

    def documents(self, tree: Tree, problems: Problems) -> _Found:
        wanted = {
            path.as_posix(): (labels, split) for path, labels, split in tree.documents(problems)
        }
        met: set[str] = set()
        for member in self._members():
            if member.name in met:
                problems.report(member.error("is in the archive twice; take one of them out"))
            elif member.name in wanted:
                met.add(member.name)
                source = f"{self._source.name}/{member.name}"
                yield _File(member.name, source, member.open), *wanted[member.name]

    def _members(self) -> Iterator[Member]:
        try:
            yield from archived(self._source)
        except CorpusError as error:
            if self._source.path is not None and "not a tar archive" in str(error):
                raise CorpusError(
                    f"{self._source.name}: is not a folder or archive, or damaged, so it cannot "
                    f"be read as folders ({error})"
                ) from error
            raise

    def _digest(self, sizes: Mapping[str, int], path: Path) -> Hashable:
        """Return the digest of a file; all that are needed are found in one pass."""
        if not self._digests:
            alike = Counter((name.rpartition("/")[2], size) for name, size in sizes.items())
            for member in self._members():
                if alike[member.parts[-1], member.size] < 2:
                    continue
                if member.size > textlines.LONGEST_LINE:  # too long to be read
                    self._digests[member.name] = member.name
                    continue
                digest = hashlib.sha256()
                try:
                    for chunk in member.chunks(1 << 16):
                        digest.update(chunk)
                except DocumentError:  # reported when it is read
                    self._digests[member.name] = member.name
                    continue
                self._digests[member.name] = digest.digest()
        return self._digests[path.as_posix()]


def _sentence(tree: Tree) -> str:
    parts = [
        f"{sum(map(len, tree.files.values())):,} files, labels from {len(tree.labels)} folders"
    ]
    if tree.unlabelled:
        parts.append(f"without a label, at the top: {tree.unlabelled:,}")
    if tree.split_names:
        parts.append("splits from " + ", ".join(tree.split_names))
    if tree.repeated_links:
        parts.append(f"links to folders that are read anyway: {tree.repeated_links:,}")
    return "; ".join([*parts, *notes_on(name for _, name in tree.files), "ids from paths"])


def notes_on(names: Iterable[str]) -> list[str]:
    """Return what a reader of these files should know: what is left out of mails and pages."""
    extensions = {extension_of(name) for name in names}
    notes = []
    if extensions & {*MAIL.extensions, *MBOX.extensions}:
        notes.append("mails without their attachments")
    if extensions & {*HTML.extensions} and not has_main_text():
        notes.append(
            "HTML pages with their menus (pip install trafilatura tells the main text from them)"
        )
    return notes


def _refuse_many(source: str) -> None:
    many = MANY.get(extension_of(source))
    if many:
        raise DocumentError(
            source,
            WHOLE,
            f"holds many documents ({many}), and lies among files that are a document each; open "
            "it alone, or read it as one text, too (--format folders)",
        )


def bad_file(source: str, error: Exception, problems: Problems) -> DocumentError:
    """Return the error as one about a document that is a file, with the advice to skip it."""
    position = error.position if isinstance(error, DocumentError) else WHOLE
    reason = str(error).removeprefix(source).lstrip(":, ").removeprefix(position).lstrip(":, ")
    return DocumentError(source, position, reason + problems.or_skip("the file"))


@contextmanager
def write(writing: Writing) -> Iterator[WriteDocument]:
    """Write ``[split/]label/id.txt``, once under each label; fields are joined by a blank line.

    Characters that do not belong in file names are written as ``%XX`` in ids. A label that
    cannot be a folder name, an id that was used before, or a corpus in which only some documents
    have a split is an error. The folder appears under its name when it is complete.
    """
    with output_folder(writing.target) as root:
        has_split: bool | None = None

        def write_document(document: Document) -> None:
            nonlocal has_split
            if has_split is None:
                has_split = document.split is not None
            if has_split != (document.split is not None):
                raise UnwritableError(
                    "has a split and an earlier document has none, or the reverse; folders "
                    "carry splits for all or none: write jsonl, or one split at a time"
                )
            text = encoded("\n\n".join(text for text in document.fields.values() if text))
            for label in document.labels or (None,):
                folder = root.joinpath(*_parts(document.split, label))
                _write_new(folder / _file_name(document.id), text)

        yield write_document


def _parts(split: str | None, label: str | None) -> list[str]:
    names = [] if label is None else label.split("/")
    if any(name in {"", ".", ".."} or name.startswith(".") for name in names):
        raise UnwritableError(
            f"has the label {label!r}, which cannot be the name of a folder; write jsonl"
        )
    if split is None and names and names[0].casefold() in SPLITS:
        raise UnwritableError(
            f"has the label {label!r}, and a folder of that name would be taken for a split; "
            "write jsonl"
        )
    for name in names:
        encoded(name)
    return names if split is None else [split, *names]


def _file_name(identity: str) -> str:
    from urllib.parse import quote

    name = quote(identity, safe=SAFE)
    if len(name) > LONGEST_NAME or name.startswith("."):
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        name = f"{name[:100].lstrip('.')}-{digest}"
    return name + ".txt"


def _write_new(path: Path, text: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(keeping_mark(text))
    except FileExistsError:
        raise UnwritableError("has the id of an earlier document; ids must differ") from None
    except OSError as error:
        raise UnwritableError(f"cannot be written to {path.name} ({error.strerror})") from error


FOLDERS = Format(
    name="folders",
    extensions=(),
    description="a folder per category with a file per document, also in a zip or tar archive",
    read=read,
    options=frozenset({"encoding", "text_columns"}),
    sniff=lambda _head, _options: False,  # a folder or archive is recognised before
    write=write,
    drops=(
        "the order of documents and labels",
        "ids (they become paths)",
        "field names",
        *SELDOM_LOSSES,
    ),
)

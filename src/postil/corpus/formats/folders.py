"""Folders: a folder for each category, a file for each document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.common.files import output_folder
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import read_text
from postil.corpus.formats.columns import SPLITS
from postil.corpus.formats.format import Format, Reading, UnwritableError, WriteDocument, Writing
from postil.corpus.formats.records import SELDOM_LOSSES
from postil.corpus.formats.text import encoded, keeping_mark, text_field
from postil.corpus.formats.tree import Tree, shown, survey
from postil.corpus.options import ReadOptions
from postil.errors import CorpusError, DocumentError

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
    - Files and folders whose names begin with a dot are ignored.
    - Links are followed, but no folder is read twice. A pipe, a device or a link to nothing is
      a bad document.
    - The id is the path of the (first) file. Documents come in the order of their paths.

    The list of file names is held in memory, about 200 bytes a file; texts are not.
    """
    field = text_field(options, "folders")
    if source.path is None or not source.is_folder:
        raise CorpusError(f"{source.name}: is not a folder, so it cannot be read as folders")
    root = source.path
    tree = survey(root)
    if not tree.files:
        raise CorpusError(f"{source.name}: there are no files in this folder, so no documents")

    def documents(problems: Problems) -> Iterator[Document]:
        tree = survey(root)
        for error in tree.problems:
            problems.report(error)
        for path, labels, split in tree.documents(problems):
            try:
                text = _text(path, options.encoding)
            except (DocumentError, CorpusError, OSError) as error:
                problems.report(_bad_file(path, error))
                continue
            identity = shown(path.relative_to(root).as_posix())
            yield Document(identity, {field: text}, labels, split)

    return Reading(documents, _sentence(tree))


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
    return "; ".join([*parts, "ids from paths"])


def _text(path: Path, encoding: str | None) -> str:
    source = Source(path)
    with source.open() as stream:
        return read_text(stream, source.name, encoding)


def _bad_file(path: Path, error: Exception) -> DocumentError:
    if isinstance(error, DocumentError):
        return error
    reason = str(error).removeprefix(f"{path}").lstrip(":, ")
    return DocumentError(str(path), "whole file", reason)


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
    description="a folder per category with a file per document; train and test above them",
    read=read,
    options=frozenset({"encoding", "text_columns"}),
    sniff=lambda _head, _options: False,  # a folder is recognised without its content
    write=write,
    drops=(
        "the order of documents and labels",
        "ids (they become paths)",
        "field names",
        *SELDOM_LOSSES,
    ),
)

"""Write a corpus with the fixes that a check can make itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from postil.check.check import CorpusCheck
from postil.check.label_errors import Suspect
from postil.check.reading import pick
from postil.common.escaping import visible
from postil.corpus.corpus import TableForm
from postil.corpus.document import Document, text_start
from postil.corpus.formats.columns import LABEL_SEPARATOR, Columns
from postil.corpus.formats.format import RowWriting, UnwritableError, WriteRows
from postil.corpus.formats.xlsx import SheetRow
from postil.corpus.writing import output_format, write_corpus
from postil.errors import CorpusError, DocumentError

ROWS_AT_ONCE = 1000
CELLS = frozenset({"csv", "tsv", "xlsx"})
"""The formats with several labels in a cell of text."""


@dataclass(frozen=True, slots=True, eq=False)
class Cleaning:
    """The fixes of a check: documents to drop, and groups of near copies.

    Parameters
    ----------
    dropped : array
        True for documents that repeat an earlier one: text, labels and split.
    names : mapping of int to str
        The group of each document that is kept with near copies and has no group of its own.
    groups : int
        The number of groups of near copies.
    """

    source: str
    dropped: np.ndarray[tuple[int], np.dtype[np.bool_]]
    names: Mapping[int, str]
    groups: int

    @classmethod
    def of(cls, check: CorpusCheck) -> Cleaning:
        """Return the fixes.

        Documents keep the groups that they have. Near copies without one join the first of their
        near copies that has one, or get a group that is named after the first of them.
        """
        facts = check.facts
        near = facts.copies.groups.tolist()
        dropped = facts.droppable
        copied = np.bincount(facts.copies.groups[~dropped], minlength=facts.documents)
        own: dict[int, str] = {}
        for group, name in zip(near, facts.groups, strict=True):
            if name is not None:
                own.setdefault(group, name)
        names = {
            row: own.get(group) or f"copies of {facts.ids[group]}"
            for row, group in enumerate(near)
            if facts.groups[row] is None and copied[group] > 1 and not dropped[row]
        }
        return cls(facts.source, dropped, names, int((copied > 1).sum()))

    def of_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents that are kept, with their groups."""
        count = 0
        for row, document in enumerate(documents):
            count = row + 1
            if row >= len(self.dropped):
                break
            if not self.dropped[row]:
                group = self.names.get(row)
                yield document if group is None else replace(document, group=group)
        if count != len(self.dropped):
            raise CorpusError(
                f"{self.source}: it had {len(self.dropped):,} documents when it was checked and "
                f"has {'more' if count > len(self.dropped) else count} now; check it again"
            )


def dropped_ids(check: CorpusCheck) -> list[dict[str, str]]:
    """Return the id of each document that is dropped, with that of the one that is kept."""
    facts = check.facts
    return [
        {"id": facts.ids[row], "kept": facts.ids[facts.repeated[row]]}
        for row in np.flatnonzero(facts.droppable).tolist()
    ]


def keeps_rows(form: TableForm | None, target: str) -> bool:
    """Return True if the rows of a table of this form can be written to a target as they are.

    A string of labels is split in a cell and not in JSON, so that formats of one sort go together.
    """
    format = output_format(target).name
    return form is not None and (form.format == format or {form.format, format} <= CELLS)


def write_cleaned(
    check: CorpusCheck,
    cleaning: Cleaning,
    documents: Iterable[Document],
    form: TableForm | None,
    target: str,
) -> int:
    """Write the documents that are kept, and return their number.

    Rows keep their columns as they are where the target can hold them (:func:`keeps_rows`). What
    documents have and their rows lack, a group or what the name of a file says, goes into the empty
    cell, or into a new column.

    Parameters
    ----------
    check : CorpusCheck
        The check.
    cleaning : Cleaning
        Its fixes.
    documents : iterable of Document
        The documents again, with their rows if they come from a table.
    form : TableForm, optional
        The form of the table.
    target : str
        The file.
    """
    kept = cleaning.of_documents(documents)
    if form is None or form.columns is None or not keeps_rows(form, target):
        return write_corpus(kept, target)
    facts, columns = check.facts, form.columns
    added: dict[str, type] = {}
    if columns.labels is None and facts.labels.members.nnz:
        added["labels"] = list
    if columns.split is None and any(facts.splits):
        added["split"] = str
    if columns.group is None and cleaning.names:
        added["group"] = str
    count = 0
    with _rows_writer(target, form, added) as write_rows:
        while some := list(islice(kept, ROWS_AT_ONCE)):
            records = [_completed(document, columns) for document in some]
            values = [[getattr(document, name) for name in added] for document in some]
            try:
                write_rows(records, values)
            except UnwritableError as error:
                where = f"one of the documents {some[0].id!r} to {some[-1].id!r}"
                raise DocumentError(target, where, str(error)) from None
            count += len(some)
    return count


def _completed(document: Document, columns: Columns) -> Mapping[str, object]:
    """Return the row of a document, with its split and group where their cells are empty."""
    record = document.record
    assert record is not None, "the reader was asked to keep rows"
    for name, value in ((columns.split, document.split), (columns.group, document.group)):
        if name is not None and value is not None and record.get(name) in (None, ""):
            changed = record.with_text(name, value) if isinstance(record, SheetRow) else None
            record = changed or {**record, name: value}
    return record


def _rows_writer(
    target: str | Path, form: TableForm, added: Mapping[str, type]
) -> AbstractContextManager[WriteRows]:
    """Open a table; a new column has another name if there is one of its name already."""
    format = output_format(target)
    assert format.write_rows is not None
    names = {}
    for name, kind in added.items():
        while name in form.names:
            name = f"new {name}"  # noqa: PLW2901 - until it is free
        names[name] = kind
    return format.write_rows(RowWriting(target, form, names, LABEL_SEPARATOR))


def suspects_path(target: str) -> Path:
    """Return the file for suspects beside a target: clean.suspects.csv beside clean.csv.

    It is a table if the target is one, else JSON Lines.
    """
    path = Path(target)
    stem, _, extensions = path.name.partition(".")
    if not output_format(target).fixed_columns:
        extensions = "jsonl"
    return path.with_name(f"{stem or path.name}.suspects.{extensions}")


def write_suspects(
    check: CorpusCheck, documents: Iterable[Document], form: TableForm | None, path: Path
) -> int:
    """Write the documents with likely label errors, the worst first.

    Parameters
    ----------
    check : CorpusCheck
        The check.
    documents : iterable of Document
        The documents again, for the starts of their texts.
    form : TableForm, optional
        The form of the table that the documents come from.
    path : Path
        The file: a table, or a line of JSON for each.
    """
    rows = np.unique(np.array([each.row for each in check.suspects], dtype=np.int64))
    texts = {row: visible(text_start(document)) for row, document in pick(documents, rows)}
    is_table = output_format(path).fixed_columns
    records = [_suspect(check, each, texts[each.row], is_table) for each in check.suspects]
    kinds = {"labels": list, "suggested": list, "suggested probabilities": float}
    kinds |= {"doubted": list, "doubted probabilities": float, "quality": float}
    own = TableForm(("id", "split", "text"))
    if form is not None:
        own = replace(form, names=own.names, schema=None)
    added = kinds if is_table else {}
    with _rows_writer(path, own, added) as write_rows:
        write_rows(records, [[record[name] for name in added] for record in records])
    return len(records)


def _suspect(check: CorpusCheck, suspect: Suspect, text: str, is_table: bool) -> dict[str, Any]:
    """Return what is told of a suspect: probabilities by label, or in columns of their own."""
    facts = check.facts
    members = facts.labels.members
    given = members.indices[members.indptr[suspect.row] : members.indptr[suspect.row + 1]]
    record: dict[str, Any] = {
        "id": facts.ids[suspect.row],
        "split": facts.splits[suspect.row] or None,
        "text": text,
        "labels": [facts.labels.names[column] for column in given.tolist()],
    }
    for key, labels in (("suggested", suspect.lacks), ("doubted", suspect.has)):
        chances = {name: round(p, 4) for name, p in labels}
        record[key] = list(chances) if is_table else chances
        if is_table:
            record[f"{key} probabilities"] = list(chances.values())
    quality = round(suspect.quality, 6)
    return {**record, "quality": [quality] if is_table else quality}

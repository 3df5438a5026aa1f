"""Write a corpus with the fixes that a check can make itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from postil.check.check import CorpusCheck
from postil.common.escaping import escaped_json
from postil.common.files import output_file
from postil.corpus.document import Document
from postil.errors import CorpusError


@dataclass(frozen=True, slots=True, eq=False)
class Cleaning:
    """The fixes of a check: documents to drop, and groups of near copies.

    Parameters
    ----------
    dropped : array
        True for documents that repeat an earlier one: text, labels and split.
    names : mapping of int to str
        The group of each document that is near copies with others or has a group of its own.
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

        Near copies that have groups of their own join these: all get the name that comes first.
        Others are named after their first document.
        """
        facts = check.facts
        dropped = facts.droppable
        joined = facts.copies.joined(facts.groups)
        kept = np.bincount(joined[~dropped], minlength=facts.documents)
        copied = np.bincount(facts.copies.groups[~dropped], minlength=facts.documents)
        names: dict[int, str] = {}
        for group, own in zip(joined.tolist(), facts.groups, strict=True):
            if own is not None or kept[group] > 1:
                names[group] = names.get(group) or own or ""
        texts = {group: name or f"copies of {facts.ids[group]}" for group, name in names.items()}
        return cls(
            facts.source,
            dropped,
            {row: texts[group] for row, group in enumerate(joined.tolist()) if group in texts},
            int((copied > 1).sum()),
        )

    def of_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents that are kept, with their groups."""
        count = 0
        for row, document in enumerate(documents):
            count = row + 1
            if row >= len(self.dropped):
                break
            if not self.dropped[row]:
                yield replace(document, group=self.names.get(row))
        if count != len(self.dropped):
            raise CorpusError(
                f"{self.source}: it had {len(self.dropped):,} documents when it was checked and "
                f"has {'more' if count > len(self.dropped) else count} now; check it again"
            )


def suspects_path(target: str) -> Path:
    """Return the file for suspects beside a target: cleaned.suspects.jsonl beside cleaned.csv."""
    path = Path(target)
    stem = path.name.split(".")[0] or path.name
    return path.with_name(f"{stem}.suspects.jsonl")


def write_suspects(check: CorpusCheck, path: Path) -> int:
    """Write the documents with likely label errors, a line of JSON each, the worst first."""
    facts = check.facts
    members = facts.labels.members
    with output_file(path) as file:
        for each in check.suspects:
            given = members.indices[members.indptr[each.row] : members.indptr[each.row + 1]]
            record: dict[str, Any] = {
                "id": facts.ids[each.row],
                "split": "test" if facts.tested[each.row] else None,
                "labels": [facts.labels.names[column] for column in given.tolist()],
                "suggested": {name: round(p, 4) for name, p in each.lacks},
                "doubted": {name: round(p, 4) for name, p in each.has},
                "quality": round(each.quality, 6),
            }
            file.write(escaped_json(json.dumps(record, ensure_ascii=False)).encode() + b"\n")
    return len(check.suspects)

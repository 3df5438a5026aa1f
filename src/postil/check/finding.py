"""Findings of a check: the problems of one kind with their numbers, examples and advice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_GROUPS = 5
MOST_ROWS = 50


@dataclass(frozen=True, slots=True)
class Example:
    """A document that shows a problem.

    Parameters
    ----------
    row : int
        Its position in the corpus, from 0.
    note : str
        The sign of the problem in this document.
    group : int
        Examples of the same number belong together; 0 if each stands alone.
    id, split, labels, text
        Those of the document; the text is its start, or the part that shows the problem.
    """

    row: int
    note: str = ""
    group: int = 0
    id: str = ""
    split: str = ""
    labels: tuple[str, ...] = ()
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the example for JSON; without a group, that is left out."""
        group = {"group": self.group} if self.group else {}
        return {
            "id": self.id,
            "split": self.split or None,
            "labels": list(self.labels),
            "note": self.note,
            **group,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """The problems of one kind.

    Parameters
    ----------
    kind : str
        The name of the kind, for programs.
    title : str
        The name of the kind, for readers.
    count, noun : int, str
        How many documents, labels or passages have the problem.
    summary : str
        What was found, in a sentence or two.
    harm : str
        What it does to a model or to its measured score.
    advice : str
        What to do about it.
    numbers : dict
        Further numbers, for programs.
    header, rows
        A table of labels or passages, its first rows.
    examples : tuple of Example
        Some of the documents.
    groups : tuple
        The ids of all documents that belong together, group by group, where copies are found.
    """

    kind: str
    title: str
    count: int
    noun: str
    summary: str
    harm: str
    advice: str
    numbers: dict[str, float] | None = None
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    examples: tuple[Example, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for JSON; without groups, these are left out."""
        groups = {"groups": [list(group) for group in self.groups]} if self.groups else {}
        return {
            "kind": self.kind,
            "title": self.title,
            "count": self.count,
            "of": self.noun,
            "summary": self.summary,
            "harm": self.harm,
            "advice": self.advice,
            "numbers": dict(self.numbers or {}),
            "table": [dict(zip(self.header, row, strict=True)) for row in self.rows],
            "examples": [example.to_dict() for example in self.examples],
            **groups,
        }


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as 1 document or 1,200 documents."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def are(number: int, one: str = "is", several: str = "are") -> str:
    """Return the verb of a number of things."""
    return one if number == 1 else several


def percent(part: float, whole: float = 1.0) -> str:
    """Return a share in percent, with a digit after the point if it is under 10 %."""
    share = 100 * part / whole if whole else 0.0
    return f"{share:.1f} %" if share < 9.95 else f"{share:.0f} %"


def some(names: Sequence[str], most: int = 3) -> str:
    """Return the first names of a list in quotes, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def listed(ids: Sequence[str], most: int = 10) -> str:
    """Return the first ids of a list, and how many more there are."""
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def grouped(groups: Iterable[Iterable[tuple[int, str]]]) -> tuple[Example, ...]:
    """Return examples of groups of documents, each a row and a note."""
    return tuple(
        Example(row, note, number) for number, group in enumerate(groups, 1) for row, note in group
    )

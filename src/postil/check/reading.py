"""The pass over a corpus that a check begins with, and later ones that pick documents."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.check.passages import passages_of
from postil.common.progress import StepProgress
from postil.common.types import Ints
from postil.corpus.copies import Copies, CopySearch
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.learn.job import Labels
from postil.vectors.rows import RowFacts

REPORTED = 4096  # documents between two reports of progress
MOST_DAMAGED = 20
AROUND = 40  # characters shown on each side of damage

# The bytes 0x80 to 0xBF as Windows-1252 shows them, and Latin-1.
_TAILS = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
# UTF-8 of two or three bytes that was read as Windows-1252 or Latin-1.
_MOJIBAKE = rf"[Â-ß][{_TAILS}]|[à-ï][{_TAILS}]{{2}}"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_DAMAGE = re.compile(rf"(\ufffd)|({_MOJIBAKE})|({_CONTROL.pattern})")
DAMAGES = (
    "replacement characters (U+FFFD)",
    "UTF-8 read as another encoding (as Ã© for é)",
    "control characters",
)


class Damaged(NamedTuple):
    """A document with signs of a wrong encoding: its row, the sign, and the text around it."""

    row: int
    sign: str
    text: str


@dataclass(frozen=True, eq=False)
class Facts:
    """All that a check keeps of the documents; arrays and lists are by position.

    Parameters
    ----------
    source : str
        The name of the corpus.
    ids, splits, groups, partly
        Id, split (empty without one), group, and True if judged for some labels only.
    labels : Labels
        The labels; ``members`` is documents × labels.
    label_keys, keys : array
        Equal for documents of the same labels; equal if split and all about labels agree.
    copies, search
        The copies among the documents, and the search that tells similarities.
    damages, damaged
        The documents of each sign of a wrong encoding, and the first of them.
    passage_hashes, passage_rows : array
        The hashes of the passages of each document, and its row.
    """

    source: str
    ids: list[str]
    splits: list[str]
    groups: list[str | None]
    partly: NDArray[np.bool_]
    labels: Labels
    label_keys: Ints
    keys: Ints
    copies: Copies
    search: CopySearch
    damages: Counter[str]
    damaged: list[Damaged]
    passage_hashes: Ints
    passage_rows: Ints

    @property
    def documents(self) -> int:
        """The number of documents."""
        return len(self.ids)

    @cached_property
    def tested(self) -> NDArray[np.bool_]:
        """True for a document marked test."""
        return np.array([split == "test" for split in self.splits], dtype=np.bool_)

    @cached_property
    def label_counts(self) -> Ints:
        """The number of labels of each document."""
        return np.diff(self.labels.members.indptr).astype(np.int64)

    @cached_property
    def has_splits(self) -> bool:
        """True if some documents are marked test and others are not."""
        return bool(self.tested.any() and not self.tested.all())

    @cached_property
    def single(self) -> bool:
        """True if every document with labels has exactly one."""
        return bool(self.label_counts.max(initial=0) == 1)

    @cached_property
    def repeated(self) -> Ints:
        """The first document with the same text, split and labels, for each."""
        # Rows of the same text and key follow each other, in order.
        equal, order = self.copies.equal, np.lexsort((self.keys, self.copies.equal))
        other = np.diff(equal[order]).astype(bool) | np.diff(self.keys[order]).astype(bool)
        begins = np.concatenate([[True], other])
        firsts = np.empty(self.documents, dtype=np.int64)
        firsts[order] = order[begins][np.cumsum(begins) - 1]
        return firsts

    @cached_property
    def droppable(self) -> NDArray[np.bool_]:
        """True for a document that repeats an earlier one: text, split and labels."""
        return np.asarray(self.repeated != np.arange(self.documents))


def read_facts(corpus: Corpus, threads: int | None, progress: StepProgress) -> Facts:
    """Read all documents once.

    Cost: time linear in the texts; memory is at most a kilobyte for each document, and no text.
    """
    search, facts = CopySearch(threads), RowFacts()
    label_keys, keys = array("q"), array("q")
    hashes, hashed_rows = array("q"), array("q")
    names: dict[str, str] = {}
    groups: list[str | None] = []
    damages: Counter[str] = Counter()
    damaged: list[Damaged] = []
    for row, (document, text) in enumerate(search.reading(corpus)):
        facts.add(document)
        label_key = hash(frozenset(document.labels))
        label_keys.append(label_key)
        keys.append(hash((label_key, document.split, _known(document))))
        groups.append(names.setdefault(document.group, document.group) if document.group else None)
        own = {hash(passage) for passage in passages_of(text)}
        hashes.extend(own)
        hashed_rows.extend([row] * len(own))
        if not text.isascii() or _CONTROL.search(text):
            _note_damage(row, text, damages, damaged)
        if (row + 1) % REPORTED == 0:
            progress("reading", row + 1, None)
    return Facts(
        corpus.name,
        facts.ids,
        facts.splits,
        groups,
        np.array(facts.partly, dtype=np.bool_),
        Labels(tuple(facts.categories), facts.indicator().astype(bool)),
        np.array(label_keys, dtype=np.int64),
        np.array(keys, dtype=np.int64),
        search.find(progress),
        search,
        damages,
        damaged,
        np.array(hashes, dtype=np.int64),
        np.array(hashed_rows, dtype=np.int64),
    )


def _known(document: Document) -> object:
    known = document.not_labels
    return (known if known is None else frozenset(known), frozenset(document.probabilities.items()))


def _note_damage(row: int, text: str, damages: Counter[str], damaged: list[Damaged]) -> None:
    found: dict[str, int] = {}
    for match in _DAMAGE.finditer(text):
        sign = DAMAGES[(match.lastindex or 1) - 1]
        if match[2] is None or _reads_as_utf8(match[2]):
            found.setdefault(sign, match.start())
    damages.update(found.keys())
    if found and len(damaged) < MOST_DAMAGED:
        sign, start = next(iter(found.items()))
        around = " ".join(text[max(0, start - AROUND) : start + AROUND].split())
        damaged.append(Damaged(row, sign, around))


def _reads_as_utf8(text: str) -> bool:
    """Return True if the text is UTF-8 when written as Windows-1252, or as Latin-1."""
    for encoding in ("cp1252", "latin-1"):
        try:
            text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


def pick(documents: Iterable[Document], rows: Ints) -> Iterator[tuple[int, Document]]:
    """Yield the documents at some positions, which rise, and read no further than the last."""
    wanted = iter(rows.tolist())
    row = next(wanted, None)
    if row is None:
        return
    for position, document in enumerate(documents):
        if position == row:
            yield position, document
            row = next(wanted, None)
            if row is None:
                return


def spread(rows: Ints, most: int) -> Ints:
    """Return at most so many of the rows, evenly spread over all."""
    if len(rows) <= most:
        return rows
    chosen: Ints = rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
    return chosen

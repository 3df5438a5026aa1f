"""Copies and near copies among documents, found by their texts in the native core.

Copies differ at most in case and white space. Near copies share at least ``SIMILAR`` of their
shingles, which are runs of three words: a document of forty words with three of them changed is
just a near copy. The core finds them by MinHash and bands, with time linear in the texts and at
most 640 bytes for each document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from postil import _native
from postil.common.progress import StepProgress, no_progress
from postil.common.threads import thread_count
from postil.common.types import Ints
from postil.corpus.document import Document

SIMILAR = 0.7
SHINGLE_WORDS = 3
BATCH_DOCUMENTS = 4096
BATCH_CHARACTERS = 1 << 24


@dataclass(frozen=True, eq=False)
class Copies:
    """The copies and near copies among documents, all by the position of the document.

    Parameters
    ----------
    words : array
        The number of words of each document.
    equal : array
        The first document with the same text, but for case and white space.
    groups : array
        The first document of the group of near copies, which copies belong to, too. A document
        without near copies, or without words, is a group of its own.
    """

    words: Ints
    equal: Ints
    groups: Ints

    @cached_property
    def is_repeated(self) -> bool:
        """True if some document has a near copy."""
        return bool((self.groups != np.arange(len(self.groups))).any())

    def joined(self, own: Sequence[str | None]) -> Ints:
        """Return groups that keep near copies together, and documents of the same own group."""
        import scipy.sparse as sp

        count = len(self.groups)
        first: dict[str, int] = {}
        named = [
            (first.setdefault(name, row), row) for row, name in enumerate(own) if name is not None
        ]
        if not named:
            return self.groups
        pairs = np.concatenate([np.array(named).T, [self.groups, np.arange(count)]], axis=1)
        graph = sp.coo_matrix((np.ones(pairs.shape[1]), pairs), shape=(count, count))
        parts = sp.csgraph.connected_components(graph, directed=False)[1]
        return np.unique(parts, return_index=True)[1][parts].astype(np.int64)


class CopySearch:
    """Finds the copies among documents that pass by.

    Parameters
    ----------
    threads : int, optional
        The number of threads; results do not depend on it.
    """

    def __init__(self, threads: int | None = None) -> None:
        options = _native.TokenizerOptions(
            kind=_native.TokenKind.words, letter_case=_native.LetterCase.lower
        )
        self._threads = thread_count(threads)
        self._finder = _native.CopyFinder(options, SHINGLE_WORDS)

    def reading(self, documents: Iterable[Document]) -> Iterator[tuple[Document, str]]:
        """Yield the documents with their whole texts, which are added to the search."""
        texts: list[str] = []
        characters = 0
        for document in documents:
            text = whole_text(document)
            texts.append(text)
            characters += len(text)
            if len(texts) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
                self._finder.add(texts, self._threads)
                texts, characters = [], 0
            yield document, text
        self._finder.add(texts, self._threads)

    def find(self, progress: StepProgress | None = None) -> Copies:
        """Return the copies among all documents that were read."""
        report, count, bands = progress or no_progress, len(self._finder), self._finder.BANDS
        groups = self._finder.groups(
            SIMILAR, self._threads, lambda done: report("comparing", count * done // bands, None)
        )
        return Copies(
            self._finder.words().astype(np.int64),
            self._finder.equal().astype(np.int64),
            groups.astype(np.int64),
        )

    def similarity(self, first: int, second: int) -> float:
        """Return the share of the shingles of two documents that both have."""
        return self._finder.similarity(first, second)


def whole_text(document: Document) -> str:
    """Return all fields of a document as one text."""
    return "\n".join(document.fields.values())

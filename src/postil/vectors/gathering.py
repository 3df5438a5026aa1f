"""From a corpus to chunks of text for a vectorizer, and what else its rows are known by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from postil.corpus.document import Document
from postil.errors import CorpusError
from postil.vectors.fields import Fields
from postil.vectors.files import VectorFile
from postil.vectors.matrices import index_type
from postil.vectors.vectorizer import TextChunk

if TYPE_CHECKING:
    from postil.vectors.vectorizer import Vectorizer


class RowFacts:
    """Ids, splits and labels of the documents that have passed, in order.

    Memory: the ids, a pointer for each split, four to eight bytes for each label of a document.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything: the corpus is walked anew."""
        self.ids: list[str] = []
        self.splits: list[str] = []
        self._category_ids: dict[str, int] = {}
        self._members: list[int] = []
        self._ends: list[int] = [0]

    def add(self, document: Document) -> None:
        """Take note of a document."""
        self.ids.append(document.id)
        self.splits.append(document.split or "")
        for label in document.labels:
            self._members.append(self._category_ids.setdefault(label, len(self._category_ids)))
        self._ends.append(len(self._members))

    @property
    def categories(self) -> list[str]:
        """The categories seen, sorted."""
        return sorted(self._category_ids)

    def indicator(self) -> sp.csr_matrix[Any]:
        """The documents × categories matrix of labels, categories sorted by name."""
        categories = self.categories
        place = np.empty(len(categories), dtype=np.int64)
        for position, name in enumerate(categories):
            place[self._category_ids[name]] = position
        index = index_type(len(self._members))
        indicator: sp.csr_matrix[Any] = sp.csr_matrix(
            (
                np.ones(len(self._members), dtype=np.int8),
                place[np.asarray(self._members, dtype=np.int64)].astype(index),
                np.asarray(self._ends, dtype=index),
            ),
            shape=(len(self.ids), len(categories)),
        )
        indicator.sort_indices()
        return indicator


def chunks_of(
    documents: Iterable[Document],
    fields: Fields,
    size: int,
    facts: RowFacts,
    *,
    any_field: bool = False,
) -> Iterator[TextChunk]:
    """The texts of documents, ``size`` at a time; a test document is not learned from.

    A field that no document has is an error in the end; with ``any_field``, that there is none.
    """
    stream = iter(documents)
    seen_fields: set[str] = set()
    while held := list(islice(stream, size)):
        for document in held:
            facts.add(document)
            seen_fields.update(document.fields)
        learned = [document.split != "test" for document in held]
        yield TextChunk(fields.columns_of(held), None if all(learned) else learned)
    missing = [name for name in fields.names if name not in seen_fields]
    if facts.ids and missing and not (any_field and len(missing) < len(fields.names)):
        raise CorpusError(
            f"no document has the field {', '.join(missing)}; there are: "
            f"{', '.join(sorted(seen_fields))}"
        )


def vector_file(matrix: sp.csr_matrix[Any], vectorizer: Vectorizer, facts: RowFacts) -> VectorFile:
    """Put a matrix together with the names of its rows and columns."""
    terms = [] if vectorizer.vocabulary is None else vectorizer.vocabulary.names
    return VectorFile(
        matrix=matrix,
        terms=terms,
        ids=facts.ids,
        labels=facts.indicator(),
        categories=facts.categories,
        splits=facts.splits,
    )

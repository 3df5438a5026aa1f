"""Binary tasks as the learners see them: documents, the selected terms, and one category."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.corpus.document import Document
from postil.errors import UsageError
from postil.learn.job import Design, Labels
from postil.recipes.parts import Representation, TermSelection
from postil.vectors.rows import RowFacts, chunks_of

CHUNK = 4096


@dataclass(eq=False)
class Task:
    """One category against the rest: training documents, and test documents if there are any.

    The columns are the terms that it is learned from, so that every solver, and a peer that knows
    no selection, works on the same matrix.
    """

    design: Design
    labels: Labels
    unseen: sp.csr_matrix[Any]
    truth: NDArray[np.bool_]

    @property
    def category(self) -> str:
        """Its name."""
        return self.labels.names[0]

    @property
    def documents(self) -> int:
        """How many there are to learn from."""
        return self.design.documents

    @cached_property
    def signs(self) -> Floats:
        """The labels y of the training documents: 1 in the category, -1 elsewhere."""
        return np.where(self.labels.members.toarray()[:, 0], 1.0, -1.0)

    @cached_property
    def doubles(self) -> sp.csr_matrix[Any]:
        """The training documents in double precision, as peers want them."""
        return sp.csr_matrix(self.design.rows, dtype=np.float64)

    def error(self, weights: Floats, intercept: float) -> float:
        """Test documents on the wrong side of w·x + b = 0, in percent."""
        accepted = self.unseen @ weights + intercept >= 0
        return 100 * float(np.mean(accepted != self.truth))

    def warm(self) -> None:
        """Make what is made on first use, so that nobody's seconds pay for it."""
        _ = self.design.native, self.signs, self.doubles


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Documents as vectors, with all terms and all categories; some are for testing."""

    matrix: sp.csr_matrix[Any]
    labels: Labels
    learned: NDArray[np.intp]
    tested: NDArray[np.intp]

    def task(
        self, category: str, selection: TermSelection, rows: NDArray[np.intp] | None = None
    ) -> Task:
        """The task of a category, learned from all training documents or from these rows.

        Terms are chosen on the documents that are learned from, and where all categories share
        them, by all. Costs a pass over their vectors.
        """
        if category not in self.labels.names:
            raise UsageError(f"no document is in {category}")
        learned = self.learned if rows is None else rows
        place = self.labels.names.index(category)
        own = Labels((category,), sp.csr_matrix(self.labels.members[:, [place]], dtype=bool))
        labels = own.of_documents(learned)
        matrix = self.matrix[learned]
        chosen = selection.chosen(matrix, self.labels.of_documents(learned).members)
        terms = np.arange(matrix.shape[1]) if chosen is None else chosen[place]
        return Task(
            Design(matrix[:, terms]),
            labels,
            self.matrix[self.tested][:, terms],
            own.of_documents(self.tested).members.toarray()[:, 0],
        )


def vectors_of(documents: Iterable[Document], representation: Representation) -> Vectors:
    """Make vectors of documents in one pass; the vocabulary is the training documents'."""
    vectorizer = representation.vectorizer()
    facts = RowFacts()
    matrix = vectorizer.fit_transform_chunks(chunks_of(documents, vectorizer.fields, CHUNK, facts))
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    tested = np.array([split == "test" for split in facts.splits], dtype=bool)
    return Vectors(matrix, labels, np.flatnonzero(~tested), np.flatnonzero(tested))

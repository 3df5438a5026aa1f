"""Documents as the learners see them: vectors, memberships and the selected terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.evaluate import break_even_points
from postil.features.select import select_terms
from postil.features.selection import Selection
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Labels
from postil.recipes.parts import Representation
from postil.vectors.rows import RowFacts, chunks_of

CHUNK = 4096
SELECTION = "gini"


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Training documents to learn from, and test documents to measure on.

    ``unseen`` are the vectors of the test documents and ``truth`` their memberships, in the
    categories of all documents.
    """

    design: Design
    labels: Labels
    unseen: sp.csr_matrix[Any]
    truth: sp.csr_matrix[Any]

    def selection(self, terms: int, rows: NDArray[Any] | None = None) -> Selection:
        """Each category's best terms by the Gini index, on all training documents or some."""
        matrix, members = self.design.rows, self.labels.members
        if rows is not None:
            matrix, members = matrix[rows], members[rows]
        wanted = sp.csr_matrix(members, dtype=np.float32)
        return select_terms(matrix, wanted, measure=SELECTION, k=terms)

    def break_even(self, fit: LinearFit) -> float:
        """Micro-averaged break-even point on the test documents, in percent."""
        return 100 * break_even_points(self.truth, fit.scores(self.unseen)).micro


def problem_of(documents: Iterable[Document], representation: Representation) -> Problem:
    """Make vectors of documents; the vocabulary is the training documents'.

    Costs one pass over the documents; memory is their vectors.
    """
    vectorizer = representation.vectorizer()
    facts = RowFacts()
    chunks = chunks_of(documents, vectorizer.fields, CHUNK, facts)
    matrix = vectorizer.fit_transform_chunks(chunks)
    labels = Labels(tuple(facts.categories), facts.indicator().astype(bool))
    tested = np.array([split == "test" for split in facts.splits], dtype=bool)
    learned, unseen = np.flatnonzero(~tested), np.flatnonzero(tested)
    return Problem(
        Design(matrix[learned]),
        labels.of_documents(learned),
        matrix[unseen],
        labels.of_documents(unseen).members,
    )

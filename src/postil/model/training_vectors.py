"""Training documents that have become vectors, and the priors of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import scipy.sparse as sp

from postil.learn.labels import Labels
from postil.learn.prior_files import PriorFile
from postil.learn.prior_matching import (
    MatchedPriors,
    by_named_ids,
    by_terms,
    match_priors,
    vocabulary_of,
)
from postil.model.training import TrainingFingerprint
from postil.vectors.vectorizer import Vectorizer


@dataclass(frozen=True, slots=True, eq=False)
class TrainingVectors:
    """A matrix, documents × terms, with its labels, what made it, and what it was made from.

    ``numbered`` says that terms are the numbers of svmlight data. ``method`` is what the model
    tells of how the vectors came to be.
    """

    matrix: sp.csr_matrix[Any]
    labels: Labels
    vectorizer: Vectorizer
    training: TrainingFingerprint
    numbered: bool = False
    method: Mapping[str, Any] = field(default_factory=dict)

    def priors(self, file: PriorFile) -> MatchedPriors:
        """The priors of a file for these terms and categories."""
        vocabulary = vocabulary_of(self.vectorizer)
        column_of = by_named_ids(vocabulary) if self.numbered else by_terms(vocabulary)
        return match_priors(file.lines, self.labels.names, column_of, len(vocabulary))

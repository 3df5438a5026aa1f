"""Measures that count the labels above: a decision that is nearly right is partly right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from postil.common.types import Floats
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.decide.scores import Csr
from postil.evaluate.counts import Counted, count
from postil.evaluate.measures import micro

MEASURES = ("precision", "recall", "f1")


def hierarchical_measures(
    members: Csr,
    decided: Csr,
    categories: Sequence[str],
    labels: LabelVocabulary,
    weights: Floats | None = None,
) -> dict[str, float]:
    """Return hierarchical precision, recall and F1 (Kiritchenko, Matwin and Famili 2005).

    With T and D the labels of a document and those it was given, each with all labels above them,
    precision is Σ|T ∩ D| / Σ|D| and recall Σ|T ∩ D| / Σ|T| over the documents. A label at the top
    of the whole vocabulary does not count. Cost: the labels above each decision.

    Parameters
    ----------
    members, decided:
        Sparse indicators of documents × categories.
    categories:
        The labels of the columns; one that the vocabulary lacks has none above it.
    labels:
        The vocabulary.
    weights:
        Weights of the documents.
    """
    above = with_ancestors(categories, labels)
    true, given = ((each @ above).astype(np.bool_) for each in (members, decided))
    counts = count(true, given, Counted(weights))
    return {name: micro(counts, name) for name in MEASURES}


def with_ancestors(categories: Sequence[str], labels: LabelVocabulary) -> Csr:
    """Return categories × (categories and labels above): each row has the category and its own."""
    import scipy.sparse as sp

    place = {name: column for column, name in enumerate(categories)}
    columns, ends = [], [0]
    for name in categories:
        columns += [place.setdefault(each, len(place)) for each in (name, *labels.lineage(name))]
        ends.append(len(columns))
    ones = np.ones(len(columns), dtype=np.int64)
    found: Csr = sp.csr_matrix((ones, columns, ends), shape=(len(categories), len(place)))
    return found

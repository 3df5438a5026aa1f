"""Confusion of categories: which labels are missed, and which are given instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.types import Ints
from postil.decide.scores import Sparse
from postil.evaluate.counts import checked_pair, difference, intersection, per_document

MOST_PAIRS: Final = 1000
"""The largest number of pairs in JSON."""


class Confused(NamedTuple):
    """The number of documents that miss one category and are wrongly given another.

    ``given`` is None for documents that are given no wrong category.
    """

    true: int
    given: int | None
    documents: int


def confused_pairs(truth: Sparse, decisions: Sparse) -> list[Confused]:
    """Return all confused pairs of categories, the most frequent first, by column number.

    Costs the sum over documents of missed times wrong labels; memory is the pairs.

    Parameters
    ----------
    truth, decisions:
        Sparse indicators of documents × categories.
    """
    members, decided = checked_pair(truth, decisions)
    both = intersection(members, decided)
    missed, wrong = difference(members, both), difference(decided, both)
    counts = sp.coo_matrix(missed.T.astype(np.int64) @ wrong.astype(np.int64))
    pairs = [
        Confused(*pair)
        for pair in zip(counts.row.tolist(), counts.col.tolist(), counts.data.tolist(), strict=True)
    ]
    alone = missed[np.flatnonzero(per_document(wrong) == 0)]
    nothing: Ints = np.bincount(alone.indices, minlength=members.shape[1])
    pairs += [Confused(int(c), None, int(nothing[c])) for c in np.flatnonzero(nothing)]
    # Of equal counts, a pair comes before a label that is only missed.
    return sorted(pairs, key=lambda p: (-p.documents, p.given is None, p.true, p.given or 0))


def pairs_by_name(pairs: Sequence[Confused], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the most frequent pairs with the names of their categories, for JSON."""
    return [
        {
            "true": names[pair.true],
            "given": None if pair.given is None else names[pair.given],
            "documents": pair.documents,
        }
        for pair in pairs[:MOST_PAIRS]
    ]

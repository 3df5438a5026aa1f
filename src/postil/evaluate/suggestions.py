"""Measures of ranked suggestions: how well the first k labels of each document fit.

The labels of a document are ranked by probability, or by score if there are no probabilities;
thresholds play no part. With y of 0 and 1 for the label in place i of a document with R labels:

- precision at k: ``Σ_{i≤k} y_i / k``;
- recall at k: ``Σ_{i≤k} y_i / R``; R-precision: precision at k = R;
- nDCG at k: ``Σ_{i≤k} y_i / log₂(i + 1)`` over its highest possible value;
- propensity-scored precision at k (Jain, Prabhu and Varma 2016): ``Σ_{i≤k} y_i / (k p_i)``, where
  p is the propensity of a label to be noticed, estimated from its number of training documents. As
  the field prints it, the mean over documents is divided by the highest possible mean.

Means are over the documents that have a label: the others have no recall and no nDCG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from postil.common.types import Floats, Indices, Ints
from postil.decide.scores import Csr, Sparse, top_columns
from postil.errors import UsageError
from postil.evaluate.counts import (
    checked_indicator,
    checked_per_category,
    checked_scores,
    per_document,
    ratio,
)

RANKS = (1, 3, 5)
CELLS = 1 << 22  # pairs of document and category that are ranked at once


@dataclass(frozen=True)
class AtRank:
    """Means of the measures of the first k labels.

    ``propensity_scored_precision`` is None if the training documents are not known.
    """

    k: int
    precision: float
    recall: float
    ndcg: float
    propensity_scored_precision: float | None = None


@dataclass(frozen=True)
class Suggestions:
    """Measures of ranked labels: means over the ``documents`` that have a label."""

    documents: int
    r_precision: float
    at: tuple[AtRank, ...]

    def rows(self) -> list[tuple[str, list[float]]]:
        """Return the title and the values at each k of all measures; R-precision has one value."""
        columns = {
            "precision": [each.precision for each in self.at],
            "recall": [each.recall for each in self.at],
            "nDCG": [each.ndcg for each in self.at],
            "propensity-scored precision": [
                each.propensity_scored_precision
                for each in self.at
                if each.propensity_scored_precision is not None
            ],
        }
        return [*((t, v) for t, v in columns.items() if v), ("R-precision", [self.r_precision])]


def checked_ranks(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the different numbers k in order; each is at least 1."""
    if min(ranks, default=1) < 1:
        raise UsageError(f"a number of labels (--at) must be at least 1, not {min(ranks)}")
    return tuple(sorted(set(ranks)))


def propensities(sizes: ArrayLike, documents: int, a: float = 0.55, b: float = 1.5) -> Floats:
    """Return the propensity of each label: ``1 / (1 + C (N_l + b)^-a)``, C = (ln N − 1)(b + 1)^a.

    Jain, Prabhu and Varma (2016), "Extreme multi-label loss functions for recommendation, tagging,
    ranking & other missing label applications", KDD. For N < e, where C is negative, C is 0.

    Parameters
    ----------
    sizes:
        N_l, the number of training documents of each label.
    documents:
        N, the number of training documents.
    a, b:
        Constants of the model; the defaults are the paper's for most data.
    """
    c = max(0.0, math.log(max(documents, 1)) - 1) * (b + 1) ** a
    counts = np.asarray(sizes, np.float64)
    return np.asarray(1 / (1 + c * (counts + b) ** -a))


def measure_suggestions(
    truth: Sparse,
    scores: ArrayLike,
    ranks: Sequence[int] = RANKS,
    *,
    training_sizes: ArrayLike | None = None,
    training_documents: int | None = None,
) -> Suggestions:
    """Measure the first k labels of each document.

    Cost: a pass over the scores, and a sort of the first labels; memory besides them is bounded.

    Parameters
    ----------
    truth:
        Sparse indicator of documents × categories.
    scores:
        Array of documents × categories that ranks the categories of a document: probabilities, or
        scores. Ties are in column order.
    ranks:
        The numbers k.
    training_sizes, training_documents:
        The number of training documents of each category and of all, for propensities.
    """
    members = checked_indicator(truth, "truth")
    values = checked_scores(scores, members.shape)
    ranks = checked_ranks(ranks)
    weights = np.ones(members.shape[1])
    known = training_sizes is not None and training_documents is not None
    if training_sizes is not None and training_documents is not None:
        sizes = checked_per_category(training_sizes, members.shape[1], "training_sizes")
        weights = 1 / propensities(sizes, training_documents)
    kept = np.flatnonzero(per_document(members))
    members = members[kept]
    sums = np.zeros((len(ranks), 4))
    r_precision = 0.0
    for rows in _chunks(*members.shape):
        found = _Ranked(members[rows], values[kept[rows]], weights, max(ranks, default=1))
        for place, k in enumerate(ranks):
            sums[place] += found.at(k)
        r_precision += found.r_precision()
    means = ratio(sums[:, :3], len(kept)).tolist()
    scored = ratio(sums[:, 3], _best_gains(members, weights, ranks)).tolist()
    return Suggestions(
        len(kept),
        float(ratio(r_precision, len(kept))),
        tuple(
            AtRank(k, precision, recall, ndcg, share if known else None)
            for k, (precision, recall, ndcg), share in zip(ranks, means, scored, strict=True)
        ),
    )


class _Ranked:
    """Some documents, each with a label, and their first labels: at least the first R."""

    def __init__(self, members: Csr, values: Floats, weights: Floats, most: int) -> None:
        self.sizes: Ints = per_document(members)
        top: Indices = top_columns(values, max(most, int(self.sizes.max())))
        hits = np.take_along_axis(members.toarray(), top, 1)
        discounts = 1 / np.log2(np.arange(2, top.shape[1] + 2))
        self.hits = hits.cumsum(axis=1)
        self.gains = (hits * discounts).cumsum(axis=1)
        self.ideal = discounts.cumsum()
        self.weighed = (hits * weights[top]).cumsum(axis=1)

    def at(self, k: int) -> list[float]:
        """Return the sums of precision, recall, nDCG and propensity-scored precision at k."""
        last = min(k, self.hits.shape[1]) - 1
        hits = self.hits[:, last]
        ideal = self.ideal[np.minimum(self.sizes - 1, last)]
        each = (hits / k, hits / self.sizes, self.gains[:, last] / ideal, self.weighed[:, last] / k)
        return [float(values.sum()) for values in each]

    def r_precision(self) -> float:
        """Return the sum of R-precision."""
        found = self.hits[np.arange(len(self.sizes)), self.sizes - 1]
        return float((found / self.sizes).sum())


def _chunks(documents: int, categories: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, categories))
    for start in range(0, documents, step):
        yield slice(start, start + step)


def _best_gains(members: Csr, weights: Floats, ranks: Sequence[int]) -> Floats:
    """Return the highest sum over documents of propensity-scored precision at each k."""
    rows = np.repeat(np.arange(members.shape[0]), per_document(members))
    own = weights[members.indices]
    own = own[np.lexsort((-own, rows))]
    places = np.arange(len(own)) - members.indptr[rows]
    return np.array([own[places < k].sum() / k for k in ranks], np.float64)

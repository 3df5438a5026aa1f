"""A document's margin with some of its terms gone, or one more: weighed anew, never subtracted.

With u = tf · idf the weight of a term before the norm, N the norm over the document's terms and
w the model's weights, the margin is b + Σ w·u / N. A term that goes takes its part of N along.
Where N counts unseen terms too (glm2004), they are terms here as well, of weight 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.rule import CategoryRule
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Norm, TermFrequency

FREQUENCIES: dict[TermFrequency, Callable[[Floats], Floats]] = {
    "binary": np.ones_like,
    "counts": np.asarray,
    "log": lambda counts: 1.0 + np.log(counts),
}

# What a term adds to the sum under the norm, and the norm of that sum.
SHARES: dict[Norm, Callable[[Floats], Floats]] = {
    "none": np.zeros_like,
    "l1": np.abs,
    "l2": np.square,
}
NORMS: dict[Norm, Callable[[Floats], Floats]] = {
    "none": np.ones_like,
    "l1": np.asarray,
    "l2": np.sqrt,
}


def scales(norm: Norm, sums: Floats) -> Floats:
    """1 / N for sums under the norm; a row without weight is left as it is."""
    lengths = NORMS[norm](np.maximum(sums, 0.0))
    return np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0)


@dataclass(frozen=True)
class WeighedRow:
    """The terms of a document before the norm, under one category's weights.

    ``base`` is what does not depend on the terms: the intercept and the constant.
    """

    norm: Norm
    base: float
    weights: Floats
    sizes: Floats

    @cached_property
    def pushes(self) -> Floats:
        """w·u of each term: what it would add if N were 1."""
        return self.weights * self.sizes

    @cached_property
    def shares(self) -> Floats:
        """What each term adds to the sum under the norm."""
        return SHARES[self.norm](self.sizes)

    @cached_property
    def counting(self) -> Flags:
        """The terms that make any difference."""
        return np.not_equal(self.pushes, 0) | np.not_equal(self.shares, 0)

    def margins(self, pushes: Floats, shares: Floats) -> Floats:
        """The margins of sums of pushes and shares: quick, in float64."""
        return self.base + pushes * scales(self.norm, shares)

    def margin_of(self, kept: Flags) -> float:
        """The margin of a document with these terms only, rounded as the vectorizer rounds."""
        sizes = self.sizes[kept]
        scale = float(scales(self.norm, np.array(math.fsum(SHARES[self.norm](sizes)))))
        values = (sizes.astype(np.float32).astype(np.float64) * scale).astype(np.float32)
        return math.fsum([self.base, *(self.weights[kept] * values).tolist()])


def sizes_of(vectorizer: Vectorizer, columns: NDArray[np.int64], counts: Floats) -> Floats:
    """The weight before the norm of terms with these columns and counts."""
    idf = np.ones(len(columns))
    known = columns != UNKNOWN
    if vectorizer.idf is not None:
        idf[known] = vectorizer.idf[columns[known]]
    idf[~known] = vectorizer.weighting.unseen_idf(vectorizer.documents)
    return FREQUENCIES[vectorizer.weighting.tf](counts.astype(np.float64)) * idf


def weights_of(document: DocumentTerms, rule: CategoryRule) -> Floats:
    """The model's weight of each term of the document, 0 for those it does not know."""
    known = document.columns != UNKNOWN
    weights = np.zeros(len(document))
    weights[known] = rule.weights[document.columns[known]]
    return weights


def constant_of(vectorizer: Vectorizer, rule: CategoryRule) -> float:
    """What the constant feature adds, 0 where there is none."""
    return float(rule.weights[-1]) if vectorizer.weighting.constant else 0.0


def weigh(vectorizer: Vectorizer, document: DocumentTerms, rule: CategoryRule) -> WeighedRow:
    """Prepare a document for questions of the form "what if"."""
    sizes = document.sizes
    if sizes is None:
        sizes = sizes_of(vectorizer, document.columns, document.counts.astype(np.float64))
    return WeighedRow(
        norm=vectorizer.weighting.norm,
        base=rule.intercept + constant_of(vectorizer, rule),
        weights=weights_of(document, rule),
        sizes=sizes,
    )

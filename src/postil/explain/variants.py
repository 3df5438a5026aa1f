"""Margins of variants of a document: with some of its terms removed, or with one more.

With u = tf · idf the weight of a term before the norm, N the norm over the document's terms and
w the model's weights, the margin is b + Σ w·u / N. A term that is removed takes its part of N
along, so that every variant is weighed anew and nothing is subtracted. Where N counts unseen terms
too (glm2004), they are terms here as well, with weight 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from postil.common.types import Flags, Floats, Indices, Ints
from postil.explain.reading import UNKNOWN, DocumentTerms
from postil.explain.rule import CategoryRule, VariantScorer
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Norm, TermFrequency

FREQUENCIES: dict[TermFrequency, Callable[[Floats], Floats]] = {
    "binary": np.ones_like,
    "counts": np.asarray,
    "log": lambda counts: 1.0 + np.log(counts),
}

# The share of each term in the sum under the norm, and the norm of that sum.
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
# Terms that a scorer tries at each step: those with the strongest push.
MOST_TRIED = 256


def _scales(norm: Norm, sums: Floats) -> Floats:
    """Return 1 / N for sums under the norm, and 1 for a document without weight."""
    lengths = NORMS[norm](np.maximum(sums, 0.0))
    return np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0)


@dataclass(frozen=True)
class Variants:
    """A document before the norm, under one category's weights, and the margins of its variants.

    Margins are approximate where many are compared, and exactly those of the model where one is
    shown.

    Parameters
    ----------
    norm:
        The norm of the vectorizer.
    sizes:
        u of each term.
    weights:
        w of each term.
    base:
        The part of the margin that does not depend on the terms: the intercept and the constant.
    columns:
        Column of each term in the model.
    """

    norm: Norm
    sizes: Floats
    weights: Floats
    base: float
    columns: Ints

    @cached_property
    def pushes(self) -> Floats:
        """w·u of each term: the amount it would add if N were 1."""
        return self.weights * self.sizes

    @cached_property
    def shares(self) -> Floats:
        """The share of each term in the sum under the norm."""
        return SHARES[self.norm](self.sizes)

    @cached_property
    def counting(self) -> Flags:
        """The terms that can make a difference: those with a push, or with a share in the norm."""
        return np.not_equal(self.pushes, 0) | np.not_equal(self.shares, 0)

    @property
    def proven_length(self) -> float:
        """The size up to which the first set that a search finds is the smallest there is.

        With l2 it is 2, because every single term is tried; otherwise every set is.
        """
        return 2 if self.norm == "l2" else math.inf

    def margins_of_sums(self, pushes: Floats, shares: Floats) -> Floats:
        """Return the margins of sums of pushes and shares, in float64."""
        return self.base + pushes * _scales(self.norm, shares)

    def margin(self) -> float:
        """Return the approximate margin of the document as it is."""
        return float(self.margins_of_sums(self.pushes.sum(), self.shares.sum()))

    def margin_of(self, kept: Flags) -> float:
        """Return the exact margin of these terms only, rounded as the vectorizer rounds."""
        sizes = self.sizes[kept]
        scale = float(_scales(self.norm, np.array(math.fsum(SHARES[self.norm](sizes)))))
        values = (sizes.astype(np.float32).astype(np.float64) * scale).astype(np.float32)
        return math.fsum([self.base, *(self.weights[kept] * values).tolist()])

    def margin_without(self, removed: Indices) -> float:
        """Return the exact margin of the document without these terms."""
        kept = np.ones(len(self.sizes), dtype=bool)
        kept[removed] = False
        return self.margin_of(kept)

    def margins_without_each(self, kept: Flags, ids: Indices) -> Floats:
        """Return the approximate margins of the kept terms without each one of ``ids``."""
        return self.margins_of_sums(
            self.pushes[kept].sum() - self.pushes[ids], self.shares[kept].sum() - self.shares[ids]
        )

    def margins_with_each(self, columns: Ints, weights: Floats, sizes: Floats) -> Floats:  # noqa: ARG002
        """Return the approximate margins of the document with each of these terms added."""
        return self.margins_of_sums(
            self.pushes.sum() + weights * sizes, self.shares.sum() + SHARES[self.norm](sizes)
        )

    def margin_with(self, column: int, weight: float, size: float) -> float:
        """Return the exact margin of the document with one more term."""
        longer = replace(
            self,
            sizes=np.append(self.sizes, size),
            weights=np.append(self.weights, weight),
            columns=np.append(self.columns, column),
        )
        return longer.margin_without(np.empty(0, dtype=np.intp))


@dataclass(frozen=True)
class ScoredVariants(Variants):
    """Variants under a rule that is not linear in the terms: the model scores each of them.

    Where a document is scaled to a length in LSI, or other categories set a bar, or a tree chooses
    the weights, a term that is removed changes more than its own part. The weights are those that
    decided the whole document, and only choose the terms to try first.
    """

    scorer: VariantScorer

    @cached_property
    def counting(self) -> Flags:
        """The terms the model knows, and those with a share in the norm."""
        known = np.not_equal(self.columns, UNKNOWN)
        return (known | np.not_equal(self.shares, 0)) & np.not_equal(self.sizes, 0)

    @property
    def proven_length(self) -> float:
        """2 if every single term is tried, else 1."""
        return 2 if np.count_nonzero(self.counting) <= MOST_TRIED else 1

    def margins_of(self, kept: Flags) -> Floats:
        """Return the approximate margins of documents × terms kept."""
        return self.scorer.margins(self._values(kept), self.columns)

    def margin(self) -> float:
        """Return the approximate margin of the document as it is."""
        return float(self.margins_of(np.ones((1, len(self.sizes)), dtype=bool))[0])

    def margin_of(self, kept: Flags) -> float:
        """Return the margin of these terms as the model scores it."""
        return self.scorer.margin(self._values(kept[np.newaxis])[0], self.columns)

    def margins_without_each(self, kept: Flags, ids: Indices) -> Floats:
        """Return the margins of as many documents, each without one more term."""
        left = np.tile(kept, (len(ids), 1))
        left[np.arange(len(ids)), ids] = False
        return self.margins_of(left)

    def margins_with_each(self, columns: Ints, weights: Floats, sizes: Floats) -> Floats:  # noqa: ARG002
        """Return the margins that the scorer finds for each term added."""
        scale = _scales(self.norm, self.shares.sum() + SHARES[self.norm](sizes))
        return self.scorer.margins_with(self.sizes, self.columns, columns, sizes, scale)

    def _values(self, kept: Flags) -> Floats:
        """Return the vectors of documents with these terms only, rounded as the vectorizer does."""
        sums = kept @ self.shares
        weighed = np.where(kept, self.sizes.astype(np.float32).astype(np.float64), 0.0)
        rounded = (weighed * _scales(self.norm, sums)[:, np.newaxis]).astype(np.float32)
        return rounded.astype(np.float64)


def variants_of(vectorizer: Vectorizer, document: DocumentTerms, rule: CategoryRule) -> Variants:
    """Return the variants of a document under a rule; the rule's scorer, if any, scores them."""
    sizes = document.sizes
    if sizes is None:
        sizes = sizes_of(vectorizer, document.columns, document.counts.astype(np.float64))
    base = rule.intercept + constant_of(vectorizer, rule)
    norm, weights = vectorizer.weighting.norm, weights_of(document, rule)
    parts = (norm, sizes, weights, base, document.columns)
    return Variants(*parts) if rule.scorer is None else ScoredVariants(*parts, rule.scorer)


def sizes_of(vectorizer: Vectorizer, columns: Ints, counts: Floats) -> Floats:
    """Return the weight before the norm of terms with these columns and counts."""
    idf = np.ones(len(columns))
    known = columns != UNKNOWN
    if vectorizer.idf is not None:
        idf[known] = vectorizer.idf[columns[known]]
    idf[~known] = vectorizer.weighting.unseen_idf(vectorizer.documents)
    return FREQUENCIES[vectorizer.weighting.tf](counts.astype(np.float64)) * idf


def weights_of(document: DocumentTerms, rule: CategoryRule) -> Floats:
    """Return the model's weight of each term of the document, 0 for those it does not know."""
    known = document.columns != UNKNOWN
    weights = np.zeros(len(document))
    weights[known] = rule.weights[document.columns[known]]
    return weights


def constant_of(vectorizer: Vectorizer, rule: CategoryRule) -> float:
    """Return what the constant feature adds, 0 where there is none."""
    return float(rule.weights[-1]) if vectorizer.weighting.constant else 0.0

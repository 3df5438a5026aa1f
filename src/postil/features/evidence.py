"""Statistics of a term and a category that measures read: counts of documents, or sums of weights.

A *basis* holds the statistics of the term alone, computed once. Together with one number per
(category, term) pair, the pair's entry in a sparse product with the indicator matrix, it gives
the tables that the measures read. Work and memory follow the non-zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from postil.common.types import Flags, Floats
from postil.features.inputs import Csr, Indices

# Below this share of the sum of squares, a spread is the rounding of a constant column.
NO_SPREAD = 1e-18


@dataclass(frozen=True, slots=True)
class Counts:
    """The 2×2 table of a term and a category, in documents (arrays of tables, elementwise).

    ``both`` (a) have the term and the category, ``category_only`` (b), ``term_only`` (c),
    ``neither`` (d): the letters of genkin-lewis-madigan-2004 section 5.3.2; n = a + b + c + d.
    """

    documents: float
    category: Floats
    term: Floats
    both: Floats

    @property
    def category_only(self) -> Floats:
        """Documents in the category without the term, b."""
        return self.category - self.both

    @property
    def term_only(self) -> Floats:
        """Documents with the term outside the category, c."""
        return self.term - self.both

    @property
    def neither(self) -> Floats:
        """Documents with neither, d."""
        return self.documents - self.category - self.term + self.both

    @property
    def association(self) -> Floats:
        """The determinant ad - bc = n·a - (a + b)(a + c): above 0 where they attract."""
        return self.documents * self.both - self.category * self.term

    @property
    def flat(self) -> Flags:
        """True where a margin is empty: the term, or the category, is in no document or in all."""
        term_varies = (self.term > 0) & (self.term < self.documents)
        category_varies = (self.category > 0) & (self.category < self.documents)
        return ~(term_varies & category_varies)


@dataclass(frozen=True, slots=True)
class Sums:
    """A term's weights against a category (arrays, elementwise).

    ``within`` is the weight's sum over the category's documents, ``mean`` its mean over all
    documents, both divided by ``sqrt(Σ (x - mean)²)``, the term's spread.
    """

    documents: float
    category: Floats
    mean: Floats
    within: Floats


class CountBasis:
    """Document frequencies; the product with ``matrix`` counts the documents in both."""

    def __init__(self, weights: Csr) -> None:
        self.documents = weights.shape[0]
        self.matrix = _like(weights, (weights.data != 0).astype(np.int32))
        self.frequency = _document_frequency(weights)

    @property
    def absent_key(self) -> Floats:
        """The statistic on which the score of an absent term depends: its frequency."""
        return self.frequency

    def table(self, terms: Indices, category: Floats, within: Floats) -> Counts:
        """Return 2×2 tables of ``terms`` and categories of these sizes and product entries.

        A frequency is capped where ``within`` leaves the term too little room outside.
        """
        room = self.documents - category + within
        return Counts(self.documents, category, np.minimum(self.frequency[terms], room), within)


class WeightBasis:
    """Means and spreads of the weights; the product with ``matrix`` sums them within.

    The spread is taken about the mean in a second pass over the non-zeros, because
    ``Σ x² - (Σ x)²/n`` cancels where a term has nearly the same weight everywhere.
    """

    def __init__(self, weights: Csr) -> None:
        self.documents = weights.shape[0]
        self.frequency = _document_frequency(weights)
        terms = weights.shape[1]
        values = weights.data.astype(np.float64)
        self.matrix = _like(weights, values)
        stored = np.bincount(weights.indices, minlength=terms)
        mean = np.bincount(weights.indices, values, terms) / max(self.documents, 1)
        stray = np.bincount(weights.indices, (values - mean[weights.indices]) ** 2, terms)
        about = stray + (self.documents - stored) * mean**2
        power = np.bincount(weights.indices, values**2, terms)
        varies = about > NO_SPREAD * power
        self.scale = np.zeros(terms)
        self.scale[varies] = 1 / np.sqrt(about[varies])
        self.mean = mean * self.scale

    @property
    def absent_key(self) -> Floats:
        """The statistic on which the score of an absent term depends: its mean."""
        return self.mean

    def table(self, terms: Indices, category: Floats, within: Floats) -> Sums:
        """Return scaled sums of ``terms``; a term without spread has mean and sum 0."""
        return Sums(self.documents, category, self.mean[terms], within * self.scale[terms])


Basis: TypeAlias = CountBasis | WeightBasis


def _document_frequency(weights: Csr) -> Floats:
    present = weights.data != 0
    return np.bincount(weights.indices[present], minlength=weights.shape[1]).astype(np.float64)


def _like(weights: Csr, values: np.ndarray[tuple[int], np.dtype[np.generic]]) -> Csr:
    """Return a matrix of other values that shares the index arrays."""
    return sp.csr_matrix((values, weights.indices, weights.indptr), shape=weights.shape)

"""Measures of how much a term tells about a category: one small function each.

The 2×2 table of a term and a category counts documents (genkin-lewis-madigan-2004, section
5.3.2): a in the category and with the term, b in the category without it, c outside with it,
d outside without it, n = a + b + c + d. Every function returns a *signed* score, above 0 where
the term speaks for the category; a two-sided measure ranks by its absolute value.

**0/0.** A table with an empty margin (a term in no document or in all of them, a category with no
document or with all of them) shows no association: its score is 0. The same holds, for weights, of
a term that weighs the same in every document.

**Absent terms.** For a term that never occurs in a category, a = 0 and b, c, d follow from the
two document frequencies, so its score is a function of its own frequency (for weights: of its
own mean) whose shape is the same for all categories. ``absent`` lists the directions in which to
sort the absent terms by that key, so that, for every category, the best k of them are among the
first k of one of these orders. One direction serves a monotone score; a score that falls and then
rises has its best terms at both ends and needs two. A selection thus looks at the terms that a
category touches and a few more, instead of at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, xlogy

from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.evidence import Basis, CountBasis, Counts, Sums, WeightBasis
from postil.features.inputs import Csr

BNS_RATE = 0.0005
ODDS_SMOOTHING = 0.5
YULE_SMOOTHING = 1 / 12

# Directions in which a measure sorts absent terms by their key.
HIGHEST_FIRST, LOWEST_FIRST = 1, -1


@dataclass(frozen=True)
class Measure:
    """A measure of a term and a category.

    ``formula`` returns the signed scores of the tables of a ``basis``. ``absent`` lists the
    directions in which the basis's key sorts absent terms. A selection ranks by absolute values if
    the measure is ``two_sided``.
    """

    name: str
    summary: str
    formula: Callable[[Any], Floats]
    absent: tuple[int, ...] = (HIGHEST_FIRST,)
    basis: Callable[[Csr], Basis] = CountBasis
    two_sided: bool = True

    def strength(self, scores: Floats) -> Floats:
        """Return the numbers that a selection ranks by: absolute values if two-sided."""
        return np.abs(scores) if self.two_sided else scores


def information_gain(table: Counts) -> Floats:
    """``H(C) - H(C | T)`` in bits, with the sign of the association.

    The information gain of Yang and Pedersen (1997) for one category against the rest, written
    over the four cells x with row and column sums r and s: ``Σ x/n · log2(x·n / (r·s))``.
    """
    n, category, term = table.documents, table.category, table.term
    total = (
        _cell(table.both, category, term, n)
        + _cell(table.category_only, category, n - term, n)
        + _cell(table.term_only, n - category, term, n)
        + _cell(table.neither, n - category, n - term, n)
    )
    bits: Floats = np.maximum(total, 0) / np.log(2)
    direction: Floats = np.sign(table.association)
    return direction * bits


def information_within(table: Counts) -> Floats:
    """``Σ_T P(T | C) log2(P(T | C) / P(T))``: the category's information about the term.

    Times P(C) and summed over categories it is the multi-class information gain of Yang and
    Pedersen (1997).
    """
    n, category, term = table.documents, table.category, table.term
    total = _cell(table.both, category, term, n) + _cell(table.category_only, category, n - term, n)
    bits: Floats = np.maximum(_ratio(total * n, category), 0) / np.log(2)
    return bits


def gini_gain(table: Counts) -> Floats:
    """``g(C) - g(C | T)`` with the Gini index ``g = 1 - Σ p²``, signed (zhang-oles-2001, 4.1).

    Information gain with the entropy replaced by the Gini index, as zhang-oles-2001 and
    zhang-2000 do. For one category against the rest the difference of impurities is
    ``2(ad - bc)² / (n²(a + c)(b + d))``, which is ``2(a + b)(c + d)/n³`` times chi-square:
    within one category both order the terms alike.
    """
    n, term = table.documents, table.term
    squared = table.association * np.abs(table.association)
    return _ratio(2 * squared, n**2 * term * (n - term))


def chi_square(table: Counts) -> Floats:
    """``n(ad - bc)² / ((a + b)(c + d)(a + c)(b + d))``, signed (genkin-lewis-madigan-2004, 30)."""
    n, category, term = table.documents, table.category, table.term
    squared = table.association * np.abs(table.association)
    return _ratio(n * squared, category * (n - category) * term * (n - term))


def binormal_separation(table: Counts) -> Floats:
    """``Φ⁻¹(a/(a + b)) - Φ⁻¹(c/(c + d))`` (genkin-lewis-madigan-2004, 31; Forman 2003).

    Both rates are clipped to [0.0005, 1 - 0.0005] before Φ⁻¹, as Forman does. (The paper replaces
    values of Φ⁻¹(0) by 0.0005, which would rank a rate of 0 above a rate of 0.4.)
    """
    rates = (
        _ratio(table.both, table.category),
        _ratio(table.term_only, table.documents - table.category),
    )
    inside, outside = (ndtri(np.clip(rate, BNS_RATE, 1 - BNS_RATE)) for rate in rates)
    return np.where(table.flat, 0, inside - outside)


def yule_q(table: Counts) -> Floats:
    """``(ad - bc) / (ad + bc)``, 1/12 added to each cell.

    Without smoothing every absent term would reach |Q| = 1, the highest score there is. 1/12 is
    the adjustment of the program that came with genkin-lewis-madigan-2004. It lets a term that
    is rare and absent from a rare category score slightly above 0.
    """
    a, b, c, d = _smoothed(table, YULE_SMOOTHING)
    return np.where(table.flat, 0, (a * d - b * c) / (a * d + b * c))


def log_odds_ratio(table: Counts) -> Floats:
    """``log(ad / (bc))``, 1/2 added to each cell (Haldane 1956, Anscombe 1956).

    One-sided, as odds ratios are used for selection (Mladenić and Grobelnik 1999): terms that
    speak against the category come last. The logarithm keeps the odds ratio's order.
    """
    a, b, c, d = _smoothed(table, ODDS_SMOOTHING)
    return np.where(table.flat, 0, np.log(a) + np.log(d) - np.log(b) - np.log(c))


def document_frequency(table: Counts) -> Floats:
    """Return the number of documents with the term, a + c: the same for every category."""
    return table.term + np.zeros_like(table.category)


def pearson(table: Sums) -> Floats:
    """Correlate a term's weights with membership (genkin-lewis-madigan-2004, 32).

    ``r = Σ (x - x̄)(y - ȳ) / sqrt(Σ (x - x̄)² · Σ (y - ȳ)²)``. With y in {0, 1} instead of the
    paper's {-1, +1}, which r does not notice, and p members of n documents, this is
    ``(Σ_members x - p·x̄) / sqrt(Σ (x - x̄)² · p(n - p)/n)``. The paper ranks by |r|.
    """
    outside = table.documents - table.category
    spread = np.sqrt(table.category * outside / max(table.documents, 1))
    return _ratio(table.within - table.category * table.mean, spread)


def _cell(cell: Floats, row: Floats, column: Floats, n: float) -> Floats:
    return np.asarray(xlogy(cell, _ratio(cell * n, row * column)), np.float64) / n


def _smoothed(table: Counts, amount: float) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        table.both + amount,
        table.category_only + amount,
        table.term_only + amount,
        table.neither + amount,
    )


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return ``above / below``, or 0 where ``below`` is 0: a margin of the table is empty there."""
    shape = np.broadcast_shapes(np.shape(above), np.shape(below))
    return np.divide(above, below, out=np.zeros(shape), where=np.asarray(below) != 0)


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("information-gain", "information gain with entropy, in bits", information_gain),
        Measure("gini", "information gain with the Gini index (zhang-oles-2001)", gini_gain),
        Measure("chi-square", "chi-square test of independence", chi_square),
        Measure("bns", "bi-normal separation", binormal_separation),
        Measure(
            "pearson",
            "correlation of the weights with membership",
            pearson,
            (HIGHEST_FIRST, LOWEST_FIRST),
            WeightBasis,
        ),
        Measure("yule-q", "Yule's Q", yule_q, (HIGHEST_FIRST, LOWEST_FIRST)),
        Measure(
            "odds-ratio",
            "logarithm of the odds ratio, one-sided",
            log_odds_ratio,
            (LOWEST_FIRST,),
            two_sided=False,
        ),
        Measure(
            "document-frequency",
            "documents with the term, whatever the category",
            document_frequency,
        ),
    )
}


def measure_named(name: str) -> Measure:
    """Return the registered measure of this name."""
    if name not in MEASURES:
        raise UsageError(f"no term measure is called {name!r}; there are: {', '.join(MEASURES)}")
    return MEASURES[name]

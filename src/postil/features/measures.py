"""How much a term tells about a category: one small function per measure.

The 2×2 table of a term and a category counts documents (genkin-lewis-madigan-2004, section
5.3.2): a in the category and with the term, b in the category without it, c outside with it,
d outside without it, n = a + b + c + d. Every function returns a *signed* score, above 0 where
the term speaks for the category; a two-sided measure ranks by its absolute value.

**The rule for 0/0.** A table with an empty margin (a term in no document or in all of them, a
category with no document or with all of them) shows no association: its score is 0. For
weights, a term that weighs the same in every document plays that part.

**Absent terms.** For a term that never occurs in a category, a = 0 and b, c, d follow from the
two document frequencies, so its score is a function of its own frequency (for weights: of its
own mean) whose shape is the same for all categories. Each measure says in ``absent`` by which
keys to order the absent terms so that, for every category, the best k of them are among the
first k of one of these orders. One key serves a score that is monotone in it; a score that
falls and then rises has its best at both ends and needs two. This is what lets a selection
look at the terms a category touches and a few more, instead of at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from scipy.special import ndtri, xlogy

from postil.common.types import Floats
from postil.errors import UsageError
from postil.features.evidence import Basis, CountBasis, Counts, Sums, WeightBasis
from postil.features.inputs import Csr

BNS_RATE = 0.0005
ODDS_SMOOTHING = 0.5
YULE_SMOOTHING = 1 / 12

Table = TypeVar("Table")
Key = Callable[[Any], Floats]


@dataclass(frozen=True)
class Measure(Generic[Table]):
    """A measure of term and category: its formula, what it reads, how absent terms order."""

    name: str
    summary: str
    basis: Callable[[Csr], Basis[Table]]
    formula: Callable[[Table], Floats]
    absent: tuple[Key, ...]
    two_sided: bool = True

    def strength(self, scores: Floats) -> Floats:
        """Turn scores into what a selection ranks by: absolute values if two-sided."""
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
    """``Σ_T P(T | C) log2(P(T | C) / P(T))``: what being in the category says of the term.

    The part of the gain that the category's own documents have, over their share: times P(C) and
    summed over categories it is the multi-class information gain of Yang and Pedersen (1997).
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

    The paper prints that values of Φ⁻¹(0) are replaced by 0.0005. Read literally that would put
    a rate of 0 at the middle of the normal curve, above a rate of 0.4; Forman replaces the
    *rate*. So do we: both rates are clipped to [0.0005, 1 - 0.0005] before Φ⁻¹.
    """
    inside = _ratio(table.both, table.category)
    outside = _ratio(table.term_only, table.documents - table.category)
    return np.where(table.flat, 0, _normal_quantile(inside) - _normal_quantile(outside))


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
    """Count the documents with the term, a + c: the same for every category."""
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
    """``above / below``, and 0 where ``below`` is 0: a margin of the table is empty there."""
    shape = np.broadcast_shapes(np.shape(above), np.shape(below))
    return np.divide(above, below, out=np.zeros(shape), where=np.asarray(below) != 0)


def _normal_quantile(rate: Floats) -> Floats:
    return ndtri(np.clip(rate, BNS_RATE, 1 - BNS_RATE))


def _most_frequent_first(basis: CountBasis) -> Floats:
    return basis.frequency


def _rarest_first(basis: CountBasis) -> Floats:
    return -basis.frequency


def _largest_mean_first(basis: WeightBasis) -> Floats:
    return basis.mean


def _smallest_mean_first(basis: WeightBasis) -> Floats:
    return -basis.mean


_REGISTERED: tuple[Measure[Any], ...] = (
    Measure(
        "information-gain",
        "information gain with entropy, in bits",
        CountBasis,
        information_gain,
        (_most_frequent_first,),
    ),
    Measure(
        "gini",
        "information gain with the Gini index (zhang-oles-2001)",
        CountBasis,
        gini_gain,
        (_most_frequent_first,),
    ),
    Measure(
        "chi-square",
        "chi-square test of independence",
        CountBasis,
        chi_square,
        (_most_frequent_first,),
    ),
    Measure(
        "bns",
        "bi-normal separation",
        CountBasis,
        binormal_separation,
        (_most_frequent_first,),
    ),
    Measure(
        "pearson",
        "correlation of the weights with membership",
        WeightBasis,
        pearson,
        (_largest_mean_first, _smallest_mean_first),
    ),
    Measure(
        "yule-q",
        "Yule's Q",
        CountBasis,
        yule_q,
        (_most_frequent_first, _rarest_first),
    ),
    Measure(
        "odds-ratio",
        "logarithm of the odds ratio, one-sided",
        CountBasis,
        log_odds_ratio,
        (_rarest_first,),
        two_sided=False,
    ),
    Measure(
        "document-frequency",
        "documents with the term, whatever the category",
        CountBasis,
        document_frequency,
        (_most_frequent_first,),
    ),
)

MEASURES: dict[str, Measure[Any]] = {measure.name: measure for measure in _REGISTERED}


def measure_named(name: str) -> Measure[Any]:
    """Look up a registered measure."""
    if name not in MEASURES:
        raise UsageError(f"no term measure is called {name!r}; there are: {', '.join(MEASURES)}")
    return MEASURES[name]

"""What bounds the mistakes and the errors of two families of linear methods (zhang-2000).

Additive updates (Perceptron, SVM) are bounded by 2-norms. Multiplicative updates (Winnow) are
bounded by the largest entry of a document, and by the 1-norm and the entropy of the weights.
Arrays have an entry for each category. Every function costs one pass over what it is given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats

ADDITIVE, MULTIPLICATIVE, NEITHER = "additive", "multiplicative", "neither"


class WeightSizes(NamedTuple):
    """How large the weights of each category are: ‖w‖₁, ‖w‖₂ and their entropy."""

    one: Floats
    two: Floats
    entropy: Floats


def weight_sizes(weights: sp.csr_matrix[Any]) -> WeightSizes:
    """The sizes of weights, categories × columns, the constant's column among them.

    The entropy Σⱼ wⱼ ln(wⱼ ‖μ‖₁ / (μⱼ ‖w‖₁)) is that of section 2.2 for a balanced Winnow: its
    documents are x̃ = [x, -x], and its weights are max(w, 0) and max(-w, 0), with a uniform prior
    μ over all 2d of them. So it is Σ |wⱼ| ln(2d |wⱼ| / ‖w‖₁), with 0 ln 0 = 0. A balanced Winnow
    holds the same amount more on both sides of each term. That cancels in every score, and
    without it the 1-norm is as small as it can be: two models with the same w have the same sizes,
    whichever way they were learned.
    """
    categories, columns = weights.shape
    rows = np.repeat(np.arange(categories), np.diff(weights.indptr))
    sizes = np.abs(weights.data).astype(np.float64)
    rows, sizes = rows[sizes > 0], sizes[sizes > 0]
    one: Floats = np.bincount(rows, sizes, categories).astype(np.float64)
    two = np.sqrt(np.bincount(rows, sizes**2, categories))
    shares = sizes / one[rows]
    entropy = np.bincount(rows, sizes * np.log(2.0 * columns * shares), categories)
    return WeightSizes(one, two, np.maximum(entropy, 0.0))  # under 0 it is a rounding error


def perceptron_mistakes(two: Floats, longest: float, margin: Floats) -> Floats:
    """At most so many mistakes: ‖w‖₂² max‖x‖₂² / δ², with the least margin δ (section 2.1).

    It holds for every learning rate and every order of the documents, however often they come.
    Where δ is not above 0, the weights do not separate the documents, and there is no bound: NaN.
    """
    return two**2 * _squared_over(longest, margin)


def winnow_mistakes(one: Floats, entropy: Floats, largest: float, margin: Floats) -> Floats:
    """At most so many: 2 ‖w‖₁ (Σⱼ wⱼ ln(wⱼ ‖μ‖₁ / (μⱼ ‖w‖₁))) max‖x‖∞² / δ² (section 2.2).

    It holds for the learning rate δ / (‖w‖₁ max‖x‖∞²) and weights that begin at a uniform μ. NaN
    where δ is not above 0.
    """
    return 2.0 * one * entropy * _squared_over(largest, margin)


def additive_term(two: Floats, longest: float, gamma: float) -> Floats:
    """a² b² / γ² of theorem 3.1, with ‖w‖₂ = a and max‖x‖₂ = b."""
    return (two * longest / gamma) ** 2


def multiplicative_term(one: Floats, entropy: Floats, largest: float, gamma: float) -> Floats:
    """b² (a² + a c) / γ² of theorem 3.2, with ‖w‖₁ = a, the entropy c, and max‖x‖∞ = b."""
    return one * (one + entropy) * (largest / gamma) ** 2


def term_ratio(additive: Floats, multiplicative: Floats) -> Floats:
    """The multiplicative term over the additive one; NaN where both are 0."""
    ratio = np.full(len(additive), np.nan)
    np.divide(multiplicative, additive, out=ratio, where=additive > 0)
    return ratio


def favoured(ratio: float) -> str:
    """The family whose term is the smaller one."""
    if not ratio < 1 and not ratio > 1:
        return NEITHER
    return MULTIPLICATIVE if ratio < 1 else ADDITIVE


def _squared_over(size: float, margin: Floats) -> Floats:
    """size² / margin², NaN for margins not above 0."""
    over = np.full(len(margin), np.nan)
    with np.errstate(over="ignore"):  # a margin of nearly 0 bounds nothing: infinity says it
        np.divide(size, margin, out=over, where=margin > 0)
        return over**2

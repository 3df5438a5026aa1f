"""How wide the prior of each term is, by a rule (genkin-lewis-madigan-2004, section 7).

A rule gives each term a factor fⱼ of the common prior variance: σⱼ² = σ² fⱼ. The constant keeps
the common one.

=========  ==================================================================
``equal``  1
``idf``    idfⱼ² / mean(idf²), idfⱼ = ln((n + 1) / (nⱼ + 1)) + 1: rare words wider
=========  ==================================================================

n is the number of documents that are learned from, nⱼ of those that hold the term. The 1 that is
added to the paper's idf keeps the prior of a word that is everywhere from closing altogether.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.parts import Part, find, registry
from postil.learn.term_priors import TermPriors

Floats = NDArray[np.float64]

EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class VarianceRule(Part):
    """A rule: the factors of terms held by so many of so many documents; None is 1 for all."""

    factors: Callable[[Floats, int], Floats] | None


def _by_idf(held: Floats, documents: int) -> Floats:
    squares = np.square(np.log((documents + 1.0) / (held + 1.0)) + 1.0)
    return squares / squares.mean() if len(squares) else squares


VARIANCE_RULES: Mapping[str, VarianceRule] = MappingProxyType(
    registry(
        VarianceRule(EQUAL, "one variance for all terms", frozenset(), None),
        VarianceRule("idf", "rare words wider", frozenset(), _by_idf),
    )
)


def ruled_priors(
    rule: str, design: Design, emphasis: Emphasis | None, given: TermPriors | None
) -> TermPriors | None:
    """What is believed of single terms, with the factors of a rule.

    What is ``given`` of a term stands in place of the rule. Documents of weight 0 do not count.
    Cost: one pass over the non-zeros, for a rule that looks at them.
    """
    factors = find("variance rule", VARIANCE_RULES, rule).factors
    if factors is None or (given is not None and given.factors is not None):
        return given
    weights = (emphasis or Emphasis()).of_documents(design.documents)
    held = np.bincount(_terms_held(design, weights), minlength=design.terms)
    found = factors(held.astype(np.float64), int(np.count_nonzero(weights)))
    return replace(given or TermPriors(design.terms), factors=found)


def _terms_held(design: Design, weights: Floats) -> NDArray[np.integer]:
    """The terms of documents that count, once for each that holds them."""
    rows = design.rows
    present = np.repeat(weights > 0, np.diff(rows.indptr)) & (rows.data != 0)
    terms: NDArray[np.integer] = rows.indices[present]
    return terms

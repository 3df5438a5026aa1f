"""What is believed of single terms before any document is seen.

genkin-lewis-madigan-2004, section 7: rare words may have a wider prior, a word known to speak for
a category a mean above 0, or a prior that forbids it to speak against.

How wide the prior of each term is, by a rule (genkin-lewis-madigan-2004, section 7).

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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.job import Design, SampleWeights
from postil.learn.options import Part, find, registry
from postil.learn.strength import Strengths

NUMBERS = 7  # of a belief, as the native core has them
UNBOUNDED = math.inf
# Weights and variances that mean something; beyond, the numbers of a fit run out of digits.
MOST_MEAN = 1e6
LEAST_VARIANCE, MOST_VARIANCE = 1e-30, 1e30


VARIANCES = f"0, from {LEAST_VARIANCE:g} to {MOST_VARIANCE:g}, or inf"


def is_variance(value: float) -> bool:
    """Whether a single term's prior may have this variance: see ``VARIANCES``."""
    return value in (0.0, math.inf) or LEAST_VARIANCE <= value <= MOST_VARIANCE


@dataclass(frozen=True, slots=True)
class TermPrior:
    """The prior of one term's weight, where it differs from that of all terms.

    ``variance`` is the term's own, in place of the common one times ``factor``; infinity lets the
    weight go free, 0 keeps it at the mean. ``low`` and ``high`` bound the weight: with a Laplace
    prior a bound at the mean makes it exponential.
    """

    mean: float = 0.0
    variance: float | None = None
    factor: float = 1.0
    low: float = -UNBOUNDED
    high: float = UNBOUNDED

    def __post_init__(self) -> None:
        if not abs(self.mean) <= MOST_MEAN:
            raise UsageError(
                f"the mean of a prior is from {-MOST_MEAN:g} to {MOST_MEAN:g}, not {self.mean!r}"
            )
        if self.variance is not None and not is_variance(self.variance):
            raise UsageError(f"the variance of a prior is {VARIANCES}, not {self.variance!r}")
        if not LEAST_VARIANCE <= self.factor <= MOST_VARIANCE:
            raise UsageError(
                f"the factor of a variance is from {LEAST_VARIANCE:g} to {MOST_VARIANCE:g}, not "
                f"{self.factor!r}"
            )
        if not self.low <= self.mean <= self.high:
            raise UsageError(
                f"a prior's mean lies between its bounds, and {self.mean:g} is not from "
                f"{self.low:g} to {self.high:g}"
            )

    def numbers(self, documents: float, mix: float) -> list[float]:
        """Shares of the common strength, own strength, mean and bounds, for the native core."""
        if self.variance is None:
            shares, own = [self.factor**-0.5, 1.0 / self.factor], [0.0, 0.0]
        elif self.variance == 0 or math.isinf(self.variance):
            shares, own = [0.0, 0.0], [0.0, 0.0]
        else:
            shares = [0.0, 0.0]
            given = Strengths("prior_variance", np.array([self.variance]))
            own = given.pairs(documents, mix)[0].tolist()
        low, high = (self.mean, self.mean) if self.variance == 0 else (self.low, self.high)
        return [*shares, *own, self.mean, low, high]


@dataclass(frozen=True, slots=True, eq=False)
class TermPriors:
    """Priors of single terms, by their numbers; the constant's number is that of all terms.

    ``factors``, one for each term, multiply the common variance. ``every`` holds for all
    categories, ``own`` (by the category's number) for one. Memory: 56 bytes for each term, once
    for a thread where a category has its own.
    """

    terms: int
    factors: Floats | None = None
    every: Mapping[int, TermPrior] = field(default_factory=dict)
    own: Mapping[int, Mapping[int, TermPrior]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.factors is not None:
            factors = np.asarray(self.factors, dtype=np.float64)
            if factors.shape != (self.terms,) or not (np.isfinite(factors) & (factors > 0)).all():
                raise UsageError(f"factors are {self.terms} finite numbers above 0, one a term")
        for numbers in (self.every, *self.own.values()):
            if not all(isinstance(prior, TermPrior) for prior in numbers.values()):
                raise UsageError("every and own give terms a TermPrior each, as TermPrior(mean=1)")
            wrong = [term for term in numbers if not 0 <= term <= self.terms]
            if wrong:
                raise UsageError(f"there is no term {wrong[0]}: there are {self.terms}")

    def native(
        self, categories: Sequence[int], documents: float, mix: float
    ) -> _native.Beliefs | None:
        """What the native core needs to know, for these categories; nothing if all is usual."""
        if self.factors is None and not self.every and not self.own:
            return None
        common = self.common(documents, mix)
        starts, places, rows = [0], [], []
        for category in categories:
            for term, prior in sorted(self.own.get(category, {}).items()):
                places.append(term)
                rows.append(prior.numbers(documents, mix))
            starts.append(len(places))
        return _native.Beliefs(
            common,
            _native.Lists(np.array(starts, dtype=np.int64), np.array(places, dtype=np.int32)),
            np.array(rows, dtype=np.float64).reshape(-1, NUMBERS),
        )

    def common(self, documents: float, mix: float) -> Floats:
        """The numbers of each term's prior, the constant's last, but for a category's own."""
        table = np.tile(TermPrior().numbers(documents, mix), (self.terms + 1, 1))
        if self.factors is not None:
            table[:-1, 0] = np.asarray(self.factors) ** -0.5
            table[:-1, 1] = 1.0 / np.asarray(self.factors)
        for term, prior in self.every.items():
            table[term] = prior.numbers(documents, mix)
        return np.ascontiguousarray(table)


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
    rule: str, design: Design, sample_weights: SampleWeights | None, given: TermPriors | None
) -> TermPriors | None:
    """What is believed of single terms, with the factors of a rule.

    What is ``given`` of a term stands in place of the rule. Documents of weight 0 do not count.
    Cost: one pass over the non-zeros, for a rule that looks at them.
    """
    factors = find("variance rule", VARIANCE_RULES, rule).factors
    if factors is None or (given is not None and given.factors is not None):
        return given
    weights = (sample_weights or SampleWeights()).of_documents(design.documents)
    held = np.bincount(_terms_held(design, weights), minlength=design.terms)
    found = factors(held.astype(np.float64), int(np.count_nonzero(weights)))
    return replace(given or TermPriors(design.terms), factors=found)


def _terms_held(design: Design, weights: Floats) -> NDArray[np.integer]:
    """The terms of documents that count, once for each that holds them."""
    rows = design.rows
    present = np.repeat(weights > 0, np.diff(rows.indptr)) & (rows.data != 0)
    terms: NDArray[np.integer] = rows.indices[present]
    return terms

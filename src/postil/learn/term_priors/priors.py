"""Per-term priors: the prior of single terms where it differs from the common prior.

genkin-lewis-madigan-2004, section 7: a rare word may have a wider prior, and a word known to speak
for a category a mean above 0, or a prior that forbids it to speak against.

A variance rule gives each term a factor fⱼ of the common prior variance, σⱼ² = σ² fⱼ; the constant
keeps the common one.

=========  ==================================================================
``equal``  1
``idf``    idfⱼ² / mean(idf²), idfⱼ = ln((n + 1) / (nⱼ + 1)) + 1: rare words wider
=========  ==================================================================

n is the number of training documents, nⱼ of those with the term. The added 1, which the paper's
idf does not have, keeps the variance of a word in every document above 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from postil import _native
from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.job import Design, SampleWeights
from postil.learn.options import Part, find, registry
from postil.learn.strength import Strengths

NUMBERS = 7  # of a prior, as the native core has them
UNBOUNDED = math.inf
# Beyond these limits the numbers of a fit run out of digits.
MOST_MEAN = 1e6
LEAST_VARIANCE, MOST_VARIANCE = 1e-30, 1e30
VARIANCES = f"0, from {LEAST_VARIANCE:g} to {MOST_VARIANCE:g}, or inf"


def is_variance(value: float) -> bool:
    """Return True if a term's prior may have this variance: see ``VARIANCES``."""
    return value in (0.0, math.inf) or LEAST_VARIANCE <= value <= MOST_VARIANCE


@dataclass(frozen=True, slots=True)
class TermPrior:
    """The prior of one term's weight.

    Attributes
    ----------
    mean : float
        The peak of the prior.
    variance : float or None
        The term's own variance, in place of the common one times ``factor``. Infinity leaves the
        weight free, 0 keeps it at the mean.
    factor : float
        The factor of the common variance.
    low, high : float
        Bounds of the weight; with a Laplace prior a bound at the mean makes it exponential.
    """

    mean: float = 0.0
    variance: float | None = None
    factor: float = 1.0
    low: float = -UNBOUNDED
    high: float = UNBOUNDED

    def __post_init__(self) -> None:
        if not abs(self.mean) <= MOST_MEAN:
            raise UsageError(
                f"the mean of a prior must be from {-MOST_MEAN:g} to {MOST_MEAN:g}, got "
                f"{self.mean!r}"
            )
        if self.variance is not None and not is_variance(self.variance):
            raise UsageError(f"the variance of a prior must be {VARIANCES}, got {self.variance!r}")
        if not LEAST_VARIANCE <= self.factor <= MOST_VARIANCE:
            raise UsageError(
                f"the factor of a variance must be from {LEAST_VARIANCE:g} to {MOST_VARIANCE:g}, "
                f"got {self.factor!r}"
            )
        if not self.low <= self.mean <= self.high:
            raise UsageError(
                f"the mean of a prior must lie between its bounds, got {self.mean:g} and bounds "
                f"from {self.low:g} to {self.high:g}"
            )

    def numbers(self, documents: float, mix: float) -> list[float]:
        """Return shares of the common strength, own strength, mean and bounds: seven numbers."""
        shares, own = [0.0, 0.0], [0.0, 0.0]
        if self.variance is None:
            shares = [self.factor**-0.5, 1.0 / self.factor]
        elif self.variance != 0 and not math.isinf(self.variance):
            given = Strengths("prior_variance", np.array([self.variance]))
            own = given.pairs(documents, mix)[0].tolist()
        low, high = (self.mean, self.mean) if self.variance == 0 else (self.low, self.high)
        return [*shares, *own, self.mean, low, high]


@dataclass(frozen=True, slots=True, eq=False)
class TermPriors:
    """Per-term priors, by the numbers of terms.

    Memory is 56 bytes for each term, per thread where a category has its own priors.

    Attributes
    ----------
    terms : int
        The number of terms, which is also the number of the constant.
    factors : array or None
        A factor of the common variance for each term.
    every : mapping of int to TermPrior
        Priors of terms for all categories.
    own : mapping of int to mapping
        Priors of terms for single categories, by the category's number.
    """

    terms: int
    factors: Floats | None = None
    every: Mapping[int, TermPrior] = field(default_factory=dict)
    own: Mapping[int, Mapping[int, TermPrior]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.factors is not None:
            factors = np.asarray(self.factors, dtype=np.float64)
            if factors.shape != (self.terms,) or not (np.isfinite(factors) & (factors > 0)).all():
                raise UsageError(
                    f"factors must be {self.terms} finite numbers above 0, one per term"
                )
        for numbers in (self.every, *self.own.values()):
            if not all(isinstance(prior, TermPrior) for prior in numbers.values()):
                raise UsageError("every and own must map terms to TermPrior, as TermPrior(mean=1)")
            wrong = [term for term in numbers if not 0 <= term <= self.terms]
            if wrong:
                raise UsageError(f"there is no term {wrong[0]}: there are {self.terms} terms")

    def native(
        self, categories: Sequence[int], documents: float, mix: float
    ) -> _native.TermPriors | None:
        """Return the priors of these categories for the native core, or None if none differs."""
        if self.factors is None and not self.every and not self.own:
            return None
        starts, places, rows = [0], [], []
        for category in categories:
            for term, prior in sorted(self.own.get(category, {}).items()):
                places.append(term)
                rows.append(prior.numbers(documents, mix))
            starts.append(len(places))
        return _native.TermPriors(
            self.common(documents, mix),
            _native.Lists(np.array(starts, dtype=np.int64), np.array(places, dtype=np.int32)),
            np.array(rows, dtype=np.float64).reshape(-1, NUMBERS),
        )

    def common(self, documents: float, mix: float) -> Floats:
        """Return the numbers of each term's prior for all categories, the constant's last."""
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
    """A variance rule; ``factors`` gets each term's document frequency and all documents.

    None stands for factors of 1.
    """

    factors: Callable[[Floats, int], Floats] | None


def _by_idf(frequency: Floats, documents: int) -> Floats:
    squares = np.square(np.log((documents + 1.0) / (frequency + 1.0)) + 1.0)
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
    """Return the given per-term priors with the factors of a variance rule.

    Given factors stand in place of the rule. Documents of weight 0 do not count. A rule that reads
    documents costs one pass over the non-zeros.
    """
    factors = find("variance rule", VARIANCE_RULES, rule).factors
    if factors is None or (given is not None and given.factors is not None):
        return given
    weights = (sample_weights or SampleWeights()).of_documents(design.documents)
    rows = design.rows
    counted = np.repeat(weights > 0, np.diff(rows.indptr)) & (rows.data != 0)
    frequency = np.bincount(rows.indices[counted], minlength=design.terms).astype(np.float64)
    found = factors(frequency, int(np.count_nonzero(weights)))
    return replace(given or TermPriors(design.terms), factors=found)

"""Whether one run is better than another, or it was luck.

Over categories: Wilcoxon's signed-rank test on one value per category (genkin-lewis-madigan-2004
tests numbers of errors so). Over decisions: McNemar's test and the micro sign test look only at
the cases where exactly one of the two runs is right; over pairs of document and category they
take the decisions about one document as independent, which they are not quite. All p-values are
two-sided unless the name says otherwise; "left" and "right" are the two runs in the order given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from postil.common.types import Floats
from postil.errors import UsageError
from postil.evaluate.counts import UNDEFINED, difference, intersection, plain_fields
from postil.evaluate.inputs import checked_pair
from postil.evaluate.measures import decided_rightly
from postil.features.inputs import Sparse

ZEROS: dict[str, Literal["wilcox", "pratt", "zsplit"]] = {
    "drop": "wilcox",
    "pratt": "pratt",
    "split": "zsplit",
}


@dataclass(frozen=True)
class Comparison:
    """The outcome of a test: who is better how often, and the p-value.

    ``equal`` counts cases that favour neither run, ``undefined`` those that could not be
    compared; ``statistic`` means what the test's function says.
    """

    test: str
    left_better: int
    right_better: int
    equal: int
    undefined: int
    statistic: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields(vars(self))


def wilcoxon(
    left: Floats, right: Floats, *, more_is_better: bool = True, zeros: str = "drop"
) -> Comparison:
    """Wilcoxon's matched-pairs signed-rank test on a value per category.

    Categories where either value is undefined are left out and counted. Differences of 0 are
    ranked by ``zeros``: ``drop`` leaves them out (Wilcoxon's own rule, the default), ``pratt``
    ranks them and then drops their ranks, ``split`` gives half their ranks to each side. The
    p-value is exact for few categories, else by the normal approximation with tie correction
    and without continuity correction (scipy's ``wilcoxon``); it is 1 where all are equal. The
    statistic is the smaller sum of ranks. Sorts the categories.
    """
    if left.shape != right.shape:
        raise UsageError(
            f"Wilcoxon's test pairs categories: left has {left.size} values and right {right.size}"
        )
    if zeros not in ZEROS:
        raise UsageError(
            f"no treatment of zeros is called {zeros!r}; there are: {', '.join(ZEROS)}"
        )
    defined = ~(np.isnan(left) | np.isnan(right))
    gains = (left - right)[defined] * (1 if more_is_better else -1)
    statistic, p_value = 0.0, 1.0
    if gains.any():
        # Dropped here, zeros do not keep scipy from the exact distribution.
        ranked = gains[gains != 0] if zeros == "drop" else gains
        outcome = stats.wilcoxon(ranked, zero_method=ZEROS[zeros])
        statistic, p_value = float(outcome.statistic), float(outcome.pvalue)
    return Comparison(
        "wilcoxon",
        int((gains > 0).sum()),
        int((gains < 0).sum()),
        int((gains == 0).sum()),
        int((~defined).sum()),
        statistic,
        p_value,
    )


@dataclass(frozen=True)
class Discordance:
    """Cases that only the left run, or only the right one, decided rightly."""

    left_right: int
    right_right: int
    cases: int

    @property
    def discordant(self) -> int:
        """Cases that exactly one run decided rightly."""
        return self.left_right + self.right_right


def discordant_decisions(truth: Sparse, left: Sparse, right: Sparse) -> Discordance:
    """Compare pairs of document and category; costs the non-zeros of the three matrices."""
    members, first = checked_pair(truth, left, "decisions of the left run")
    _, second = checked_pair(truth, right, "decisions of the right run")
    differing = difference(first, second)
    left_right = differing.nnz - intersection(differing, difference(members, first)).nnz
    cases = int(members.shape[0]) * int(members.shape[1])
    return Discordance(int(left_right), int(differing.nnz - left_right), cases)


def discordant_documents(truth: Sparse, left: Sparse, right: Sparse) -> Discordance:
    """Compare documents, right where all their categories are; costs the non-zeros."""
    first, second = decided_rightly(truth, left), decided_rightly(truth, right)
    return Discordance(int((first & ~second).sum()), int((second & ~first).sum()), len(first))


def mcnemar(discordance: Discordance, *, exact: bool | None = None) -> Comparison:
    """McNemar's test: the left run alone is right as often as the right run alone.

    With b and c such cases: exact is the binomial test of b in b + c at 1/2, with statistic
    ``min(b, c)``; otherwise ``(|b - c| - 1)² / (b + c)``, continuity corrected and not below 0,
    against chi-square with one degree of freedom. Unless told, exact below 25 cases in b + c.
    The p-value is 1 where b + c = 0.
    """
    b, c, n = discordance.left_right, discordance.right_right, discordance.discordant
    if exact or (exact is None and n < 25):
        return _compared("mcnemar-exact", discordance, float(min(b, c)), _two_sided(b, c))
    statistic = max(abs(b - c) - 1, 0) ** 2 / n if n else 0.0
    p_value = float(stats.chi2.sf(statistic, 1))
    return _compared("mcnemar-chi-square", discordance, statistic, p_value)


def micro_sign_test(
    truth: Sparse, left: Sparse, right: Sparse, *, one_sided: bool = False
) -> Comparison:
    """The micro sign test (s-test) of Yang and Liu (1999) over all pairs of document and category.

    Of the n pairs that one run alone decides rightly, k are the left run's; under the null
    hypothesis k is binomial(n, 1/2). One-sided, as the authors use it, the p-value is
    ``P(K ≥ k)``: that the left run is better. The binomial tail is computed exactly at any n;
    the statistic is the z of the authors' normal approximation, ``(k - n/2) / (√n / 2)``.
    """
    discordance = discordant_decisions(truth, left, right)
    k, n = discordance.left_right, discordance.discordant
    statistic = (k - n / 2) / (np.sqrt(n) / 2) if n else UNDEFINED
    p_value = _upper_tail(k, n) if one_sided else _two_sided(k, n - k)
    name = "micro-sign-one-sided" if one_sided else "micro-sign"
    return _compared(name, discordance, float(statistic), p_value)


def _compared(test: str, discordance: Discordance, statistic: float, p_value: float) -> Comparison:
    return Comparison(
        test,
        discordance.left_right,
        discordance.right_right,
        discordance.cases - discordance.discordant,
        0,
        statistic,
        p_value,
    )


def _upper_tail(k: int, n: int) -> float:
    return float(stats.binom.sf(k - 1, n, 0.5)) if n else 1.0


def _two_sided(b: int, c: int) -> float:
    """Twice the smaller tail, at most 1: exact because the distribution is symmetric."""
    return min(1.0, 2 * _upper_tail(max(b, c), b + c))

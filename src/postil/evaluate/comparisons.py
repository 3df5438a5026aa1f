"""Significance tests of the difference between two runs.

Over categories: Wilcoxon's signed-rank test on one value per category (genkin-lewis-madigan-2004
tests numbers of errors this way). Over decisions: McNemar's test and the micro sign test look only
at the cases where exactly one of the two runs is right; over pairs of document and category they
take the decisions about one document as independent, which they are not quite. All p-values are
two-sided unless the name says otherwise; "left" and "right" are the two runs in the given order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from postil.common.types import Floats
from postil.decide.scores import Sparse
from postil.errors import UsageError
from postil.evaluate.bootstrap import Difference, bootstrap_difference
from postil.evaluate.counts import (
    UNDEFINED,
    checked_pair,
    count,
    difference,
    intersection,
    named,
    plain,
)
from postil.evaluate.measures import decided_rightly
from postil.evaluate.options import Options, run_statistics

ZEROS: dict[str, Literal["wilcox", "pratt", "zsplit"]] = {
    "drop": "wilcox",
    "pratt": "pratt",
    "split": "zsplit",
}


@dataclass(frozen=True)
class Comparison:
    """The outcome of a test: the number of cases that favour each run, and the p-value.

    ``equal`` counts cases that favour neither run, ``undefined`` those that could not be
    compared; each test's function describes its ``statistic``.
    """

    test: str
    left_better: int
    right_better: int
    equal: int
    undefined: int
    statistic: float
    p_value: float


def wilcoxon(
    left: Floats, right: Floats, *, more_is_better: bool = True, zeros: str = "drop"
) -> Comparison:
    """Run Wilcoxon's matched-pairs signed-rank test on a value per category.

    The p-value is exact for few categories, else by the normal approximation with tie correction
    and without continuity correction (scipy's ``wilcoxon``); it is 1 where all are equal. The
    statistic is the smaller sum of ranks. Sorts the categories.

    Parameters
    ----------
    left, right:
        A value per category; categories where either is undefined are left out and counted.
    more_is_better:
        Direction of the values.
    zeros:
        Treatment of differences of 0: ``drop`` leaves them out (Wilcoxon's own rule), ``pratt``
        ranks them and then drops their ranks, ``split`` gives half their ranks to each side.
    """
    from scipy import stats

    if left.shape != right.shape:
        raise UsageError(
            f"Wilcoxon's test pairs categories: left has {left.size} values and right {right.size}"
        )
    method = named(ZEROS, zeros, "treatment of zeros")
    defined = ~(np.isnan(left) | np.isnan(right))
    gains = (left - right)[defined] * (1 if more_is_better else -1)
    statistic, p_value = 0.0, 1.0
    if gains.any():
        # Dropped here, zeros do not prevent scipy from using the exact distribution.
        ranked = gains[gains != 0] if zeros == "drop" else gains
        outcome = stats.wilcoxon(ranked, zero_method=method)
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


class Discordance(NamedTuple):
    """Cases that only the left run, or only the right one, decided rightly; of ``cases`` in all."""

    left_right: int
    right_right: int
    cases: int


def discordant_decisions(truth: Sparse, left: Sparse, right: Sparse) -> Discordance:
    """Compare pairs of document and category; costs the non-zeros of the three matrices."""
    members, first = checked_pair(truth, left, "decisions of the left run")
    _, second = checked_pair(truth, right, "decisions of the right run")
    differing = difference(first, second)
    left_right = differing.nnz - intersection(differing, difference(members, first)).nnz
    cases = int(members.shape[0]) * int(members.shape[1])
    return Discordance(int(left_right), int(differing.nnz - left_right), cases)


def discordant_documents(truth: Sparse, left: Sparse, right: Sparse) -> Discordance:
    """Compare documents, which are right if all their categories are; costs the non-zeros."""
    first, second = decided_rightly(truth, left), decided_rightly(truth, right)
    return Discordance(int((first & ~second).sum()), int((second & ~first).sum()), len(first))


def mcnemar(discordance: Discordance, *, exact: bool | None = None) -> Comparison:
    """Test by McNemar whether each run alone is right equally often.

    With b and c such cases: exact is the binomial test of b in b + c at 1/2, with statistic
    ``min(b, c)``; otherwise ``(|b - c| - 1)² / (b + c)``, continuity corrected and not below 0,
    against chi-square with one degree of freedom. By default the test is exact below 25 cases in
    b + c. The p-value is 1 where b + c = 0.
    """
    from scipy import stats

    b, c, cases = discordance
    if exact or (exact is None and b + c < 25):
        name, statistic, p_value = "mcnemar-exact", float(min(b, c)), _two_sided(b, c)
    else:
        statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c) if b + c else 0.0
        name, p_value = "mcnemar-chi-square", float(stats.chi2.sf(statistic, 1))
    return Comparison(name, b, c, cases - b - c, 0, statistic, p_value)


def micro_sign_test(discordance: Discordance) -> Comparison:
    """Run the micro sign test (s-test) of Yang and Liu (1999) over pairs of document and category.

    Of the n pairs that one run alone decides rightly, k are the left run's; under the null
    hypothesis k is binomial(n, 1/2). The binomial tail is computed exactly at any n, two-sided; the
    statistic is the z of the authors' normal approximation, ``(k - n/2) / (√n / 2)``.
    """
    k, other, cases = discordance
    n = k + other
    statistic = float((k - n / 2) / (np.sqrt(n) / 2)) if n else UNDEFINED
    return Comparison("micro-sign", k, other, cases - n, 0, statistic, _two_sided(k, other))


def _two_sided(b: int, c: int) -> float:
    """Return twice the smaller tail, at most 1: exact because the distribution is symmetric."""
    from scipy import stats

    return min(1.0, 2 * float(stats.binom.sf(max(b, c) - 1, b + c, 0.5))) if b + c else 1.0


@dataclass(frozen=True)
class RunComparison:
    """The tests of two runs, by name, and the differences of their measures.

    ``wilcoxon_f1``, ``wilcoxon_error`` and so on compare categories; ``mcnemar_documents``
    compares documents, right or wrong as a whole; ``mcnemar_decisions`` and ``micro_sign``
    compare pairs of document and category. ``differences`` are left minus right.
    """

    left: str
    right: str
    tests: Mapping[str, Comparison]
    differences: Mapping[str, Difference]
    level: float = 0.05

    def significant(self) -> tuple[str, ...]:
        """Return the names of the tests and differences whose p-value is below ``level``.

        No p-value is corrected for the number of tests.
        """
        every: dict[str, Comparison | Difference] = {**self.tests, **self.differences}
        return tuple(name for name, each in every.items() if each.p_value < self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        described: dict[str, Any] = plain({**vars(self), "significant": self.significant()})
        return described

    def to_text(self, width: int | None = None) -> str:
        """Return tables for a reader, folded to a width if one is given."""
        from postil.evaluate.rendering import comparison_tables
        from postil.evaluate.text_tables import as_text

        return as_text(comparison_tables(self), width)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none becomes smaller than
    the one before it or larger than 1. Undefined values stay so and do not count.
    """
    corrected = [UNDEFINED] * len(p_values)
    known = [place for place, value in enumerate(p_values) if not math.isnan(value)]
    last = 0.0
    for step, place in enumerate(sorted(known, key=lambda place: p_values[place])):
        last = max(last, min(1.0, (len(known) - step) * p_values[place]))
        corrected[place] = last
    return corrected


def holm_of_tests(comparisons: Sequence[RunComparison]) -> list[dict[str, float]]:
    """Return the p-values of each comparison by test, corrected over all comparisons of a test."""
    found: list[dict[str, float]] = [{} for _ in comparisons]
    for name in comparisons[0].tests if comparisons else ():
        corrected = holm([each.tests[name].p_value for each in comparisons])
        for values, value in zip(found, corrected, strict=True):
            values[name] = value
    return found


def compare_runs(
    truth: Sparse,
    left: Sparse,
    right: Sparse,
    *,
    names: tuple[str, str] = ("left", "right"),
    options: Options | None = None,
    zeros: str = "drop",
    level: float = 0.05,
) -> RunComparison:
    """Test two runs' decisions on the same documents against each other.

    Costs the non-zeros of the three matrices, and resamples × (non-zeros + documents + categories)
    for the bootstrap.

    Parameters
    ----------
    truth, left, right:
        Sparse indicators of documents × categories: the truth, and the decisions of two runs.
    names:
        Names of the runs in the tables.
    options:
        Measures, the rule for undefined values, and the bootstrap (by default 1000 resamples).
    zeros:
        Treatment of equal categories in Wilcoxon's test.
    level:
        Level of significance.
    """
    options = options or Options()
    first, second = count(truth, left), count(truth, right)
    tests = {
        f"wilcoxon_{name}": wilcoxon(
            measure.formula(first),
            measure.formula(second),
            more_is_better=measure.more_is_better,
            zeros=zeros,
        )
        for name, measure in options.measures().items()
    }
    tests["mcnemar_documents"] = mcnemar(discordant_documents(truth, left, right))
    pairs = discordant_decisions(truth, left, right)
    tests["mcnemar_decisions"] = mcnemar(pairs)
    tests["micro_sign"] = micro_sign_test(pairs)
    statistics = run_statistics(options)
    differences = bootstrap_difference(truth, left, right, statistics, options.plan)
    return RunComparison(*names, tests, differences, level)

"""From truth and decisions to a report.

Two runs on the same documents, side by side, with tests of their difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from postil.common.types import Floats
from postil.evaluate.averages import Statistic, f1_of_means, macro_statistic, micro_statistic
from postil.evaluate.bootstrap import (
    Difference,
    Interval,
    Plan,
    bootstrap_difference,
    bootstrap_intervals,
    bootstrap_mean,
)
from postil.evaluate.calibration import calibration_of_categories, pooled_calibration
from postil.evaluate.comparisons import (
    Comparison,
    discordant_decisions,
    discordant_documents,
    mcnemar,
    micro_sign_test,
    wilcoxon,
)
from postil.evaluate.counts import count, per_document, plain_fields
from postil.evaluate.inputs import (
    checked_names,
    checked_pair,
    checked_probabilities,
    checked_scores,
    checked_sizes,
)
from postil.evaluate.measures import decided_rightly, exact_match, is_single_label
from postil.evaluate.ranking import rank_categories
from postil.evaluate.report import Options, Provenance, Report
from postil.features.inputs import Csr, Sparse


def measure_run(
    truth: Sparse,
    decisions: Sparse,
    *,
    categories: Sequence[str] | None = None,
    scores: Floats | None = None,
    scored: ArrayLike | None = None,
    probabilities: Floats | None = None,
    training_sizes: ArrayLike | None = None,
    provenance: Provenance | None = None,
    options: Options | None = None,
) -> Report:
    """Measure a run: what was decided, and scores and probabilities where there are any.

    ``scored`` says of each category whether its scores are any (all are, without it): what ranks
    documents of another is undefined.

    Decisions cost their non-zeros and those of truth; scores a sort of the documents for each
    category and one of all pairs; probabilities documents × categories; intervals resamples ×
    (non-zeros + documents + categories).
    """
    options = options or Options()
    members, decided = checked_pair(truth, decisions)
    columns = int(members.shape[1])
    calibrated = (
        None if probabilities is None else checked_probabilities(probabilities, members.shape)
    )
    binning = (options.bins, options.binning)
    return Report(
        categories=checked_names(categories, columns),
        counts=count(members, decided),
        unlabelled=int((per_document(members) == 0).sum()),
        exact_match=exact_match(members, decided),
        accuracy=exact_match(members, decided) if is_single_label(members) else None,
        provenance=provenance or Provenance(),
        options=options,
        training_sizes=None if training_sizes is None else checked_sizes(training_sizes, columns),
        ranking=None
        if scores is None
        else rank_categories(members, checked_scores(scores, members.shape), scored),
        pooled_calibration=None
        if calibrated is None
        else pooled_calibration(members, calibrated, *binning),
        calibrations=()
        if calibrated is None
        else tuple(calibration_of_categories(members, calibrated, *binning)),
        intervals=_intervals(members, decided, options),
    )


def run_statistics(options: Options) -> dict[str, Statistic]:
    """The measures of counts that intervals and comparisons are about, by name."""
    rule = options.undefined
    statistics: dict[str, Statistic] = {}
    for name, measure in options.measures().items():
        statistics[f"micro_{name}"] = micro_statistic(measure)
        statistics[f"macro_{name}"] = macro_statistic(measure, rule)
    statistics["macro_f1_of_means"] = lambda counts: f1_of_means(counts, rule)
    return statistics


def _intervals(truth: Csr, decisions: Csr, options: Options) -> dict[str, Interval]:
    if options.plan is None:
        return {}
    right = decided_rightly(truth, decisions).astype(np.float64)
    return {
        **bootstrap_intervals(truth, decisions, run_statistics(options), options.plan),
        "exact_match": bootstrap_mean(right, options.plan),
    }


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
        """Name the tests and differences whose p-value is below ``level``.

        Each p-value stands alone: none is corrected for the number of tests.
        """
        p_values = {name: test.p_value for name, test in self.tests.items()}
        p_values |= {name: each.p_value for name, each in self.differences.items()}
        return tuple(name for name, p_value in p_values.items() if p_value < self.level)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON."""
        return plain_fields(
            {
                "left": self.left,
                "right": self.right,
                "tests": {name: test.to_dict() for name, test in self.tests.items()},
                "differences": {n: each.to_dict() for n, each in self.differences.items()},
                "level": self.level,
                "significant": self.significant(),
            }
        )

    def to_text(self, width: int = 100) -> str:
        """Give tables a person can read."""
        from postil.evaluate.rendering import as_text, comparison_tables

        return as_text(comparison_tables(self), width)


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

    Costs the non-zeros of the three matrices, and for the bootstrap (``options.plan``, 1000
    resamples unless told) resamples × (non-zeros + documents + categories).
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
    tests["mcnemar_decisions"] = mcnemar(discordant_decisions(truth, left, right))
    tests["micro_sign"] = micro_sign_test(truth, left, right)
    plan = options.plan or Plan()
    statistics = run_statistics(options)
    differences = bootstrap_difference(truth, left, right, statistics, plan)
    return RunComparison(*names, tests, differences, level)

"""From truth and decisions to a report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from postil.evaluate.accuracy import decided_rightly, exact_match, is_single_label
from postil.evaluate.averages import Statistic, f1_of_means, macro_statistic, micro_statistic
from postil.evaluate.bootstrap import Interval, bootstrap_intervals, bootstrap_mean
from postil.evaluate.calibration import calibration_of_categories, pooled_calibration
from postil.evaluate.counts import count, per_document
from postil.evaluate.inputs import (
    checked_names,
    checked_pair,
    checked_probabilities,
    checked_scores,
    checked_sizes,
)
from postil.evaluate.ranking import rank_categories
from postil.evaluate.report import Options, Provenance, Report
from postil.features.inputs import Csr, Floats, Sparse


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

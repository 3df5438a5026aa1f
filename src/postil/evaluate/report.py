"""The report of one run: every measure, and how it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Floats, Indices, Ints
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.decide.scores import Csr, Sparse
from postil.evaluate.bootstrap import Interval, bootstrap_intervals, bootstrap_mean
from postil.evaluate.calibration import Calibration, calibration_of_run
from postil.evaluate.confusion import Confused, confused_pairs, pairs_by_name
from postil.evaluate.counts import (
    EVERYTHING,
    Counted,
    Counts,
    checked_names,
    checked_pair,
    checked_per_category,
    checked_scores,
    count,
    per_document,
    plain,
    rule_named,
)
from postil.evaluate.coverage import CoverageCurve, coverage_curve
from postil.evaluate.headline import Estimate, headline
from postil.evaluate.hierarchical import hierarchical_measures
from postil.evaluate.measures import (
    Aimed,
    Average,
    aimed,
    decided_rightly,
    exact_match,
    f1,
    is_single_label,
    macro,
    macro_f1_of_means,
    micro,
    top_categories,
)
from postil.evaluate.options import Options, Provenance, run_statistics
from postil.evaluate.ranking import Ranking, rank_categories
from postil.evaluate.suggestions import Suggestions, measure_suggestions


@dataclass(frozen=True)
class TopAverages:
    """Averages over the k categories with the most training documents."""

    k: int
    macro_f1: Average
    micro_f1: float
    micro_break_even: float | None


@dataclass(frozen=True)
class Report:
    """All measures of one run.

    ``accuracy`` is for single-label data only, ``ranking`` needs scores, ``suggestions`` scores or
    probabilities, ``pooled_calibration``, ``calibrations`` (one per category) and ``coverage`` need
    probabilities, ``intervals`` need a bootstrap plan. ``members`` and ``decided`` are the truth
    and the decisions, sparse. Where documents are ``counted`` by weight, there are only measures of
    decisions. ``labels`` have names of the categories for people.
    """

    categories: tuple[str, ...]
    members: Csr
    decided: Csr
    counts: Counts
    unlabelled: int
    exact_match: float
    accuracy: float | None
    provenance: Provenance
    options: Options
    training_sizes: Ints | None = None
    ranking: Ranking | None = None
    suggestions: Suggestions | None = None
    pooled_calibration: Calibration | None = None
    calibrations: tuple[Calibration, ...] = ()
    coverage: CoverageCurve | None = None
    counted: Counted = EVERYTHING
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    labels: LabelVocabulary | None = None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The names of the categories for people."""
        return self.categories if self.labels is None else self.labels.titles(self.categories)

    @cached_property
    def headline(self) -> dict[str, Estimate]:
        """The numbers that a reader wants first, with their intervals, by name."""
        return headline(self)

    @cached_property
    def hierarchical(self) -> dict[str, float]:
        """Precision, recall and F1 that count the labels above; empty if there are none."""
        if self.labels is None or not self.labels.has_broader:
            return {}
        return hierarchical_measures(
            self.members, self.decided, self.categories, self.labels, self.counted.weights
        )

    @cached_property
    def confused(self) -> list[Confused]:
        """The confused pairs of categories, the most frequent first."""
        return confused_pairs(self.members, self.decided)

    @property
    def values(self) -> dict[str, Floats]:
        """Every measure of decisions, one value per category."""
        measures = self.options.measures()
        return {name: measure.formula(self.counts) for name, measure in measures.items()}

    @property
    def micro(self) -> dict[str, float]:
        """Every measure of the pooled counts."""
        return {n: micro(self.counts, measure) for n, measure in self.options.measures().items()}

    @property
    def macro(self) -> dict[str, Average]:
        """Every measure averaged over categories; ``f1`` is the mean of F1."""
        return {name: macro(values, self.options.undefined) for name, values in self.values.items()}

    @property
    def aimed(self) -> Aimed | None:
        """The measure that the model was trained for, if any."""
        if self.options.aim is None:
            return None
        return aimed(self.counts, self.options.aim, self.options.undefined)

    @property
    def macro_f1_of_means(self) -> Average:
        """The other macro-F1: F1 of mean precision and mean recall."""
        return macro_f1_of_means(self.counts, self.options.undefined)

    @property
    def macro_calibration(self) -> dict[str, Average]:
        """Every measure of calibration averaged over categories."""
        rows = [each.measures() for each in self.calibrations]
        return {
            name: macro(np.array([row[name] for row in rows]), self.options.undefined)
            for name in (rows[0] if rows else ())
        }

    @property
    def top(self) -> tuple[TopAverages, ...]:
        """Averages over the largest categories; empty if training sizes are not known."""
        total, sizes = len(self.categories), self.training_sizes
        if sizes is None or not total:
            return ()
        averages = []
        for k in (*(k for k in self.options.top if k < total), total):
            largest = top_categories(sizes, k)
            points = self.ranking.break_even["nearest"].of(largest).micro if self.ranking else None
            macro_f1 = macro(f1(self.counts)[largest], self.options.undefined)
            averages.append(TopAverages(k, macro_f1, micro(self.counts.of(largest), "f1"), points))
        return tuple(averages)

    def order(self) -> Indices:
        """Return the categories by falling size: training documents if known, else members."""
        sizes = self.counts.members if self.training_sizes is None else self.training_sizes
        return np.argsort(-sizes, kind="stable")

    def measured(self) -> dict[str, Any]:
        """Return the origin and size of what was measured, and the rules."""
        members, rule = self.counts.members, self.options.undefined
        return {
            **plain(self.provenance),
            "documents": int(self.members.shape[0]),
            **({} if self.counted.weights is None else {"weighted": True}),
            "documents_without_category": self.unlabelled,
            "categories": len(self.categories),
            "categories_without_members": int((members == 0).sum()),
            "memberships": int(members.sum()),
            "accepted": int(self.counts.accepted.sum()),
            "undefined": {"rule": rule, "meaning": rule_named(rule).meaning},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined and unknown values are ``None``."""
        options, ranking, calibration = self.options, self.ranking, self.pooled_calibration
        pooled = calibration and calibration.to_dict()
        described: dict[str, Any] = plain(
            {
                "measured": self.measured(),
                "headline": self.headline,
                **({} if self.aimed is None else {"aim": self.aimed}),
                "micro": self.micro,
                "macro": self.macro,
                "macro_f1_of_means": self.macro_f1_of_means,
                **({"hierarchical": self.hierarchical} if self.hierarchical else {}),
                "exact_match": self.exact_match,
                "accuracy": self.accuracy,
                "top": self.top,
                "ranking": ranking and ranking.to_dict(options.undefined, options.curve_points),
                "suggestions": self.suggestions,
                "calibration": pooled and {"pooled": pooled, "macro": self.macro_calibration},
                "coverage": self.coverage
                and self.coverage.to_dict(options.curve_points, options.min_probability),
                "confusion": pairs_by_name(self.confused, self.categories),
                "intervals": self.intervals,
                "per_category": self.per_category(),
            }
        )
        return described

    def columns(self) -> dict[str, Sequence[Any] | NDArray[Any]]:
        """Return the values of each category, by name, in column order."""
        counts = self.counts
        columns: dict[str, Sequence[Any] | NDArray[Any]] = {
            "category": self.categories,
            **({} if self.labels is None else {"name": self.titles}),
            "members": counts.members,
            "true_positives": counts.true_positives,
            "false_positives": counts.false_positives,
            "false_negatives": counts.false_negatives,
            "true_negatives": counts.true_negatives,
            **self.values,
        }
        if self.training_sizes is not None:
            columns["training_documents"] = self.training_sizes
        if self.ranking is not None:
            columns.update(self.ranking.columns())
        for name in self.macro_calibration:
            columns[name] = [each.measures()[name] for each in self.calibrations]
        return columns

    def per_category(self) -> list[dict[str, Any]]:
        """Return one row of plain values per category, in column order."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return [plain(dict(zip(columns, row, strict=True))) for row in rows]

    def to_text(self, top: int = 10, *, full: bool = False, width: int | None = None) -> str:
        """Return a summary for a reader.

        Parameters
        ----------
        top:
            Number of largest categories to show.
        full:
            Show every measure: rankings, calibration, averages over the largest categories.
        width:
            Width to fold lines and cells to; by default lines are as long as they need to be.
        """
        from postil.evaluate.rendering import renderables
        from postil.evaluate.text_tables import as_text

        return as_text(renderables(self, top, full=full), width)


def measure_run(
    truth: Sparse,
    decisions: Sparse,
    *,
    categories: Sequence[str] | None = None,
    scores: Floats | None = None,
    scored: ArrayLike | None = None,
    probabilities: Floats | None = None,
    ranked: Sparse | None = None,
    training_sizes: ArrayLike | None = None,
    training_documents: int | None = None,
    provenance: Provenance | None = None,
    options: Options | None = None,
    counted: Counted = EVERYTHING,
    labels: LabelVocabulary | None = None,
) -> Report:
    """Measure a run: its decisions, and its scores and probabilities if given.

    Decisions cost their non-zeros and those of truth; scores a sort of the documents for each
    category and one of all pairs; probabilities documents × categories; intervals resamples ×
    (non-zeros + documents + categories).

    Parameters
    ----------
    truth, decisions:
        Sparse indicators of documents × categories.
    categories:
        Names of the categories; by default their numbers.
    scores, probabilities:
        Arrays of documents × categories.
    scored:
        True for each category that has scores; all have, by default. Ranking measures of the
        others are undefined.
    ranked:
        The truth that scores and probabilities are about, if it is another: with a hierarchy, a
        document is a member of the categories above its labels, too.
    training_sizes:
        Number of training documents of each category.
    training_documents:
        Number of training documents, for propensity-scored precision.
    provenance:
        Origin of the run, for the report.
    options:
        Measures and rules.
    counted:
        Weights of documents and known memberships. With weights only decisions are measured.
    labels:
        The names of the categories for people, and the labels above them.
    """
    import scipy.sparse as sp

    options = options or Options()
    members, decided = checked_pair(truth, decisions)
    columns = int(members.shape[1])
    known = counted.known
    if known is not None:
        decided = sp.csr_matrix(decided.multiply(known), dtype=np.bool_)
    matches = exact_match(members, decided, counted.weights)
    counts = count(members, decided, counted)
    intervals = _intervals(members, decided, options, counts, counted)
    sizes = ranking = suggestions = pooled = curve = None
    calibrations: tuple[Calibration, ...] = ()
    if training_sizes is not None:
        sizes = checked_per_category(training_sizes, columns, "training_sizes").astype(np.int64)
    own = members if ranked is None else checked_pair(ranked, decisions)[0]
    if scores is not None and counted.weights is None:
        ranking = rank_categories(own, checked_scores(scores, members.shape), scored, known)
    if probabilities is not None and counted.weights is None:
        pooled, calibrations = calibration_of_run(
            own, probabilities, options.bins, options.binning, known
        )
    values = scores if probabilities is None else probabilities
    # Documents that were judged for some categories only do not tell what they should be given.
    whole = np.arange(members.shape[0]) if known is None else np.flatnonzero(known.all(axis=1))
    if values is not None and counted.weights is None and (len(whole) or known is None):
        if probabilities is not None:
            chances = np.asarray(probabilities)[whole]
            curve = coverage_curve(members[whole], decided[whole], chances)
        suggestions = measure_suggestions(
            own[whole],
            np.asarray(values)[whole],
            options.ranks(columns),
            training_sizes=sizes,
            training_documents=training_documents,
        )
    return Report(
        categories=checked_names(categories, columns),
        members=members,
        decided=decided,
        counts=counts,
        unlabelled=int((per_document(members) == 0).sum()),
        exact_match=matches,
        accuracy=matches if is_single_label(members) else None,
        provenance=provenance or Provenance(),
        options=options,
        training_sizes=sizes,
        ranking=ranking,
        suggestions=suggestions,
        pooled_calibration=pooled,
        calibrations=calibrations,
        coverage=curve,
        counted=counted,
        intervals=intervals,
        labels=labels,
    )


def _intervals(
    members: Csr, decided: Csr, options: Options, counts: Counts, counted: Counted
) -> dict[str, Interval]:
    """Return the bootstrap intervals that the options ask for."""
    if options.plan is None:
        return {}
    statistics = run_statistics(options, counts)
    intervals = bootstrap_intervals(members, decided, statistics, options.plan, counted)
    if counted.weights is None:
        right = decided_rightly(members, decided).astype(np.float64)
        intervals["exact_match"] = bootstrap_mean(right, options.plan)
    return intervals

"""One run, measured: every number with how it was measured.

The measure a model was trained for, taken of its decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.evaluate.averages import (
    Average,
    macro,
    macro_f1_of_means,
    macro_over_top,
    micro,
    top_categories,
)
from postil.evaluate.bootstrap import Interval, Plan
from postil.evaluate.calibration import Calibration
from postil.evaluate.counts import Counts, plain, plain_fields, rule_named
from postil.evaluate.measures import MEASURES, Measure, f1, f_beta_measure
from postil.evaluate.ranking import Ranking
from postil.features.inputs import Indices
from postil.learn.merit.figures import FLOORS, Attained, Figure, SmoothCounts
from postil.learn.merit.naming import figure_named


@dataclass(frozen=True)
class Aimed:
    """A figure of merit: of all categories together, and averaged over them.

    Shares of errors are positive here, and the less the better. ``reached`` and ``categories`` are
    of figures with a floor: how many of the categories with members keep it; ``micro_reached`` is
    whether all together do. ``total`` is what all decisions earned or cost, of utilities and costs.
    """

    measure: str
    less_is_better: bool
    micro: float
    macro: Average
    micro_reached: bool | None = None
    reached: int | None = None
    categories: int | None = None
    total: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields({**vars(self), "macro": self.macro.to_dict()})


def aimed(counts: Counts, measure: str, undefined: str = "zero") -> Aimed:
    """Take a measure of counted decisions; costs the categories."""
    figure = figure_named(measure)
    each = figure.attained(_smooth(counts))
    pooled = figure.attained(_smooth(counts.pooled()))
    sign = -1.0 if figure.falls else 1.0
    with_members = counts.members > 0
    return Aimed(
        figure.name,
        figure.falls,
        sign * float(pooled.values[0]) + 0.0,
        macro(_signed(each.values, sign), undefined),
        **_floor(figure, each, pooled, with_members),
        total=None if pooled.totals is None else float(pooled.totals[0]),
    )


def _floor(
    figure: Figure, each: Attained, pooled: Attained, with_members: np.ndarray[Any, Any]
) -> dict[str, Any]:
    if not isinstance(figure, FLOORS):
        return {}
    return {
        "micro_reached": bool(pooled.reached[0]),
        "reached": int((each.reached & with_members).sum()),
        "categories": int(with_members.sum()),
    }


def _signed(values: Floats, sign: float) -> Floats:
    result: Floats = sign * values + 0.0  # no -0.0
    return result


def _smooth(counts: Counts) -> SmoothCounts:
    return SmoothCounts(
        *(
            np.atleast_1d(np.asarray(part, dtype=np.float64))
            for part in (
                counts.true_positives,
                counts.false_positives,
                counts.members,
                counts.cases - counts.members,
            )
        )
    )


@dataclass(frozen=True)
class Provenance:
    """Where the numbers come from, in words: what was tested, on which part, decided how."""

    corpus: str | None = None
    split: str | None = None
    method: str | None = None
    decision_rule: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """What to measure and by which rules.

    ``undefined`` names the rule of macro-averages; ``betas`` adds F-beta measures; ``top`` holds
    the k of macro-F1 over the k largest categories (all categories are always there too);
    ``bins`` and ``binning`` are those of calibration; ``plan`` asks for bootstrap intervals;
    ``curve_points`` is how many points of a curve JSON holds; ``aim`` is the measure that the
    model was trained for, as :func:`postil.learn.merit.naming.figure_named` reads it.
    """

    undefined: str = "zero"
    betas: tuple[float, ...] = ()
    top: tuple[int, ...] = (5, 10, 20, 40, 60, 80, 100)
    bins: int = 10
    binning: str = "width"
    plan: Plan | None = None
    curve_points: int | None = 201
    aim: str | None = None

    def __post_init__(self) -> None:
        rule_named(self.undefined)
        self.measures()
        if self.aim is not None:
            figure_named(self.aim)
        if min(self.top, default=1) < 1:
            raise UsageError(f"top: each number of categories must be at least 1, got {self.top}")

    def measures(self) -> dict[str, Measure]:
        """The measures of decisions to take, by name."""
        return {**MEASURES, **{m.name: m for m in map(f_beta_measure, self.betas)}}


@dataclass(frozen=True)
class TopAverages:
    """Averages over the k categories with the most training documents."""

    k: int
    macro_f1: Average
    micro_f1: float
    micro_break_even: float | None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return plain_fields({**vars(self), "macro_f1": self.macro_f1.to_dict()})


@dataclass(frozen=True)
class Report:
    """Everything measured about one run.

    ``accuracy`` is there for single-label data only, ``ranking`` where scores were given,
    ``pooled_calibration`` and ``calibrations`` (one per category) where probabilities were,
    ``intervals`` where a bootstrap was asked for.
    """

    categories: tuple[str, ...]
    counts: Counts
    unlabelled: int
    exact_match: float
    accuracy: float | None
    provenance: Provenance
    options: Options
    training_sizes: Ints | None = None
    ranking: Ranking | None = None
    pooled_calibration: Calibration | None = None
    calibrations: tuple[Calibration, ...] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)

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
        """The measure that was aimed at, if any was."""
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
        """Averages over the largest categories; none where training sizes are not known."""
        total = len(self.categories)
        if self.training_sizes is None or not total:
            return ()
        sizes = self.training_sizes
        return tuple(
            self._over(sizes, k) for k in (*(k for k in self.options.top if k < total), total)
        )

    def _over(self, sizes: Ints, k: int) -> TopAverages:
        largest = top_categories(sizes, k)
        points = self.ranking.break_even["nearest"].of(largest).micro if self.ranking else None
        return TopAverages(
            k,
            macro_over_top(f1(self.counts), sizes, k, self.options.undefined),
            micro(self.counts.of(largest), "f1"),
            points,
        )

    def order(self) -> Indices:
        """Categories, the largest first: by training documents where known, else by members."""
        sizes = self.counts.members if self.training_sizes is None else self.training_sizes
        return np.argsort(-sizes, kind="stable")

    def measured(self) -> dict[str, Any]:
        """How it was measured: what was tested, how much of it there is, which rules."""
        members = self.counts.members
        return plain_fields(
            {
                **vars(self.provenance),
                "documents": self.counts.cases,
                "documents_without_category": self.unlabelled,
                "categories": len(self.categories),
                "categories_without_members": int((members == 0).sum()),
                "memberships": int(members.sum()),
                "accepted": int(self.counts.accepted.sum()),
                "undefined": {
                    "rule": self.options.undefined,
                    "meaning": rule_named(self.options.undefined).summary,
                },
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON; what is undefined or unknown is ``None``."""
        told = {} if self.aimed is None else {"aim": self.aimed.to_dict()}
        return {
            "measured": self.measured(),
            **told,
            "micro": plain_fields(self.micro),
            "macro": {name: average.to_dict() for name, average in self.macro.items()},
            "macro_f1_of_means": self.macro_f1_of_means.to_dict(),
            "exact_match": plain(self.exact_match),
            "accuracy": plain(self.accuracy),
            "top": [each.to_dict() for each in self.top],
            "ranking": self._ranking(),
            "calibration": self._calibration(),
            "intervals": {name: each.to_dict() for name, each in self.intervals.items()},
            "per_category": self.per_category(),
        }

    def _ranking(self) -> dict[str, Any] | None:
        if self.ranking is None:
            return None
        return self.ranking.to_dict(self.options.undefined, self.options.curve_points)

    def _calibration(self) -> dict[str, Any] | None:
        if self.pooled_calibration is None:
            return None
        averages = {name: each.to_dict() for name, each in self.macro_calibration.items()}
        return {"pooled": self.pooled_calibration.to_dict(), "macro": averages}

    def columns(self) -> dict[str, Sequence[Any] | NDArray[Any]]:
        """Everything known about each category, by name, in column order."""
        counts = self.counts
        columns: dict[str, Sequence[Any] | NDArray[Any]] = {
            "category": self.categories,
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
        """One row of plain values per category, in column order."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return [plain_fields(dict(zip(columns, row, strict=True))) for row in rows]

    def to_text(self, top: int = 10, width: int = 100) -> str:
        """Give a summary a person can read, with the ``top`` largest categories."""
        from postil.evaluate.rendering import as_text, renderables

        return as_text(renderables(self, top), width)

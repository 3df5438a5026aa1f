"""What a way of training attains by decisions on documents its weights were not learned from.

1. The documents are cut in folds. Each is scored by a fit that learned from the other folds; terms
   are selected anew in each.
2. The documents of a fold are decided by thresholds tuned to the scores of all *other* folds. So no
   document is measured by a threshold that was tuned on it.
3. The counts of all folds are added up, and the figure is taken of them as
   :func:`postil.learn.merit.figures.overall` does.

What is left of hope: the fits that scored the other folds have learned from the fold that is
measured; the vocabulary, its frequencies (idf, and which terms are too rare) and a strength that
was searched for are of all documents, and the search had the same folds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.decide import fit_rule
from postil.decide.evidence import OutOfFoldScores
from postil.features.inputs import Csr
from postil.learn.merit.figures import Figure, SmoothCounts, overall
from postil.learn.merit.figures_floors import FLOORS
from postil.training_run import TrainingRun


@dataclass(frozen=True, slots=True)
class Standing:
    """What one way attains on held-out documents.

    ``without`` are the values where one of the folds is left out, in their order. The rest is of
    figures with a floor.
    """

    value: float
    without: tuple[float, ...] = ()
    holds: bool | None = None
    reached: int | None = None
    categories: int | None = None

    def beats(self, other: Standing) -> bool:
        """Whether it is better by more than the error bar, and holds the floor as well."""
        if self.value - other.value <= self.error_bar(other):
            return False
        if self.reached is None or other.reached is None:
            return True
        return self.reached >= other.reached and bool(self.holds or not other.holds)

    def error_bar(self, other: Standing) -> float:
        """The standard error of the difference to another on the same folds, by their jackknife."""
        apart = np.subtract(self.without, other.without)
        if len(apart) < 2:
            return 0.0
        spread = np.square(apart - apart.mean()).sum()
        return float(np.sqrt((len(apart) - 1) / len(apart) * spread))

    def to_dict(self, sign: float = 1.0) -> dict[str, Any]:
        """Plain values; a share of errors is printed without its sign."""
        floor = {"holds": self.holds, "reached": self.reached, "categories": self.categories}
        told = {"value": sign * self.value + 0.0, **floor}
        return {name: value for name, value in told.items() if value is not None}


def standing(run: TrainingRun, figure: Figure) -> Standing:
    """Measure a run's learner by the figure on out-of-fold decisions."""
    folds = held_out_counts(run.out_of_fold(), run.labels.members, run.recipe.decide.rule)
    counts = _summed(folds)
    value = overall(figure, counts)
    without = tuple(
        overall(figure, _summed(folds[:left] + folds[left + 1 :])) for left in range(len(folds))
    )
    if not isinstance(figure, FLOORS):
        return Standing(value, without)
    some = counts.members > 0
    kept = figure.attained(counts).reached & some
    together = bool(figure.attained(counts.added()).reached.all())
    return Standing(value, without, together, int(kept.sum()), int(some.sum()))


def held_out_counts(scores: OutOfFoldScores, members: Csr, rule: str) -> list[SmoothCounts]:
    """Counts of each fold's decisions by thresholds tuned on the others alone.

    Cost: the tuning of a rule for each fold.
    """
    truth = np.asarray(members.toarray(), dtype=np.bool_)
    counts = []
    for rest, held_out in scores.folds:
        weights = np.zeros(len(truth))
        weights[rest] = 1.0
        accepted = fit_rule(rule, scores, members, weights).accept(scores.values[held_out])
        belongs = truth[held_out]
        sizes = belongs.sum(axis=0).astype(np.float64)
        counts.append(
            SmoothCounts(
                (accepted & belongs).sum(axis=0).astype(np.float64),
                (accepted & ~belongs).sum(axis=0).astype(np.float64),
                sizes,
                len(belongs) - sizes,
            )
        )
    return counts


def _summed(parts: Iterable[SmoothCounts]) -> SmoothCounts:
    """The counts of the same problems on all parts."""
    fields = zip(
        *((p.true_positives, p.false_positives, p.members, p.others) for p in parts), strict=True
    )
    return SmoothCounts(*(np.sum(field, axis=0) for field in fields))

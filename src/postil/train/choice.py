"""Choose between learning for a measure and tuning thresholds for it, on held-out documents.

A recipe that aims at a measure with ``compare`` can learn in three ways: by its own learner; by
maximal figure-of-merit learning of each category on the same vectors; and by the same of all
categories together, as rivals. Each way is measured on the same folds:

1. The documents of a fold are scored by a fit to the other folds, which also select the terms.
2. They are decided by thresholds tuned on the scores of the *other* folds, so that no document is
   measured by a threshold that was tuned on it.
3. The counts of all folds are added up, and :func:`postil.learn.merit.figures.overall` takes the
   figure of them.

Another way than the recipe's own must be better by more than an error bar, and the best of those
is taken. With a floor, it must also hold the floor as well as the recipe's own learner, for all
categories together and in as many of them. The chosen way learns from all documents.

Some optimism is left: the fits that scored the other folds have learned from the fold that is
measured; the vocabulary, the idf and a strength that was searched for come from all documents,
which favours the recipe's own learner; and the chosen figure is the highest of several.

Cost: a round of the folds for each of the other ways. A way that trains all categories at once is
left out if its tables would take more than ``MOST_BYTES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.decide import CALIBRATIONS
from postil.decide.fitted_calibration import Platt
from postil.decide.held_out import decided_out_of_fold
from postil.decide.scores import Needs, OutOfFoldScores
from postil.features.inputs import Csr
from postil.learn.merit.figures import FLOORS, BalancedError, FBeta, Figure, SmoothCounts, overall
from postil.learn.merit.fit import problem_bytes
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.naming import figure_named
from postil.recipes.recipe import Recipe
from postil.train.run import TrainingRun


@dataclass(frozen=True, slots=True)
class Standing:
    """The result of one way on held-out documents.

    Parameters
    ----------
    value : float
        The figure.
    without : tuple of float
        The figure without each of the folds, in their order.
    holds : bool, optional
        True if all categories together hold the floor of a figure that has one.
    reached, categories : int, optional
        The number of categories that hold the floor, and of those that could.
    """

    value: float
    without: tuple[float, ...] = ()
    holds: bool | None = None
    reached: int | None = None
    categories: int | None = None

    def beats(self, other: Standing) -> bool:
        """Return True if it is better by more than the error bar, and holds the floor as well."""
        if self.value - other.value <= self.error_bar(other):
            return False
        if self.reached is None or other.reached is None:
            return True
        return self.reached >= other.reached and bool(self.holds or not other.holds)

    def error_bar(self, other: Standing) -> float:
        """Return the jackknife standard error of the difference to another on the same folds."""
        apart = np.subtract(self.without, other.without)
        if len(apart) < 2:
            return 0.0
        spread = np.square(apart - apart.mean()).sum()
        return float(np.sqrt((len(apart) - 1) / len(apart) * spread))

    def to_dict(self, sign: float = 1.0) -> dict[str, Any]:
        """Return plain values; ``sign`` is -1 for figures of errors, which are negative inside."""
        floor = {"holds": self.holds, "reached": self.reached, "categories": self.categories}
        values = {"value": sign * self.value + 0.0, **floor}
        return {name: value for name, value in values.items() if value is not None}


def standing(run: TrainingRun, figure: Figure) -> Standing:
    """Measure the learner of a run by a figure on out-of-fold decisions."""
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
    """Count the decisions on each fold by thresholds tuned on the other folds.

    Cost: the tuning of a rule for each fold.
    """
    truth = sp.csr_matrix(members, dtype=np.bool_)
    decisions = decided_out_of_fold(scores, truth, rule)
    counts = []
    for _, held_out in scores.folds:
        belongs, accepted = truth[held_out], decisions[held_out]
        found = _column_sums(accepted.multiply(belongs))
        sizes = _column_sums(belongs)
        wrong = _column_sums(accepted) - found
        counts.append(SmoothCounts(found, wrong, sizes, len(held_out) - sizes))
    return counts


def _column_sums(flags: Any) -> Floats:  # noqa: ANN401 - a sparse matrix
    return np.asarray(flags.sum(axis=0), dtype=np.float64).ravel()


def _summed(parts: Iterable[SmoothCounts]) -> SmoothCounts:
    """Return the sum of the counts of the same problems."""
    fields = zip(
        *((p.true_positives, p.false_positives, p.members, p.others) for p in parts), strict=True
    )
    return SmoothCounts(*(np.sum(field, axis=0) for field in fields))


TUNED, TRAINED, TOGETHER = "thresholds", "training", "together"
MOST_BYTES = 2**31


def _alone(figure: Figure) -> dict[str, Any]:
    # Of the starts, modified least squares did best in folds of the demo corpus, for F1, micro-F1
    # and a cost alike.
    return {"learner": "mfom", "starts": ["modified-squared"], "figure": figure.name}


def _together(figure: Figure) -> dict[str, Any]:
    # As the recipe mfom-multi is: its figure, start and steps were best in folds of Reuters.
    trained = BalancedError.name if isinstance(figure, FBeta) else figure.name
    return {
        "learner": "mfom",
        "form": "unclaimed",
        "starts": ["by-size"],
        "options": {"iterations": 5},
        "figure": trained,
    }


# The [learn] tables of the ways that learn for a figure.
OTHER_WAYS: Mapping[str, Callable[[Figure], dict[str, Any]]] = MappingProxyType(
    {TRAINED: _alone, TOGETHER: _together}
)
# Suffixes of the progress steps of those ways.
STEPS: Mapping[str, str] = MappingProxyType({TRAINED: "each for itself", TOGETHER: "as rivals"})


def choose_run(run: TrainingRun) -> TrainingRun:
    """Return the run to learn with: the given one, or one that learns for the aim of its recipe.

    The choice is among the facts of the run. A run without an aim is returned unchanged.
    """
    aim = run.recipe.aim
    if aim is None:
        return run
    facts: dict[str, Any] = {"measure": aim.measure, "rule": run.recipe.decide.rule}
    if run.recipe.trains_for_figures:
        learned = str(run.recipe.learn.get("figure", aim.measure))
        facts |= {} if learned == aim.measure else {"figure": learned}
        run.facts["aim"] = facts | {"taken": TRAINED}
        return run
    # The other learners take no per-term priors.
    if not aim.compare or run.priors is not None:
        run.facts["aim"] = facts | {"taken": TUNED}
        return run
    figure = figure_named(aim.measure)
    others, left_out = _other_ways(run, figure)
    runs = {TUNED: run, **others}
    found = {way: standing(each, figure) for way, each in runs.items()}
    taken = best_way(found)
    facts |= {"taken": taken, "compared": _compared(run, figure, found)}
    facts |= {"left_out": left_out} if left_out else {}
    runs[taken].facts["aim"] = facts
    return runs[taken]


def best_way(found: Mapping[str, Standing]) -> str:
    """Return the best of the ways that beat thresholds alone, or else thresholds."""
    better = [way for way in found if way != TUNED and found[way].beats(found[TUNED])]
    return max(better, key=lambda way: found[way].value, default=TUNED)


def _compared(run: TrainingRun, figure: Figure, found: Mapping[str, Standing]) -> dict[str, Any]:
    sign = -1.0 if figure.falls else 1.0
    values = {way: each.to_dict(sign) for way, each in found.items()}
    for way in values.keys() - {TUNED}:
        values[way]["error_bar"] = found[way].error_bar(found[TUNED])
    return {"folds": len(run.out_of_fold().folds), "less_is_better": figure.falls, **values}


def _other_ways(run: TrainingRun, figure: Figure) -> tuple[dict[str, TrainingRun], dict[str, str]]:
    """Return the runs of the other ways, and the reasons why some are left out."""
    runs = {
        way: run.with_recipe(other_recipe(run.recipe, table(figure)), STEPS[way])
        for way, table in OTHER_WAYS.items()
    }
    sizes = {way: _joint_bytes(each) for way, each in runs.items()}
    left_out = {
        way: f"all categories at once would take {size / 2**30:.1f} GiB"
        for way, size in sizes.items()
        if size > MOST_BYTES
    }
    return {way: each for way, each in runs.items() if way not in left_out}, left_out


def _joint_bytes(run: TrainingRun) -> int:
    """Return the size of the tables of all categories, if they are trained as one problem."""
    if not isinstance(run.method, MfomMethod):
        return 0
    method = run.method
    joint = method.merit_form().has_rivals or method.merit_figure().pooled
    return problem_bytes(run.design, method) * len(run.labels) if joint else 0


def other_recipe(recipe: Recipe, learn: Mapping[str, Any]) -> Recipe:
    """Return the same recipe with a learner that trains for a figure.

    Its scores are not logarithms of odds: a calibration that needs such scores becomes Platt's.
    """
    own = recipe.decide.calibration or next(iter(recipe.method().calibrations), None)
    if own is not None and CALIBRATIONS[own].needs is not Needs.OUT_OF_FOLD:
        own = Platt.kind
    return replace(
        recipe,
        title=f"{recipe.title or recipe.name}; learned for {learn['figure']} by {learn['learner']}",
        learn=dict(learn),
        search=None,
        expect=(),
        decide=replace(recipe.decide, calibration=own),
    )

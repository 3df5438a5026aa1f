"""Whether to learn for a measure, or to tune thresholds for it: held-out documents decide.

A recipe that aims at a measure with ``compare`` has two ways to it: (a) its own learner, with
thresholds tuned for the measure, and (b) maximal figure-of-merit learning on the same vectors, with
thresholds tuned in the same way. Both are measured by the decisions on documents that had a part in
neither the weights nor the thresholds they are decided by:

1. The documents are cut in folds, the same for both. Each is scored by a fit that learned from the
   other folds; terms are selected anew in each.
2. The documents of a fold are decided by thresholds tuned to the scores of all *other* folds. So no
   document is measured by a threshold that was tuned on it.
3. The counts of all folds are added up, and the figure is taken of them as
   :func:`postil.learn.merit.figures.overall` does.

What is left of hope: a λ that ``[search]`` chose has seen all documents, which favours (a); the
fits that scored the other folds have learned from the fold that is measured, which concerns both.
The number of the way that is taken is the higher of two: a little too high as a forecast.

(b) is taken where it is better; equal values keep (a). With a floor, (b) has to hold it as well as
(a) does: all categories together, and in as many of them. The way that is taken learns from all
documents. Cost: one more round of the folds than thresholds need anyway, by the other learner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from postil.decide import CALIBRATIONS, fit_rule
from postil.decide.evidence import Needs, OutOfFoldScores
from postil.decide.platt import Platt
from postil.features.inputs import Csr
from postil.learn.merit.figures import Figure, SmoothCounts, overall
from postil.learn.merit.figures_floors import FLOORS
from postil.learn.merit.naming import figure_named
from postil.recipes.aiming import FIGURE, trains_for_figures
from postil.recipes.recipe import Recipe
from postil.training_run import TrainingRun

# The [learn] table of what trains for a measure, but for the measure. Of the starts, modified least
# squares did best in folds of the demo corpus, for F1, micro-F1 and a cost alike.
RIVAL: Mapping[str, Any] = {"learner": "mfom", "starts": ["modified-squared"]}
TUNED, TRAINED = "thresholds", "training"


@dataclass(frozen=True, slots=True)
class Standing:
    """What one way attains on held-out documents; the rest is of figures with a floor."""

    value: float
    holds: bool | None = None
    reached: int | None = None
    categories: int | None = None

    def beats(self, other: Standing) -> bool:
        """Whether it is better, and holds the floor as well."""
        if self.value <= other.value:
            return False
        if self.reached is None or other.reached is None:
            return True
        return self.reached >= other.reached and bool(self.holds or not other.holds)

    def to_dict(self, sign: float = 1.0) -> dict[str, Any]:
        """Plain values; a share of errors is printed without its sign."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["value"] = sign * self.value + 0.0
        return {name: value for name, value in values.items() if value is not None}


def chosen_run(run: TrainingRun, searched: Mapping[str, Any]) -> tuple[TrainingRun, dict[str, Any]]:
    """The run whose learner is taken, and what a model tells of the choice.

    ``searched`` is what the search of the recipe's own learner found. Without an aim, it is the run
    as it is.
    """
    aim = run.recipe.aim
    if aim is None:
        return run, dict(searched)
    told: dict[str, Any] = {"measure": aim.measure, "rule": run.recipe.decide.rule}
    if trains_for_figures(run.recipe.learn):
        learned = str(run.recipe.learn.get(FIGURE, aim.measure))
        told |= {} if learned == aim.measure else {FIGURE: learned}
        return run, {**searched, "aim": told | {"taken": TRAINED}}
    # What is believed of single terms cannot be told to the other learner.
    if not aim.compare or run.priors is not None:
        return run, {**searched, "aim": told | {"taken": TUNED}}
    figure = figure_named(aim.measure)
    rival = _rival(run, figure)
    tuned, trained = standing(run, figure), standing(rival, figure)
    sign = -1.0 if figure.falls else 1.0
    better = trained.beats(tuned)
    told |= {
        "taken": TRAINED if better else TUNED,
        "compared": {
            "folds": len(run.out_of_fold().folds),
            "less_is_better": figure.falls,
            TUNED: tuned.to_dict(sign),
            TRAINED: trained.to_dict(sign),
        },
    }
    return (rival, {"aim": told}) if better else (run, {**searched, "aim": told})


def standing(run: TrainingRun, figure: Figure) -> Standing:
    """Measure a run's learner by the figure on out-of-fold decisions."""
    counts = held_out_counts(run.out_of_fold(), run.labels.members, run.recipe.decide.rule)
    value = overall(figure, counts)
    if not isinstance(figure, FLOORS):
        return Standing(value)
    some = counts.members > 0
    kept = figure.attained(counts).reached & some
    together = bool(figure.attained(counts.added()).reached.all())
    return Standing(value, together, int(kept.sum()), int(some.sum()))


def held_out_counts(scores: OutOfFoldScores, members: Csr, rule: str) -> SmoothCounts:
    """Counts of decisions where each fold has thresholds tuned on the others alone.

    Cost: the tuning of a rule for each fold.
    """
    truth = np.asarray(members.toarray(), dtype=np.bool_)
    accepted = np.zeros_like(truth)
    for rest, held_out in scores.folds:
        weights = np.zeros(len(truth))
        weights[rest] = 1.0
        fitted = fit_rule(rule, scores, members, weights)
        accepted[held_out] = fitted.accept(scores.values[held_out])
    sizes = truth.sum(axis=0).astype(np.float64)
    return SmoothCounts(
        (accepted & truth).sum(axis=0).astype(np.float64),
        (accepted & ~truth).sum(axis=0).astype(np.float64),
        sizes,
        len(truth) - sizes,
    )


def _rival(run: TrainingRun, figure: Figure) -> TrainingRun:
    def watch(step: str, done: int, total: int | None) -> None:
        run.watch(f"{step}, for {figure.name}", done, total)

    recipe = rival_recipe(run.recipe, figure)
    return TrainingRun(recipe, run.space, run.labels, run.threads, run.seed, watch)


def rival_recipe(recipe: Recipe, figure: Figure) -> Recipe:
    """The same recipe with the learner that trains for the figure.

    Its scores are no logarithms of odds: a calibration that takes them for such becomes Platt's.
    """
    own = recipe.decide.calibration or next(iter(recipe.learner().calibrations), None)
    if own is not None and CALIBRATIONS[own].needs is not Needs.OUT_OF_FOLD:
        own = Platt.kind
    return replace(
        recipe,
        title=f"{recipe.title or recipe.name}; learned for {figure.name} by {RIVAL['learner']}",
        learn={**RIVAL, FIGURE: figure.name},
        search=None,
        expect=(),
        decide=replace(recipe.decide, calibration=own),
    )

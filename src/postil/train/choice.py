"""Whether to learn for a measure, or to tune thresholds for it: held-out documents decide.

A recipe that aims at a measure with ``compare`` has three ways to it: its own learner; maximal
figure-of-merit learning of each category on the same vectors; and the same of all categories
together, as rivals. Each has thresholds that are tuned for the measure, and is measured on the same
folds (:mod:`postil.train.choice`).

Another way than its own has to be better by more than an error bar, and the best of those that are
is taken. With a floor, it has to hold it as well as the recipe's own learner does: all categories
together, and in as many of them. The way that is taken learns from all documents.

A λ that ``[search]`` chose has seen all documents, which favours the recipe's own learner. The
number of the way that is taken is the highest of some: a little too high as a forecast.

Cost: a round of the folds for each of the other ways. One that trains all categories at once is
left out where its tables would take more than ``MOST_BYTES``.

What a way of training attains by decisions on documents its weights were not learned from.

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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from postil.decide import CALIBRATIONS, fit_rule
from postil.decide.fitted_calibration import Platt
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


OTHER_WAYS: Mapping[str, Callable[[Figure], dict[str, Any]]] = MappingProxyType(
    {TRAINED: _alone, TOGETHER: _together}
)
"""The ``[learn]`` tables of the ways that learn for a figure."""

STEPS: Mapping[str, str] = MappingProxyType({TRAINED: "each for itself", TOGETHER: "as rivals"})
"""How the folds of each are told from those of the recipe's own learner."""


def chosen_run(run: TrainingRun, searched: Mapping[str, Any]) -> tuple[TrainingRun, dict[str, Any]]:
    """The run whose learner is taken, and what a model tells of the choice.

    ``searched`` is what the search of the recipe's own learner found. Without an aim, it is the run
    as it is.
    """
    aim = run.recipe.aim
    if aim is None:
        return run, dict(searched)
    told: dict[str, Any] = {"measure": aim.measure, "rule": run.recipe.decide.rule}
    if run.recipe.trains_for_figures:
        learned = str(run.recipe.learn.get("figure", aim.measure))
        told |= {} if learned == aim.measure else {"figure": learned}
        return run, {**searched, "aim": told | {"taken": TRAINED}}
    # What is believed of single terms cannot be told to the other learner.
    if not aim.compare or run.priors is not None:
        return run, {**searched, "aim": told | {"taken": TUNED}}
    figure = figure_named(aim.measure)
    others, left_out = _other_ways(run, figure)
    found = {way: standing(each, figure) for way, each in {TUNED: run, **others}.items()}
    taken = best_way(found)
    told |= {"taken": taken, "compared": _compared(run, figure, found)}
    told |= {"left_out": left_out} if left_out else {}
    if taken == TUNED:
        return run, {**searched, "aim": told}
    return others[taken], {"aim": told}


def best_way(found: Mapping[str, Standing]) -> str:
    """The best of the ways that beat thresholds alone, or these."""
    better = [way for way in found if way != TUNED and found[way].beats(found[TUNED])]
    return max(better, key=lambda way: found[way].value, default=TUNED)


def _compared(run: TrainingRun, figure: Figure, found: Mapping[str, Standing]) -> dict[str, Any]:
    sign = -1.0 if figure.falls else 1.0
    told = {way: each.to_dict(sign) for way, each in found.items()}
    for way in told.keys() - {TUNED}:
        told[way]["error_bar"] = found[way].error_bar(found[TUNED])
    return {"folds": len(run.out_of_fold().folds), "less_is_better": figure.falls, **told}


def _other_ways(run: TrainingRun, figure: Figure) -> tuple[dict[str, TrainingRun], dict[str, str]]:
    """The runs of the other ways, and why some are left out."""
    runs = {way: _other_way(run, way, table(figure)) for way, table in OTHER_WAYS.items()}
    sizes = {way: _bytes_at_once(each) for way, each in runs.items()}
    left_out = {
        way: f"all categories at once would take {size / 2**30:.1f} GiB"
        for way, size in sizes.items()
        if size > MOST_BYTES
    }
    return {way: each for way, each in runs.items() if way not in left_out}, left_out


def _other_way(run: TrainingRun, way: str, learn: Mapping[str, Any]) -> TrainingRun:
    def progress(step: str, done: int, total: int | None) -> None:
        run.progress(f"{step}, {STEPS[way]}", done, total)

    recipe = other_recipe(run.recipe, learn)
    return TrainingRun(recipe, run.space, run.labels, run.threads, run.seed, progress)


def _bytes_at_once(run: TrainingRun) -> int:
    """What tables of all categories take, where they are trained as one problem."""
    if not isinstance(run.method, MfomMethod):
        return 0
    method = run.method
    joint = method.merit_form().has_rivals or method.merit_figure().pooled
    return problem_bytes(run.design, method) * len(run.labels) if joint else 0


def other_recipe(recipe: Recipe, learn: Mapping[str, Any]) -> Recipe:
    """The same recipe with a learner that trains for a figure.

    Its scores are no logarithms of odds: a calibration that takes them for such becomes Platt's.
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

"""Whether to learn for a measure, or to tune thresholds for it: held-out documents decide.

A recipe that aims at a measure with ``compare`` has three ways to it: its own learner; maximal
figure-of-merit learning of each category on the same vectors; and the same of all categories
together, as rivals. Each has thresholds that are tuned for the measure, and is measured on the same
folds (:mod:`postil.held_out`).

Another way than its own has to be better by more than an error bar, and the best of those that are
is taken. With a floor, it has to hold it as well as the recipe's own learner does: all categories
together, and in as many of them. The way that is taken learns from all documents.

A λ that ``[search]`` chose has seen all documents, which favours the recipe's own learner. The
number of the way that is taken is the highest of some: a little too high as a forecast.

Cost: a round of the folds for each of the other ways. One that trains all categories at once is
left out where its tables would take more than ``MOST_BYTES``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from postil.decide import CALIBRATIONS
from postil.decide.evidence import Needs
from postil.decide.platt import Platt
from postil.held_out import Standing, standing
from postil.learn.merit.figures import BalancedError, FBeta, Figure
from postil.learn.merit.fit import problem_bytes
from postil.learn.merit.learners import MfomLearner
from postil.learn.merit.naming import figure_named
from postil.recipes.aiming import FIGURE, trains_for_figures
from postil.recipes.recipe import Recipe
from postil.training_run import TrainingRun

TUNED, TRAINED, TOGETHER = "thresholds", "training", "together"
MOST_BYTES = 2**31


def _alone(figure: Figure) -> dict[str, Any]:
    # Of the starts, modified least squares did best in folds of the demo corpus, for F1, micro-F1
    # and a cost alike.
    return {"learner": "mfom", "starts": ["modified-squared"], FIGURE: figure.name}


def _together(figure: Figure) -> dict[str, Any]:
    # As the recipe mfom-multi is: its figure, start and steps were best in folds of Reuters.
    trained = BalancedError.name if isinstance(figure, FBeta) else figure.name
    return {
        "learner": "mfom",
        "form": "unclaimed",
        "starts": ["by-size"],
        "options": {"iterations": 5},
        FIGURE: trained,
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
    if trains_for_figures(run.recipe.learn):
        learned = str(run.recipe.learn.get(FIGURE, aim.measure))
        told |= {} if learned == aim.measure else {FIGURE: learned}
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
    def watch(step: str, done: int, total: int | None) -> None:
        run.watch(f"{step}, {STEPS[way]}", done, total)

    recipe = other_recipe(run.recipe, learn)
    return TrainingRun(recipe, run.space, run.labels, run.threads, run.seed, watch)


def _bytes_at_once(run: TrainingRun) -> int:
    """What tables of all categories take, where they are trained as one problem."""
    if not isinstance(run.learner, MfomLearner):
        return 0
    method = run.learner.method
    joint = method.merit_form().has_rivals or method.merit_figure().pooled
    return problem_bytes(run.design, method) * len(run.labels) if joint else 0


def other_recipe(recipe: Recipe, learn: Mapping[str, Any]) -> Recipe:
    """The same recipe with a learner that trains for a figure.

    Its scores are no logarithms of odds: a calibration that takes them for such becomes Platt's.
    """
    own = recipe.decide.calibration or next(iter(recipe.learner().calibrations), None)
    if own is not None and CALIBRATIONS[own].needs is not Needs.OUT_OF_FOLD:
        own = Platt.kind
    return replace(
        recipe,
        title=f"{recipe.title or recipe.name}; learned for {learn[FIGURE]} by {learn['learner']}",
        learn=dict(learn),
        search=None,
        expect=(),
        decide=replace(recipe.decide, calibration=own),
    )

"""One run of a recipe: learned from the training documents, decided on the test documents."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from postil.recipes.recipe import Recipe
from postil.train.run import LearningSpace, TrainingRun
from postil_papers.cache import Question, shared
from postil_papers.cells import Json
from postil_papers.experiment import Settings, counted_not_warned, tell
from postil_papers.gao_wu_lee_chua_2003.descents import settings_data
from postil_papers.gao_wu_lee_chua_2003.methods import code_of
from postil_papers.gao_wu_lee_chua_2003.spaces import Space, spaces_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally, tally_of

SEED = 0
AT_ZERO = "default"  # the rule that tunes nothing


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Plain numbers of a run.

    ``at_zero`` are decisions at a score of 0, ``by_rule`` those of the recipe's rule. ``rows`` of
    weights are categories, or nodes of trees; ``sizes`` are members to learn from. ``smooth`` is
    the mean of the objectives that categories report; ``seconds`` are of learning alone.
    """

    at_zero: Tally
    by_rule: Tally
    sizes: list[int]
    rows: int
    terms: int
    smooth: float
    seconds: float

    def rare(self, below: int) -> list[str]:
        """Categories with fewer training documents than that."""
        pairs = zip(self.at_zero.categories, self.sizes, strict=True)
        return [name for name, size in pairs if size < below]


def run_of(settings: Settings, name: str) -> RunFacts:
    """The run of one of the recipes in the settings: shared, kept, or done now."""
    recipe = cast("Mapping[str, dict[str, Any]]", settings["recipes"])[name]
    collection = {key: settings[key] for key in ("corpus", "documents")}
    question = Question(
        "gao-wu-lee-chua-2003: a run",
        {**collection, "recipe": recipe},
        settings_data(settings),
        code_of(),
    )
    found = shared(question, lambda: _run(collection, Recipe.from_dict(recipe)))
    facts = cast("dict[str, Any]", found)
    tallies = {part: Tally(**facts[part]) for part in ("at_zero", "by_rule")}
    return RunFacts(**{**facts, **tallies})


def _run(collection: Mapping[str, Json], recipe: Recipe) -> Json:
    space = spaces_of(collection, recipe.representation).whole()
    return asdict(learned(space, recipe))


def learned(space: Space, recipe: Recipe) -> RunFacts:
    """Learn and decide; a rule that is tuned learns once more for each fold."""

    def progress(step: str, done: int, total: int | None) -> None:
        tell(f"{recipe.name}, {step}", done, total)

    run = TrainingRun(recipe, LearningSpace(space.design), space.labels, None, SEED, progress)
    begun = time.perf_counter()
    with counted_not_warned():
        fit = run.learn()
        seconds = time.perf_counter() - begun
        scores = fit.scores(space.unseen)
        at_zero = tally_of(space.labels.names, scores > 0, space.truth)
        by_rule = at_zero
        if recipe.decide.rule != AT_ZERO:
            rule, _ = run.decisions(fit)
            by_rule = tally_of(space.labels.names, rule.accept(scores), space.truth)
    return RunFacts(
        at_zero,
        by_rule,
        np.asarray(space.labels.members.sum(axis=0)).ravel().astype(int).tolist(),
        int(fit.weights.shape[0]),
        space.design.terms,
        float(np.mean([report.objective for report in fit.reports])),
        seconds,
    )

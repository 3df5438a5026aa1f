"""Time of decisions and probabilities out of fold, beside that of the fit to all documents."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from benchmarks.harness import Line, Settings, Spread, benchmark
from benchmarks.suite.defaults import TASKS
from postil.common.progress import no_progress
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import load_recipe
from postil.train.reading import read_training
from postil.train.run import LearningSpace, TrainingRun


@benchmark("deciding", "time of decisions and probabilities out of fold, over that of the fit")
def run(settings: Settings) -> Iterator[Line]:
    """Learn by the recipe default, then tune its decisions, in turns on each corpus."""
    for task in TASKS:
        documents = open_corpus(task.corpus, choices=task.choices)
        training = [each for each in documents if each.split != "test"][: settings.documents]
        recipe, vectors = read_training(training, load_recipe("default"))
        space = LearningSpace.of(vectors, recipe, no_progress)
        fits, decisions = [], []
        for _ in range(settings.rounds):
            turn = TrainingRun(recipe, space, vectors.labels, None, 0, no_progress)
            begin = perf_counter()
            fit = turn.learn()
            middle = perf_counter()
            turn.decisions(fit)
            fits.append(middle - begin)
            decisions.append(perf_counter() - middle)
        yield {
            "corpus": task.title,
            "categories": len(vectors.labels),
            "fit, seconds": Spread.of(fits),
            "decisions, seconds": Spread.of(decisions),
            "decisions / fit": Spread.of_ratios(decisions, fits),
            "goal": "≤ 2.5",
        }
    yield (
        f"The recipe default on all processors: {recipe.decide.folds} folds, each from the dual "
        "variables of the fit to all documents without those of the fold; then the rule and the "
        "calibration. Documents have become vectors before."
    )

"""Experiments that look at runs, put together the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from postil.recipes.recipe import Recipe
from postil_papers.cells import Json, Measured
from postil_papers.experiment import CellValues, Experiment, Fill, RunExperiment, corpus_fingerprint
from postil_papers.genkin_lewis_madigan_2004.collections import Collection
from postil_papers.genkin_lewis_madigan_2004.facts import RunFacts
from postil_papers.genkin_lewis_madigan_2004.methods import code_of
from postil_papers.genkin_lewis_madigan_2004.runs import FACTS, RUNS, settings_for


def experiment(
    name: str,
    collection: Collection,
    recipes: Mapping[str, Recipe],
    run: RunExperiment,
    fills: tuple[Fill, ...],
    module: str,
    **settings: Json,
) -> Experiment:
    """An experiment on a collection; ``recipes`` are those of its runs, by names of its own."""
    return Experiment(
        name=f"{collection.name}, {name}",
        run=run,
        fills=fills,
        code=code_of(FACTS, RUNS, module),
        settings={**settings_for(collection, recipes), **settings},
        data=partial(corpus_fingerprint, collection.corpus),
    )


def remarked(values: Mapping[tuple[str, str, str], float], runs: Iterable[RunFacts]) -> CellValues:
    """Cells with what the runs behind them had to say, each thing once."""
    remark = "; ".join(dict.fromkeys(run.remark for run in runs if run.remark))
    return {key: Measured(float(value), remark=remark) for key, value in values.items()}

"""Experiments that look at descents and runs, each by a name of the experiment's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from postil.recipes.recipe import Recipe
from postil_papers.cells import Json
from postil_papers.experiment import (
    TOP_TEN,
    Experiment,
    Fill,
    RunExperiment,
    Settings,
    corpus_fingerprint,
)
from postil_papers.gao_wu_lee_chua_2003.descents import Descent
from postil_papers.gao_wu_lee_chua_2003.methods import COLLECTION, MACRO, MEAN, MICRO, code_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally


def experiment(
    name: str,
    run: RunExperiment,
    fills: tuple[Fill, ...],
    module: str,
    *,
    descents: Mapping[str, Descent] | None = None,
    recipes: Mapping[str, Recipe] | None = None,
    **others: Json,
) -> Experiment:
    """An experiment on the collection of section 6.1."""
    return Experiment(
        name=name,
        run=run,
        fills=fills,
        code=code_of(f"{__package__}.asking", module),
        settings={
            **COLLECTION,
            "largest": list(TOP_TEN),
            "descents": {key: each.to_dict() for key, each in (descents or {}).items()},
            "recipes": {key: each.to_dict() for key, each in (recipes or {}).items()},
            **others,
        },
        data=partial(corpus_fingerprint, COLLECTION["corpus"]),
    )


def largest(settings: Settings) -> Sequence[str]:
    """The largest categories, by name."""
    return cast("list[str]", settings["largest"])


def averages(tally: Tally) -> dict[str, float]:
    """All three of them, by the names of columns."""
    return {MICRO: tally.micro(), MACRO: tally.macro(), MEAN: tally.mean()}

"""One run of GPD for all categories in lock step, looked at after some numbers of steps.

Fewer steps are the beginning of more: one run gives a row of tables 2 and 3, and what tables 1 and
4 and the studies need of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from postil.common.threads import thread_count
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, Products, Weights, products_of
from postil.learn.merit.options import GpdOptions
from postil.learn.merit.starts import FigureSlopes, MeritTask, steps
from postil.recipes.recipe import Recipe
from postil_papers.cache import Question, shared
from postil_papers.cells import Json
from postil_papers.experiment import Settings, corpus_fingerprint, tell
from postil_papers.gao_wu_lee_chua_2003.methods import code_of
from postil_papers.gao_wu_lee_chua_2003.spaces import Space, spaces_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally, tally_of

TOLD = 20  # steps between two words of how far it is


@dataclass(frozen=True, slots=True)
class Descent:
    """What is asked for: a recipe that descends, in so many directions, and where to look."""

    recipe: Recipe
    dimensions: int
    stops: Mapping[str, int]

    def to_dict(self) -> dict[str, Json]:
        """As settings hold it."""
        return {
            "recipe": self.recipe.to_dict(),
            "dimensions": self.dimensions,
            "stops": dict(self.stops),
        }


@dataclass(frozen=True, slots=True)
class Stop:
    """What there is after so many steps.

    ``smooth`` is the mean over categories of the figure that is climbed, ``attained`` that of
    decisions at 0, both on training documents; ``seconds`` are of all steps until here.
    """

    tally: Tally
    smooth: float
    attained: float
    seconds: float
    steps: int


def descent_of(settings: Settings, name: str) -> dict[str, Stop]:
    """A descent that the settings name, by the names of its stops: shared, kept, or done now."""
    asked = cast("Mapping[str, dict[str, Any]]", settings["descents"])[name]
    collection = {key: settings[key] for key in ("corpus", "documents")}
    question = Question(
        "gao-wu-lee-chua-2003: a descent",
        {**collection, **asked},
        settings_data(settings),
        code_of(),
    )
    found = shared(question, lambda: _descended(collection, asked))
    return {
        stop: Stop(**{**facts, "tally": Tally(**facts["tally"])})
        for stop, facts in cast("Mapping[str, dict[str, Any]]", found).items()
    }


def settings_data(settings: Settings) -> str:
    """Fingerprint of the corpus that settings name."""
    return corpus_fingerprint(str(settings["corpus"]))


def _descended(collection: Mapping[str, Json], asked: Mapping[str, Any]) -> Json:
    recipe = Recipe.from_dict(asked["recipe"])
    space = spaces_of(collection, recipe.representation).of_directions(asked["dimensions"])
    title = f"{recipe.name} in {asked['dimensions']} directions, "
    stops = descend(space, method_of(recipe), asked["stops"], title)
    return {stop: asdict(facts) for stop, facts in stops.items()}


def method_of(recipe: Recipe) -> MfomMethod:
    """The method of a recipe that climbs a figure of merit."""
    return cast("MfomMethod", recipe.method())


def descend(
    space: Space, method: MfomMethod, stops: Mapping[str, int], title: str = ""
) -> dict[str, Stop]:
    """Descend to the last of the stops, and look at all of them.

    Cost of a step: two products of the documents with a table of all categories.
    """
    names = {steps: stop for stop, steps in stops.items()}
    found: dict[str, Stop] = {}
    with ground_of(space, method) as ground:
        begun = time.perf_counter()
        for step, weights in ground.descent(max(names), title):
            if step in names:
                seconds = time.perf_counter() - begun
                found[names[step]] = ground.look(space, weights, seconds, step)
    return {stop: found[stop] for stop in stops}


class Ground:
    """Training documents with what is climbed on them."""

    def __init__(self, space: Space, method: MfomMethod, products: Products) -> None:
        threads = thread_count(None)
        cases = np.where(space.labels.members.toarray(), np.int8(1), np.int8(-1))
        documents = np.ones(space.design.documents)
        self.method = method
        self.products = products
        self.merit = Merit(method.merit_figure(), cases, documents, threads=threads)
        self.task = MeritTask(space.design, products, self.merit, threads)
        self.options = cast("GpdOptions", method.solver_options)
        self.slopes = FigureSlopes(self.merit, self.options)

    def start(self) -> Weights:
        """Where the method begins."""
        return self.method.start_parts()[0].weights(self.task)

    def descent(self, most: int, title: str = "") -> Iterator[tuple[int, Weights]]:
        """So many steps; the weights are written over by the next."""
        options = replace(self.options, iterations=most)
        for step, weights in steps(self.products, self.start(), self.slopes, options):
            if step % TOLD == 0:
                tell(f"{title}steps", step, most)
            yield step, weights

    def values(self, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The figure of each category on training documents: smooth, and of decisions at 0."""
        scores = weights.scores(self.products)
        self.slopes(scores, np.empty_like(scores))
        seen = self.slopes.seen
        assert seen is not None
        return seen.values, self.merit.figure.attained(seen.sure).values

    def look(self, space: Space, weights: Weights, seconds: float, step: int) -> Stop:
        """Decide on the test documents."""
        scores = space.unseen @ weights.terms + weights.intercepts
        smooth, attained = self.values(weights)
        return Stop(
            tally_of(space.labels.names, scores > 0, space.truth),
            float(smooth.mean()),
            float(np.nan_to_num(attained).mean()),
            seconds,
            step,
        )


@contextmanager
def ground_of(space: Space, method: MfomMethod) -> Iterator[Ground]:
    """The ground of a space; while it is used, products have BLAS to themselves."""
    with products_of(space.design, thread_count(None)) as products:
        yield Ground(space, method, products)

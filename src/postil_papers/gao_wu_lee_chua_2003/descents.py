"""One run of GPD for all categories in lock step, measured after some numbers of steps.

Fewer steps are the beginning of more: one run gives a row of tables 2 and 3, and what tables 1 and
4 and the studies need of it. L-BFGS on the same objective is a rival of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from postil.common.threads import thread_count
from postil.learn.merit.ascent import Ascent
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.objective import Merit, Products, Weights, products_of
from postil.learn.merit.options import GpdOptions
from postil.learn.merit.starts import FigureSlopes, MeritTask, steps
from postil.recipes.recipe import Recipe
from postil_papers.gao_wu_lee_chua_2003.runs import Tally, spaces_of, tally_of
from postil_papers.harness import Problem, report
from postil_papers.results import remember
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

REPORTED = 20  # steps between two reports of progress
LBFGS_TOLERANCE, LBFGS_PAIRS = 1e-3, 10


@dataclass(frozen=True, slots=True)
class Descent:
    """A recipe that learns by GPD, its number of directions, and the steps to measure after.

    ``scaled`` is as in :meth:`Spaces.of_directions`.
    """

    recipe: Recipe
    dimensions: int
    stops: Mapping[str, int]
    scaled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """The decisions after some steps.

    ``smooth`` is the mean over categories of the smooth figure of merit on training documents;
    ``seconds`` are of all steps so far.
    """

    tally: Tally
    smooth: float
    seconds: float
    steps: int

    @property
    def remark(self) -> str:
        """The steps and seconds as a sentence."""
        return f"{self.steps} steps in {self.seconds:.0f} s"


def stops_of(collection: Collection, descent: Descent) -> dict[str, Stop]:
    """Return the stops of a descent by their names, computed once."""
    return remember(
        "gao-wu-lee-chua-2003: a descent", _descended, collection=collection, descent=descent
    )


def _descended(collection: Collection, descent: Descent) -> dict[str, Stop]:
    recipe, dimensions = descent.recipe, descent.dimensions
    spaces = spaces_of(collection, recipe.representation)
    problem = spaces.of_directions(dimensions, scaled=descent.scaled)
    return descend(problem, recipe, descent.stops, f"{recipe.name} in {dimensions} directions, ")


def descend(
    problem: Problem, recipe: Recipe, stops: Mapping[str, int], title: str = ""
) -> dict[str, Stop]:
    """Descend to the last of the stops, and measure all of them."""
    names = {steps: stop for stop, steps in stops.items()}
    found: dict[str, Stop] = {}
    with gpd_on(problem, recipe) as gpd:
        started = time.perf_counter()
        for step, weights in gpd.descent(max(names), title):
            if step in names:
                seconds = time.perf_counter() - started
                found[names[step]] = gpd.measure(weights, seconds, step)
    return {stop: found[stop] for stop in stops}


def lbfgs_of(collection: Collection, recipe: Recipe, most: int) -> Stop:
    """Return the end of L-BFGS on the objective of a recipe's GPD, computed once."""
    return remember(
        "gao-wu-lee-chua-2003: an ascent",
        _ascended,
        collection=collection,
        recipe=recipe,
        most=most,
    )


def _ascended(collection: Collection, recipe: Recipe, most: int) -> Stop:
    return ascend(spaces_of(collection, recipe.representation).whole(), recipe, most)


def ascend(problem: Problem, recipe: Recipe, most: int) -> Stop:
    """Run L-BFGS on the objective of a recipe's GPD from its start, all categories in lock step."""
    with gpd_on(problem, recipe) as gpd:
        started = time.perf_counter()
        found = Ascent(
            gpd.products,
            gpd.merit,
            gpd.start(),
            steepness=np.full(gpd.merit.problems, gpd.options.steepness),
            pairs=LBFGS_PAIRS,
        ).run(most, LBFGS_TOLERANCE, partial(report, f"{recipe.name} by L-BFGS"))
        seconds = time.perf_counter() - started
        return gpd.measure(found.weights, seconds, int(found.iterations.max()))


class Gpd:
    """The objective of GPD on the training documents of a problem, and its steps."""

    def __init__(self, problem: Problem, recipe: Recipe, products: Products) -> None:
        threads = thread_count(None)
        cases = np.where(problem.labels.members.toarray(), np.int8(1), np.int8(-1))
        self.problem = problem
        self.method = cast("MfomMethod", recipe.method())
        self.products = products
        weights = np.ones(problem.design.documents)
        self.merit = Merit(self.method.merit_figure(), cases, weights, threads=threads)
        self.task = MeritTask(problem.design, products, self.merit, threads)
        self.options = cast("GpdOptions", self.method.solver_options)
        self.slopes = FigureSlopes(self.merit, self.options)

    def start(self) -> Weights:
        """Return the weights that the method starts from."""
        return self.method.start_parts()[0].weights(self.task)

    def descent(self, most: int, title: str = "") -> Iterator[tuple[int, Weights]]:
        """Yield the number of each step and its weights, which the next step overwrites."""
        options = replace(self.options, iterations=most)
        for step, weights in steps(self.products, self.start(), self.slopes, options):
            if step % REPORTED == 0:
                report(f"{title}steps", step, most)
            yield step, weights

    def values(self, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the figure of each category on training documents: smooth, and at 0."""
        scores = weights.scores(self.products)
        self.slopes(scores, np.empty_like(scores))
        seen = self.slopes.seen
        assert seen is not None
        return seen.values, np.nan_to_num(self.merit.figure.attained(seen.sure).values)

    def measure(self, weights: Weights, seconds: float, step: int) -> Stop:
        """Decide on the test documents."""
        problem = self.problem
        scores = problem.unseen @ weights.terms + weights.intercepts
        tally = tally_of(problem.labels.names, scores > 0, problem.truth.toarray())
        return Stop(tally, float(self.values(weights)[0].mean()), seconds, step)


@contextmanager
def gpd_on(problem: Problem, recipe: Recipe) -> Iterator[Gpd]:
    """Prepare GPD on a problem; within the block, products have BLAS to themselves."""
    with products_of(problem.design, thread_count(None)) as products:
        yield Gpd(problem, recipe, products)

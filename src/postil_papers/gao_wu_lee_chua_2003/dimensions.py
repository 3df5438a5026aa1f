"""Tables 2 and 3: F1 by the number of directions and of GPD iterations, and how it grows.

A row is one run of GPD, looked at after 500, 1000, 2000 and 3000 steps. ``table2-mean`` is the mean
of F1s in the same runs, which the paper does not print. The trends are differences of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import experiment
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, descent_of
from postil_papers.gao_wu_lee_chua_2003.methods import DIMENSIONS, F1, FULL, STOPS, Load, plain
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally

# The tables, and what each is of a run.
MEASURES: dict[str, Callable[[Tally], float]] = {
    "table2": Tally.macro,
    "table2-mean": Tally.mean,
    "table3": Tally.micro,
}
TRENDS = {"table2-trend": "table2", "table3-trend": "table3"}
# "When the dimension is beyond 800, only little improvement is observed."
BEND = 800
SPANS = {
    f"from {DIMENSIONS[0]} to {BEND}": (DIMENSIONS[0], BEND),
    f"from {BEND} to {FULL}": (BEND, FULL),
}


def grid_descent(recipe: Recipe, dimensions: int) -> Descent:
    """A row of the grid: what other tables need of these runs is asked in the same words."""
    return Descent(plain(recipe), dimensions, STOPS)


def run_row(dimensions: int, settings: Settings) -> CellValues:
    """One number of directions, in all three tables."""
    found = {}
    for stop, facts in descent_of(settings, str(dimensions)).items():
        remark = f"{facts.seconds:.0f} s for all categories"
        for table, measure in MEASURES.items():
            place = table, str(dimensions), stop
            found[place] = Measured(measure(facts.tally), remark=remark)
    return found


def run_trend(table: str, settings: Settings) -> CellValues:
    """By how much a table's number grows over each span of dimensions."""
    measure = MEASURES[TRENDS[table]]
    values = {
        (dimensions, stop): measure(facts.tally)
        for dimensions in {end for span in SPANS.values() for end in span}
        for stop, facts in descent_of(settings, str(dimensions)).items()
    }
    return {
        (table, span, stop): values[last, stop] - values[first, stop]
        for span, (first, last) in SPANS.items()
        for stop in STOPS
    }


def experiments(load: Load) -> list[Experiment]:
    """One for each number of directions, and one for each trend."""
    recipe = load(F1)
    columns = tuple(STOPS)
    rows = [
        experiment(
            f"{dimensions} dimensions",
            partial(run_row, dimensions),
            tuple(Fill(table, (str(dimensions),), columns) for table in MEASURES),
            __name__,
            descents={str(dimensions): grid_descent(recipe, dimensions)},
        )
        for dimensions in DIMENSIONS
    ]
    ends = sorted({end for span in SPANS.values() for end in span})
    return rows + [
        experiment(
            table,
            partial(run_trend, table),
            (Fill(table, tuple(SPANS), columns),),
            __name__,
            descents={str(end): grid_descent(recipe, end) for end in ends},
        )
        for table in TRENDS
    ]

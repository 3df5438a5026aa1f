"""Tables 1 and 2: break-even points of the ten largest categories, and two micro-averages.

The micro-average adds up the counts of categories that are each cut at their own break-even point
(:mod:`postil.evaluate.break_even` says why that is the authors').
"""

from __future__ import annotations

from functools import partial

from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.zhang_2000.methods import RECIPES, TABLES, Load
from postil_papers.zhang_2000.runs import experiment, facts_of, largest, remarked

TOP, ALL = "Micro-Avg Top 10", "Micro-Avg All 118"


def run_column(table: str, method: str, settings: Settings) -> CellValues:
    """One column of one table."""
    run = facts_of(settings, method)
    names = largest(settings)
    found: dict[tuple[str, str, str], float] = {
        (table, name, method): run.of_category(name) for name in names
    }
    found[table, TOP, method] = run.micro(names)
    return {**found, (table, ALL, method): remarked(run.micro(), run)}


def experiments(load: Load) -> list[Experiment]:
    """A column of a table each."""
    return [
        experiment(
            f"{table}, {method}",
            {method: varied(load(recipe))},
            partial(run_column, table, method),
            (Fill(table, columns=(method,)),),
            __name__,
        )
        for table, varied in TABLES.items()
        for method, recipe in RECIPES.items()
    ]

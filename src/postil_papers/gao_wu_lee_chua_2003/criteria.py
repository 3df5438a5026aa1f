"""Table 1: training for few errors of either class against training for F1."""

from __future__ import annotations

from functools import partial

from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import experiment, largest
from postil_papers.gao_wu_lee_chua_2003.descents import Descent, descent_of
from postil_papers.gao_wu_lee_chua_2003.dimensions import grid_descent
from postil_papers.gao_wu_lee_chua_2003.methods import (
    F1,
    FULL,
    MCE,
    REDUCED,
    STOPS,
    USUAL,
    Load,
    plain,
)

TABLE, MEANS = "table1", "table1-mean"
FIGURES = {"MCE": MCE, "F1": F1}
TOP, OTHER = "Top-10", "Other 80"
MICRO, MACRO = "micro-avg", "macro-avg"


def column_of(figure: str, dimensions: int) -> str:
    """A column by both of its heads."""
    return f"{figure}, {dimensions}"


def row_of(part: str, average: str) -> str:
    """A row by both of its heads."""
    return f"{part}, {average}"


def run_column(column: str, settings: Settings) -> CellValues:
    """The averages of both parts of the categories, by one figure in one space."""
    stop = descent_of(settings, column)[USUAL]
    tally, names = stop.tally, largest(settings)
    remark = f"{stop.steps} steps in {stop.seconds:.0f} s"
    found: dict[tuple[str, str, str], Measured] = {}
    for part, chosen in ((TOP, tally.of(names)), (OTHER, tally.without(names))):
        micro, macro = row_of(part, MICRO), row_of(part, MACRO)
        found[TABLE, micro, column] = Measured(chosen.micro(), remark=remark)
        found[TABLE, macro, column] = Measured(chosen.macro(), remark=remark)
        found[MEANS, macro, column] = Measured(chosen.mean(), remark=remark)
    return found


def experiments(load: Load) -> list[Experiment]:
    """One for each column."""
    rows = tuple(row_of(part, average) for part in (TOP, OTHER) for average in (MICRO, MACRO))
    return [
        experiment(
            f"table1, {column_of(figure, dimensions)}",
            partial(run_column, column_of(figure, dimensions)),
            (
                Fill(TABLE, rows, (column_of(figure, dimensions),)),
                Fill(
                    MEANS,
                    tuple(row_of(part, MACRO) for part in (TOP, OTHER)),
                    (column_of(figure, dimensions),),
                ),
            ),
            __name__,
            descents={column_of(figure, dimensions): descent_for(load, figure, dimensions)},
        )
        for dimensions in (REDUCED, FULL)
        for figure in FIGURES
    ]


def descent_for(load: Load, figure: str, dimensions: int) -> Descent:
    """The run of a column; that of F1 is a row of tables 2 and 3."""
    recipe = load(FIGURES[figure])
    if figure == "F1":
        return grid_descent(recipe, dimensions)
    return Descent(plain(recipe), dimensions, {USUAL: STOPS[USUAL]})

"""A search for λ on the command line: what is asked for, and what was found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from postil.cli.console import counted, table_lines

if TYPE_CHECKING:
    from postil.recipes.recipe import Recipe

MARK = "→"


def searching(
    recipe: Recipe,
    *,
    search: bool,
    per_category: bool,
    folds: int | None,
    measure: str | None,
    grid: str | None,
) -> Recipe:
    """The recipe, with its λ searched for if any option of a search is given."""
    from postil.errors import UsageError

    wanted: dict[str, Any] = {"folds": folds, "measure": _measure(measure)}
    wanted["shared"] = False if per_category else None
    wanted["grid"] = None if grid is None else _grid(grid)
    given = {name: value for name, value in wanted.items() if value is not None}
    if not search and not given:
        return recipe
    try:
        return recipe.searching(**given)
    except UsageError as error:
        # The recipe was well before: what is wrong is what was asked of it.
        asked = f"--search-measure {measure}" if measure is not None else "--search"
        told = str(error).removeprefix("[search]: ").replace("[search]", "the search")
        raise UsageError(f"{asked} with the recipe {recipe.name}: {told}") from None


def _measure(name: str | None) -> str | None:
    from postil.learn.search_measures import MEASURES
    from postil.text.suggest import near_names

    if name is None or name in MEASURES:
        return name
    near = near_names(name, MEASURES)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    raise typer.BadParameter(
        f"--search-measure is one of {', '.join(MEASURES)}, not {name!r}{meant}"
    )


def _grid(text: str) -> tuple[float, ...]:
    try:
        grid = tuple(float(part) for part in text.split(","))
    except ValueError:
        grid = ()
    if not grid or len(set(grid)) < len(grid) or not all(0 < lam < math.inf for lam in grid):
        raise typer.BadParameter(
            "--search-grid is finite numbers above 0 with commas between, none of them twice, as "
            f"1e-2,1e-3,1e-4, not {text!r}"
        )
    return grid


def search_sentence(search: Mapping[str, Any]) -> str:
    """What was searched and chosen, in a line."""
    rows = search["grid"]
    how = f"by {search['measure']} in {counted(search['folds'], 'fold')}"
    if search["shared"]:
        return f"chose λ = {search['lam']:g} for all categories {how}"
    chosen = [row["lam"] for row in rows if row["categories"]]
    lowest, highest = min(chosen), max(chosen)
    span = f"{lowest:g}" if lowest == highest else f"{lowest:g} to {highest:g}"
    return f"chose a λ for each category {how}: {span}"


def search_lines(search: Mapping[str, Any]) -> list[str]:
    """A line for each λ: its measure, and an arrow at the best for all categories together."""
    rows = [
        (
            MARK if row["lam"] == search["lam"] else "",
            f"{row['lam']:g}",
            _figure(row["value"]),
            _figure(row["standard_error"]),
            str(row["categories"]),
        )
        for row in search["grid"]
    ]
    header = ("", "λ", str(search["measure"]), "std. error", "categories")
    lines = list(table_lines(header, rows, " rrrr"))
    ends = (search["grid"][0]["lam"], search["grid"][-1]["lam"])
    if len(rows) > 1 and search["lam"] in ends:
        lines.append(f"the best λ, {search['lam']:g}, is at an end of the grid: try a wider one")
    return lines


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"

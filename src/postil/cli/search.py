"""A search for the strength on the command line: what is asked for, and what was found.

The measure that `postil train --for` is told: what is asked for, and what came of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from postil.cli.console import counted, table_lines
from postil.common.escaping import visible

if TYPE_CHECKING:
    from postil.recipes.recipe import Recipe


AUTO = "auto"
SHOWN = 5


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the options of `postil train` ask of a search; ``None`` is as the recipe has it."""

    search: bool = False
    per_category: bool = False
    folds: int | None = None
    rounds: int | None = None
    measure: str | None = None
    over: str | None = None
    grid: str | None = None
    most_terms: int | None = None
    exactly: bool = False

    def entries(self) -> dict[str, Any]:
        """The entries of a ``[search]`` table that are asked for."""
        wanted = {
            "folds": self.folds,
            "rounds": self.rounds,
            "measure": _measure(self.measure),
            "shared": False if self.per_category or self.most_terms is not None else None,
            "over": _over(self.over),
            "grid": None if self.grid is None else _grid(self.grid),
            "most_terms": self.most_terms,
            "exactly": True if self.exactly else None,
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def asked(self) -> str:
        """The option that an error is most likely about."""
        if self.measure is not None:
            return f"--search-measure {self.measure}"
        if self.most_terms is not None:
            return f"--most-terms {self.most_terms}"
        if self.rounds is not None:
            return f"--search-rounds {self.rounds}"
        return "--search-per-category" if self.per_category else "--search"


def searching(recipe: Recipe, options: SearchOptions) -> Recipe:
    """The recipe, with its strength searched for if any option of a search is given."""
    from postil.errors import UsageError

    given = options.entries()
    if not options.search and not given:
        return recipe
    limited = options.most_terms is not None or (recipe.search and recipe.search.most_terms)
    if options.exactly and not limited:
        raise typer.BadParameter("--exactly says how --most-terms is meant: give both")
    if options.most_terms is not None and recipe.search is None:
        given.setdefault("grid", AUTO)
    try:
        return recipe.searching(**given)
    except UsageError as error:
        # The recipe was well before: what is wrong is what was asked of it.
        told = str(error).removeprefix("[search]: ").replace("[search]", "the search")
        raise UsageError(f"{options.asked()} with the recipe {recipe.name}: {told}") from None


def _measure(name: str | None) -> str | None:
    from postil.common.suggest import near_names
    from postil.errors import SpecError, UsageError
    from postil.learn.search.measures import MEASURES, search_measure

    if name is None:
        return name
    try:
        return search_measure(name).name
    except SpecError as error:
        raise typer.BadParameter(f"--search-measure: {error}") from None
    except UsageError:
        near = near_names(name, MEASURES)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    raise typer.BadParameter(
        f"--search-measure is one of {', '.join(MEASURES)}, or a figure of merit such as "
        f"recall>=0.95, not {name!r}{meant}"
    )


def _over(name: str | None) -> str | None:
    from postil.learn.search.grids import WAYS

    if name is None or name in WAYS:
        return name
    raise typer.BadParameter(f"--search-over is one of {', '.join(WAYS)}, not {name!r}")


def _grid(text: str) -> tuple[float, ...] | str:
    if text == AUTO:
        return text
    try:
        grid = tuple(float(part) for part in text.split(","))
    except ValueError:
        grid = ()
    if not grid or len(set(grid)) < len(grid) or not all(0 < lam < math.inf for lam in grid):
        raise typer.BadParameter(
            "--search-grid is finite numbers above 0 with commas between, none of them twice, as "
            f"1e-2,1e-3,1e-4, or auto, not {text!r}"
        )
    return grid


def search_sentence(search: Mapping[str, Any]) -> str:
    """What was searched and chosen, in a line."""
    symbol, key = search_symbol(search), _key(search)
    rounds = search.get("rounds", search["folds"])
    by_chance = search.get("cut") == "random"  # models of before do not tell
    folds = counted(search["folds"], "random fold" if by_chance else "fold")
    if rounds < search["folds"]:
        folds = f"{rounds} of {folds}"
    how = f"by {search['measure']} in {folds}"
    limit = _limit(search)
    if search["shared"] and not limit:
        return f"chose {symbol} = {search[key]:g} for all categories {how}"
    chosen = _chosen(search)
    lowest, highest = min(chosen), max(chosen)
    span = f"{lowest:.3g}" if lowest == highest else f"{lowest:.3g} to {highest:.3g}"
    return f"chose a {symbol} for each category {how}{limit}: {span}"


def search_lines(search: Mapping[str, Any]) -> list[str]:
    """A line for each strength: its measure, and a word at the best for all together.

    The word stands last, so that the columns before it are the same in every line.
    """
    key = _key(search)
    rows = [
        (
            f"{row[key]:.3g}",
            _figure(row["value"]),
            _figure(row["standard_error"]),
            str(row["categories"]),
            _best(search) if row[key] == search[key] else "",
        )
        for row in search["grid"]
    ]
    head = "share" if key == "share" else search_symbol(search)
    header = (head, str(search["measure"]), "std. error", "categories", "")
    lines = list(table_lines(header, rows, "rrrr"))
    if _off_the_grid(search):
        lines.append("categories are counted at the strength that is nearest to theirs")
    if key == "share":
        lines.append(
            "shares are of the strongest λ of each category; it was refined around its best"
        )
    return lines + _end_lines(search) + _limit_lines(search)


def _end_lines(search: Mapping[str, Any]) -> list[str]:
    """That a wider grid may be better; under a limit of terms it is the limit that chooses."""
    key, grid = _key(search), search["grid"]
    if len(grid) < 2 or search.get("most_terms") is not None:
        return []
    name = "share" if key == "share" else search_symbol(search)
    best = f"the best {name}, {search[key]:.3g}, is at"
    if search.get("automatic"):
        is_last = search[key] == grid[-1][key]
        return [f"{best} the end of the path: a smaller ratio in [search] goes on"] * is_last
    is_end = search[key] in (grid[0][key], grid[-1][key])
    return [f"{best} an end of the grid: try a wider one"] * is_end


def _best(search: Mapping[str, Any]) -> str:
    """What is best in a line of the table."""
    if search.get("most_terms") is not None:
        return "best for all, without the limit"
    return "best" if search["shared"] else "best for all"


def _off_the_grid(search: Mapping[str, Any]) -> bool:
    """Whether a limit of terms gave some category a strength between those of the table."""
    key = _key(search)
    rows = search.get("categories") or ()
    tried = {row[key] for row in search["grid"]} if key != "share" else set()
    return bool(tried) and any(row.get(key) not in tried for row in rows)


def _limit(search: Mapping[str, Any]) -> str:
    most = search.get("most_terms")
    if most is None:
        return ""
    return f" with {'exactly' if search['exactly'] else 'at most'} {counted(most, 'term')}"


def _limit_lines(search: Mapping[str, Any]) -> list[str]:
    """What a limit of terms came to."""
    most, rows = search.get("most_terms"), search.get("categories")
    if most is None or not rows:
        return []
    terms = [row["terms"] for row in rows]
    free = sum(row["free_terms"] for row in rows) / len(rows)
    lines = [
        f"{_limit(search).removeprefix(' with ')} in each category: {min(terms)} to {max(terms)} "
        f"kept, {search['mean_terms']:.1f} on average; without the limit {free:.1f}"
    ]
    if search["mean_given_up"] is not None:
        lost = search["mean_given_up"]
        lines.append(f"{search['measure']} given up for it, by category on average: {lost:.4f}")
    fewer = [f"{row['category']} ({row['terms']})" for row in rows if row["terms"] < most]
    if search["exactly"] and fewer:
        lines.append(f"no strength was found that keeps exactly {most}: {_first(fewer)}")
    without = [row["category"] for row in rows if row["terms"] == 0]
    if without and not search["exactly"]:
        lines.append(
            f"held-out documents are best told without any term in {_first(without)}; --exactly "
            "keeps some, and more --search-rounds judge better"
        )
    return lines


def _first(names: list[str]) -> str:
    return ", ".join(map(visible, names[:SHOWN])) + (", …" if len(names) > SHOWN else "")


def _chosen(search: Mapping[str, Any]) -> list[float]:
    over = search.get("over", "lam")
    if search.get("categories"):
        return [row[over] for row in search["categories"]]
    return [row[over] for row in search["grid"] if row["categories"]]


def _key(search: Mapping[str, Any]) -> str:
    """What the numbers of the table are called; models of before have λ alone."""
    return "share" if "share" in search else str(search.get("over", "lam"))


def search_symbol(search: Mapping[str, Any]) -> str:
    """What was searched for: λ, C or σ²."""
    from postil.learn.search.grids import SYMBOLS

    return SYMBOLS[search.get("over", "lam")]


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


# How a way to a measure is called, by its name in a model.
WAYS = {
    "thresholds": "thresholds tuned for it",
    "training": "learning for it",
    "together": "learning for it as rivals",
}


def aiming(recipe: Recipe, measure: str | None, compare: bool | None) -> Recipe:
    """The recipe, for the measure if one is given; ``compare`` unless told."""
    from postil.errors import SpecError, UsageError

    if measure is None:
        if compare is not None:
            raise typer.BadParameter("--compare and --no-compare say how --for is meant: give it")
        return recipe
    try:
        return recipe.aimed_at(measure, compare=compare is not False)
    except SpecError as error:
        raise typer.BadParameter(f"--for: {error}") from None
    except UsageError as error:
        raise UsageError(f"--for {measure} with the recipe {recipe.name}: {error}") from None


def aim_sentence(aim: Mapping[str, Any] | None) -> str:
    """What a model was trained for, and how, in a line; empty if it was for nothing."""
    if not aim:
        return ""
    compared = aim.get("compared")
    if not compared:
        learned = f"learned for {aim.get('figure', 'it')}, and thresholds tuned"
        how = learned if aim["taken"] == "training" else "thresholds"
        return f"aimed at {aim['measure']}: {how} by the rule {aim['rule']}"
    taken = aim["taken"]
    others = [way for way in WAYS if way in compared and way != taken]
    parts = [
        f"took {WAYS[taken]}, {_standing(compared[taken])} held out in {compared['folds']} folds",
        *(f"{WAYS[way]} {_beside(compared, taken, way)}" for way in others),
        *(f"{WAYS[way]} was left out: {why}" for way, why in aim.get("left_out", {}).items()),
    ]
    return f"aimed at {aim['measure']}: {'; '.join(parts)}"


def _beside(compared: Mapping[str, Any], taken: str, way: str) -> str:
    """What another way came to; if it is better and was not taken, why not."""
    mine, other = compared[taken], compared[way]
    if _standing(mine) == _standing(other):
        return "came to the same"
    sign = -1 if compared.get("less_is_better") else 1
    close = sign * (other["value"] - mine["value"])
    bar = other.get("error_bar", 0.0)
    within = f", within an error bar of {bar:.4f}" if 0 < close <= bar else ""
    return f"had {_standing(other)}{within}"


def _standing(standing: Mapping[str, Any]) -> str:
    value = f"{standing['value']:.4f}"
    if "reached" not in standing:
        return value
    return f"{value} (the floor holds in {standing['reached']} of {standing['categories']})"

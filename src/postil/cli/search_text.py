"""Sentences and tables on the search for a strength and on the measure a model was trained for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil.cli.console import counted, shortened, table_lines

# The sentence of each way of reaching a measure, by its name in a model.
WAYS = {
    "thresholds": "thresholds tuned for it",
    "training": "learning for it",
    "together": "learning for it as rivals",
}


def search_sentence(search: Mapping[str, Any]) -> str:
    """Return in a line which strength was chosen and how."""
    symbol, key = search_symbol(search), _key(search)
    rounds = search.get("rounds", search["folds"])
    is_random = search.get("cut") == "random"  # old models do not say
    folds = counted(search["folds"], "random fold" if is_random else "fold")
    if rounds < search["folds"]:
        folds = f"{rounds} of {folds}"
    how = f"by {search['measure']} in {folds}"
    limit = _limit(search)
    if search["shared"] and not limit:
        return f"chose {symbol} = {search[key]:g} for all categories {how}"
    chosen = _chosen(search)
    lowest, highest = min(chosen), max(chosen)
    span = f"{lowest:.3g}" if lowest == highest else f"{lowest:.3g} to {highest:.3g}"
    with_limit = f" with {limit}" if limit else ""
    return f"chose a {symbol} for each category {how}{with_limit}: {span}"


def search_lines(search: Mapping[str, Any]) -> list[str]:
    """Return a table with a line for each strength and its measure, and remarks below it.

    The mark of the best strength stands in the last column, so that the columns before it are the
    same in every line.
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
    if _is_off_grid(search):
        lines.append("categories are counted at the strength nearest to theirs")
    if key == "share":
        lines.append(
            "shares are of the strongest λ of each category; the search refined around the best"
        )
    return lines + _end_lines(search) + _limit_lines(search)


def _end_lines(search: Mapping[str, Any]) -> list[str]:
    """Suggest a wider grid if the best is at its end; a limit of terms chooses by the limit."""
    key, grid = _key(search), search["grid"]
    if len(grid) < 2 or search.get("most_terms") is not None:
        return []
    name = "share" if key == "share" else search_symbol(search)
    best = f"the best {name}, {search[key]:.3g}, is at"
    if search.get("automatic"):
        is_last = search[key] == grid[-1][key]
        return [f"{best} the end of the path: try a smaller ratio in [search]"] * is_last
    is_end = search[key] in (grid[0][key], grid[-1][key])
    return [f"{best} an end of the grid: try a wider one"] * is_end


def _best(search: Mapping[str, Any]) -> str:
    """Return the mark of the best line."""
    if search.get("most_terms") is not None:
        return "best for all, without the limit"
    return "best" if search["shared"] else "best for all"


def _is_off_grid(search: Mapping[str, Any]) -> bool:
    """Return True if a limit of terms gave a category a strength between those of the grid."""
    key = _key(search)
    rows = search.get("categories") or ()
    tried = {row[key] for row in search["grid"]} if key != "share" else set()
    return bool(tried) and any(row.get(key) not in tried for row in rows)


def _limit(search: Mapping[str, Any]) -> str:
    most = search.get("most_terms")
    if most is None:
        return ""
    return f"{'exactly' if search['exactly'] else 'at most'} {counted(most, 'term')}"


def _limit_lines(search: Mapping[str, Any]) -> list[str]:
    """Describe the effect of a limit of terms."""
    most, rows = search.get("most_terms"), search.get("categories")
    if most is None or not rows:
        return []
    terms = [row["terms"] for row in rows]
    free = sum(row["free_terms"] for row in rows) / len(rows)
    lines = [
        f"{_limit(search)} in each category: {min(terms)} to {max(terms)} "
        f"kept, {search['mean_terms']:.1f} on average; without the limit {free:.1f}"
    ]
    if search["mean_given_up"] is not None:
        lost = search["mean_given_up"]
        lines.append(f"{search['measure']} given up for it, by category on average: {lost:.4f}")
    fewer = [f"{row['category']} ({row['terms']})" for row in rows if row["terms"] < most]
    if search["exactly"] and fewer:
        lines.append(f"no strength was found that keeps exactly {most}: {shortened(fewer)}")
    without = [row["category"] for row in rows if row["terms"] == 0]
    if without and not search["exactly"]:
        lines.append(
            f"on held-out documents no term is best for {shortened(without)}; --exactly keeps "
            "some, and more --search-rounds judge better"
        )
    return lines


def _chosen(search: Mapping[str, Any]) -> list[float]:
    over = search.get("over", "lam")
    if search.get("categories"):
        return [row[over] for row in search["categories"]]
    return [row[over] for row in search["grid"] if row["categories"]]


def _key(search: Mapping[str, Any]) -> str:
    """Return the name of the strengths in the grid; old models have λ only."""
    return "share" if "share" in search else str(search.get("over", "lam"))


def search_symbol(search: Mapping[str, Any]) -> str:
    """Return the symbol of the strength that was searched: λ, C or σ²."""
    from postil.learn.search.grids import SYMBOLS

    return SYMBOLS[search.get("over", "lam")]


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def aim_sentence(aim: Mapping[str, Any] | None) -> str:
    """Return in a line which measure a model was trained for, and how; empty if for none."""
    if not aim:
        return ""
    from postil.recipes.parts import ONE_LABEL

    compared = aim.get("compared")
    if not compared:
        learned = f"learned for {aim.get('figure', 'it')}, and thresholds tuned"
        how = learned if aim["taken"] == "training" else "thresholds"
        if aim["rule"] == ONE_LABEL:
            named = {"error": "accuracy", "f1": "macro-f1"}.get(aim["measure"], aim["measure"])
            return f"aimed at {named}: each document gets its best category"
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
    """Return the value of another way; if it is better and was not taken, also why not."""
    mine, other = compared[taken], compared[way]
    if _standing(mine) == _standing(other):
        return "came to the same"
    sign = -1 if compared.get("less_is_better") else 1
    ahead = sign * (other["value"] - mine["value"])
    bar = other.get("error_bar", 0.0)
    within = f", within an error bar of {bar:.4f}" if 0 < ahead <= bar else ""
    return f"had {_standing(other)}{within}"


def _standing(standing: Mapping[str, Any]) -> str:
    value = f"{standing['value']:.4f}"
    if "reached" not in standing:
        return value
    return f"{value} (the floor holds in {standing['reached']} of {standing['categories']})"

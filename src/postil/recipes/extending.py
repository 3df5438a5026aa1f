"""A recipe that extends another: its tables, with those of the other below them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from postil.errors import UsageError
from postil.learn.strength import Regularization

EXTENDS = "extends"

# These describe the published method, of which a changed recipe is none.
_NOT_INHERITED = frozenset({"title", "paper", "where", "expect"})
_STRENGTHS = frozenset(field.name for field in fields(Regularization))
# Entries that mean nothing beside another part.
_BELONGS_TO = {
    "options": "solver",
    "loss_options": "loss",
    "prior_options": "prior",
    "mix": "prior",
}


def base_of(table: Mapping[str, Any]) -> str | None:
    """Return the name or path of the recipe that a table extends, or None."""
    base = table.get(EXTENDS)
    if base is not None and (not isinstance(base, str) or not base):
        raise UsageError(
            f"{EXTENDS}: expected the name or path of a recipe, got {base!r}; write {EXTENDS} = "
            '"default"'
        )
    return base


def extended(base: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a recipe over those of the recipe that it extends.

    An entry takes the place of the same entry in the base, and of what it excludes there:

    - another ``learner`` replaces ``[learn]`` and ends the base's ``[search]``;
    - another solver, loss or prior ends the options of the base's;
    - a strength ends the base's strength and ``[search]``, and ``[search]`` ends the strength;
    - what ``[auto]`` would choose (analyzer, learner, loss, strength) and ``[search]`` end it;
    - ``terms`` ends ``threshold``, and the reverse;
    - ``[aim]`` ends the base's rule, search measure and figure.

    Title, paper, place in the paper and expected numbers are not inherited.

    Parameters
    ----------
    base : mapping
        All tables of the base, from ``Recipe.to_dict``.
    table : mapping
        The tables that change it.
    """
    below = {key: value for key, value in base.items() if key not in _NOT_INHERITED}
    given = {key: value for key, value in table.items() if key != EXTENDS}
    below["name"] = f"{base['name']}, changed"
    for name in _ended_tables(below, given):
        below.pop(name, None)
    _end_entries(below, given)
    merged = {**below, **given}
    for name in below.keys() & given.keys():
        if isinstance(below[name], Mapping) and isinstance(given[name], Mapping):
            merged[name] = {**below[name], **given[name]}
            if name == "learn":
                merged[name] |= _options(below[name], given[name])
    return merged


def _ended_tables(below: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Return the tables of the base that end as a whole."""
    learn = _table(given, "learn")
    other = _learner(learn) != _learner(_table(below, "learn")) and "learner" in learn
    has_strength = not _STRENGTHS.isdisjoint(learn)
    chosen = has_strength or "search" in given or not {"learner", "loss"}.isdisjoint(learn)
    chosen = chosen or "analyzer" in _table(given, "representation")
    return (
        ["learn"] * other
        + ["search"] * ((other or has_strength) and "search" not in given)
        + ["auto"] * (chosen and "auto" not in given)
    )


def _end_entries(below: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Remove the entries of the base that those given exclude."""
    learn = _table(given, "learn")
    ended = {
        "learn": {key for key, part in _BELONGS_TO.items() if _differs(below, given, part)},
        "selection": set(),
        "decide": set(),
        "search": set(),
    }
    if "search" in given or not _STRENGTHS.isdisjoint(learn):
        ended["learn"] |= _STRENGTHS
    if not {"terms", "threshold"}.isdisjoint(_table(given, "selection")):
        ended["selection"] |= {"terms", "threshold"}
    if "aim" in given:
        ended["learn"].add("figure")
        ended["decide"].add("rule")
        ended["search"].add("measure")
    if "over" in _table(given, "search"):
        ended["search"].add("grid")  # its numbers would mean something else
    for name, keys in ended.items():
        if name in below:
            below[name] = {key: value for key, value in below[name].items() if key not in keys}


def _differs(below: Mapping[str, Any], given: Mapping[str, Any], part: str) -> bool:
    learn = _table(given, "learn")
    return part in learn and learn[part] != _table(below, "learn").get(part)


def _options(below: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of options that both have, merged."""
    return {
        key: {**below[key], **given[key]}
        for key in _BELONGS_TO
        if isinstance(below.get(key), Mapping) and isinstance(given.get(key), Mapping)
    }


def _learner(learn: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a name, or a user's mistake
    return learn.get("learner", "linear")


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table; nothing for one that is absent, or is no table, which is refused later."""
    found = tables.get(name)
    return found if isinstance(found, Mapping) else {}

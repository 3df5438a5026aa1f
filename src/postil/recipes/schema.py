"""The entries of every table of a recipe but ``[learn]``, with the types of their values.

``Recipe`` checks what a single value cannot show: entries that contradict each other, and specs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from postil.common.suggest import advice
from postil.decide import CALIBRATIONS
from postil.errors import SpecError, UsageError
from postil.features.measures import MEASURES as TERM_MEASURES
from postil.learn.options import Rule, number, whole
from postil.learn.search.folds import CUTS
from postil.learn.search.grids import AUTO, WAYS
from postil.learn.search.measures import MEASURES as SEARCH_MEASURES
from postil.learn.search.measures import search_measure
from postil.recipes.entries import (
    MOST,
    Entry,
    Table,
    any_number,
    check_table,
    check_tables,
    flag,
    name_of,
    needed,
    positive,
    positives,
    text,
    texts,
    whole_number,
)
from postil.recipes.extending import EXTENDS
from postil.recipes.learn_schema import check_learn
from postil.recipes.parts import LABEL_COUNTS, SCOPES
from postil.vectors.projection import FULL
from postil.vectors.vectorizer import MOST_MODEL_BUCKETS
from postil.vectors.weighting import NAMED, NORMS


def _whole_or(example: int, word: str) -> Entry:
    """Return the rule for a whole number of at least 1, or a word."""
    one = whole(1, MOST)
    rule = Rule(
        lambda value: f'{one.words(value)}, or "{word}"',
        lambda value: value == word or one.holds(value),
    )
    return Entry(rule, str(example), (word,))


def _documents(example: str) -> Entry:
    """Return the rule for a whole number of documents, or a share of them."""
    words = "a whole number of documents, or a share of them from 0.0 to 1.0"
    return Entry(
        number(words, lambda value: 0 <= value <= (MOST if isinstance(value, int) else 1)), example
    )


def _grid(example: str) -> Entry:
    """Return the rule for a list of strengths, or the word that leaves them to the search."""
    listed = positives(example)

    def words(value: object) -> str:
        said = listed.rule.words(value)
        return said if isinstance(value, list | tuple) else f'{said}, or "{AUTO}"'

    def holds(value: object) -> bool:
        return value == AUTO or listed.rule.holds(value)

    return replace(listed, rule=Rule(words, holds), names=(AUTO,))


def _measure(example: str) -> Entry:
    """Return the rule for a search measure or a figure of merit."""
    listed = name_of(SEARCH_MEASURES, example)

    def words(value: object) -> str:
        return f"{listed.rule.words(value)}, or a figure of merit such as recall>=0.95"

    def holds(value: object) -> bool:
        return listed.rule.holds(value) or (isinstance(value, str) and _is_measure(value))

    return replace(listed, rule=Rule(words, holds))


def _is_measure(name: str) -> bool:
    try:
        search_measure(name)
    except SpecError:
        return True  # a figure with wrong arguments: its own error says more
    except UsageError:
        return False
    return True


HEAD: Table = {
    "name": needed(text("mine", empty=False)),
    "title": text("What it is"),
    "paper": text("zhang-oles-2001"),
    "where": text("table 2"),
}

REPRESENTATION: Table = {
    "analyzer": text("words lower min(2)", empty=False),
    "fields": texts("title", "body"),
    "apart": flag(True),
    "also": texts("title"),
    "weights": name_of(NAMED, "tfidf"),
    "norm": name_of(NORMS, "l2"),
    "min_df": _documents("2"),
    "max_df": _documents("0.5"),
    "min_occurrences": whole_number(3),
    "max_terms": whole_number(10000),
    "buckets": whole_number(2**20, most=MOST_MODEL_BUCKETS),
    "lsi": _whole_or(400, FULL),
    "length": positive("3.0"),
}

SELECTION: Table = {
    "measure": name_of(TERM_MEASURES, "gini"),
    "terms": whole_number(1000),
    "threshold": any_number("0.01"),
    "scope": name_of(SCOPES, "category"),
}

SEARCH: Table = {
    "over": name_of(WAYS, "lam"),
    "grid": _grid("[1e-2, 1e-3, 1e-4]"),
    "points": whole_number(20),
    "folds": whole_number(5, least=2),
    "rounds": whole_number(2),
    "cut": name_of(CUTS, "random"),
    "shared": flag(True),
    "measure": _measure("f1"),
    "one_standard_error": flag(False),
    "most_terms": whole_number(10),
    "exactly": flag(False),
}

DECIDE: Table = {
    "labels": name_of(LABEL_COUNTS, "one"),
    "rule": text("f1", empty=False),
    "calibration": name_of((AUTO, *CALIBRATIONS), "platt"),
    "route": text("precision>=0.98", empty=False),
    "folds": whole_number(5, least=2),
}

AIM: Table = {
    "measure": needed(text("f1", empty=False)),
    "compare": flag(True),
}

AUTO_SEARCH: Table = {
    "budget": positive("45.0"),
}

EXPECT: Table = {
    "corpus": needed(text("reuters-modapte", empty=False)),
    "measure": needed(text("micro-f1", empty=False)),
    "value": needed(any_number("87.2")),
    "tolerance": needed(any_number("1.5", least=0)),
}

# Tables with the same entries in every recipe.
PLAIN: Mapping[str, Table] = {
    "representation": REPRESENTATION,
    "selection": SELECTION,
    "search": SEARCH,
    "decide": DECIDE,
    "aim": AIM,
    "auto": AUTO_SEARCH,
}
KEYS = (*HEAD, *PLAIN, "learn", "expect")


def check_recipe(recipe: Mapping[str, Any]) -> None:
    """Raise UsageError at the first wrong entry of a recipe's tables."""
    for key in recipe:
        if key not in KEYS:
            raise UsageError(
                f"a recipe has no entry {key!r}{advice(key, sorted([*KEYS, EXTENDS]))}"
            )
    if "name" not in recipe:
        raise UsageError(
            f'a recipe needs a name, such as name = "mine"; to change another recipe, write '
            f'{EXTENDS} = "default" (in Python {{"{EXTENDS}": "default", …}})'
        )
    check_table("", {key: recipe[key] for key in recipe if key in HEAD}, HEAD)
    for name, entries in PLAIN.items():
        if name in recipe:
            check_table(f"[{name}]", recipe[name], entries)
    if "learn" in recipe:
        check_learn(recipe["learn"])
    if "expect" in recipe:
        check_tables("[expect]", recipe["expect"], EXPECT)

"""Rules for the entries of a recipe: a test, the test in words, and an example."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from postil.common.suggest import advice, near_names
from postil.errors import InputError, UsageError
from postil.learn.options import Rule, number, whole

Table = Mapping[str, "Entry"]

MOST = 2**31 - 1
SHOWN = 60
LEAST_START = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """The rule for one entry of a table.

    Parameters
    ----------
    rule : Rule
        The test of a value.
    example : str
        A valid value as TOML.
    names : tuple of str
        The valid names, if the value is a name; errors suggest the nearest one.
    needed : bool
        True if a table without the entry is an error.
    correct : callable
        Turns a wrong value into TOML that the user probably meant, or into an empty string.
    """

    rule: Rule
    example: str
    names: tuple[str, ...] = ()
    needed: bool = False
    correct: Callable[[object], str] = lambda _: ""

    def check(self, place: str, key: str, value: object) -> None:
        """Raise UsageError if a value breaks the rule."""
        if self._holds(value):
            return
        near = _near(value, self.names) if isinstance(value, str) else []
        meant = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
        words = self.rule.words(value)
        if words.startswith("at "):
            words = f"a number of {words}"
        raise UsageError(
            f"{place} {key}: expected {words}, got {_shown(value)}; ".lstrip()
            + (meant or f"write {key} = {self.correct(value) or self.example}")
        )

    def _holds(self, value: object) -> bool:
        try:
            return self.rule.holds(value)
        except OverflowError:  # TOML has whole numbers of any length
            return False


def text(example: str, *, empty: bool = True) -> Entry:
    """Return the rule for a text."""
    words = "a text" if empty else "a text that is not empty"
    holds = _is_text if empty else lambda value: _is_text(value) and bool(value)
    return Entry(_rule(words, holds), json.dumps(example))


def texts(*example: str) -> Entry:
    """Return the rule for a list of texts."""
    return Entry(
        _rule("a list of texts", _list_of(_is_text)),
        json.dumps(example),
        correct=lambda value: json.dumps([value], ensure_ascii=False) if _is_text(value) else "",
    )


def flag(example: bool) -> Entry:
    """Return the rule for a boolean."""
    words = "true or false, without quotes"
    return Entry(_rule(words, lambda value: isinstance(value, bool)), _shown(example))


def name_of(names: Iterable[str], example: str) -> Entry:
    """Return the rule for one of some names."""
    known = tuple(names)
    words = f"one of {', '.join(known)}"
    return Entry(
        _rule(words, lambda value: _is_text(value) and value in known), json.dumps(example), known
    )


def whole_number(example: int, least: int = 1, most: int = MOST) -> Entry:
    """Return the rule for a whole number within bounds."""
    return Entry(whole(least, most), str(example))


def positive(example: str) -> Entry:
    """Return the rule for a finite number above 0."""
    return Entry(number("a finite number above 0", lambda value: value > 0), example)


def positive_or(example: str, word: str) -> Entry:
    """Return the rule for a finite number above 0, or a word."""
    one = number("", lambda value: value > 0).holds
    words = f"a finite number above 0, or {json.dumps(word)}"
    return Entry(_rule(words, lambda value: value == word or one(value)), example, (word,))


def share(example: str) -> Entry:
    """Return the rule for a number from 0 to 1."""
    return Entry(number("a number from 0 to 1", lambda value: 0 <= value <= 1), example)


def positives(example: str) -> Entry:
    """Return the rule for a list of one or more distinct finite numbers above 0."""
    one = _list_of(number("", lambda value: value > 0).holds)
    words = "a list of one or more finite numbers above 0, each of them once"
    return Entry(
        _rule(words, lambda value: one(value) and 0 < len(set(value)) == len(value)), example
    )


def any_number(example: str, least: float = -math.inf) -> Entry:
    """Return the rule for a finite number, with or without a lower bound."""
    words = "a finite number" + ("" if least == -math.inf else f" of at least {least:g}")
    return Entry(number(words, lambda value: value >= least), example)


def table(example: str) -> Entry:
    """Return the rule for a table whose entries are checked elsewhere."""
    return Entry(_rule("a table", lambda value: isinstance(value, Mapping)), example)


def check_is_table(place: str, given: object) -> None:
    """Raise UsageError if a value is not a table."""
    if not isinstance(given, Mapping):
        raise UsageError(
            f"{place}: expected a table, got {_shown(given)}; write {place} once, on a line of its "
            "own, and its entries below it"
        )


def needed(entry: Entry) -> Entry:
    """Return the same rule for an entry that its table must have."""
    return replace(entry, needed=True)


def check_table(place: str, given: Any, entries: Table) -> None:  # noqa: ANN401
    """Raise UsageError if a table has an unknown entry, lacks one, or has a wrong value."""
    check_is_table(place, given)
    for key in given:
        if key not in entries:
            raise UsageError(f"{place} has no entry {key!r}{advice(key, sorted(entries))}")
    for key, entry in entries.items():
        if key in given:
            entry.check(place, key, given[key])
        elif entry.needed:
            raise UsageError(f"{place or 'a recipe'} needs a {key}; write {key} = {entry.example}")


def check_tables(place: str, given: object, entries: Table) -> None:
    """Raise UsageError if a value is not a list of such tables."""
    if not isinstance(given, list | tuple):
        raise UsageError(
            f"{place}: expected a list of tables, got {_shown(given)}; write [{place}] above the "
            "entries of each table"
        )
    for each in given:
        check_table(place, each, entries)


@contextmanager
def prefix_errors(place: str) -> Iterator[None]:
    """Put a place, such as a table of a recipe, in front of the messages of errors."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _near(value: str, names: Iterable[str]) -> list[str]:
    """Return the names that a value resembles, abbreviates or has the initials of.

    ``chi2`` finds chi-square, ``ig`` finds information-gain.
    """
    known = list(names)
    start = "".join(takewhile(str.isalpha, value.lower()))
    return (
        near_names(value, known)
        or [name for name in known if len(start) >= LEAST_START and name.startswith(start)]
        or [name for name in known if "".join(word[:1] for word in name.split("-")) == start]
    )


def _rule(words: str, holds: Callable[[Any], bool]) -> Rule:
    return Rule(lambda _: words, holds)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _list_of(holds: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(holds, value))


def _shown(value: object) -> str:
    """Return a value nearly as TOML writes it, on one line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
        return "a list of tables"
    if isinstance(value, bool | str | list | tuple):
        shown = json.dumps(value, ensure_ascii=False, default=str)
    else:
        shown = str(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"

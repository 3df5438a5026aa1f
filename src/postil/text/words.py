"""Word steps: functions that map a list of distinct words to new words, None for dropped ones.

The cost of a word step grows with the vocabulary and not with the length of the texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

WordStep = Callable[[list[str]], list[str | None]]
Case = Literal["keep", "lower", "casefold"]

FOLDED_NUMBER = "#"

_ASCII_DIGIT = re.compile("[0-9]")
_CHANGE_CASE: dict[Case, Callable[[str], str]] = {
    "keep": str,
    "lower": str.lower,
    "casefold": str.casefold,
}


def chain(steps: Sequence[WordStep]) -> WordStep:
    """Return one step made of several; a word that one step drops does not reach the next."""

    def run(words: list[str]) -> list[str | None]:
        mapped: list[str | None] = list(words)
        for step in steps:
            following = iter(step([word for word in mapped if word is not None]))
            mapped = [None if word is None else next(following) for word in mapped]
        return mapped

    return run


def at_least(length: int) -> WordStep:
    """Return the step that drops words of fewer characters."""
    return lambda words: [word if len(word) >= length else None for word in words]


def at_most(length: int) -> WordStep:
    """Return the step that drops words of more characters."""
    return lambda words: [word if len(word) <= length else None for word in words]


def without(stop_words: AbstractSet[str]) -> WordStep:
    """Return the step that drops the given words."""
    return lambda words: [None if word in stop_words else word for word in words]


def fold_numbers(mode: str, mixed: bool) -> WordStep:
    """Return the step that turns numbers into ``#`` (``fold``) or drops them (``drop``).

    A number is a word of numeric characters alone (Unicode category N: digits of any script,
    fractions, Roman numerals); with ``mixed``, a word that holds at least one.
    """
    becomes = FOLDED_NUMBER if mode == "fold" else None
    is_number = _has_numeric if mixed else _all_numeric
    return lambda words: [becomes if is_number(word) else word for word in words]


def _all_numeric(word: str) -> bool:
    return word.isdigit() if word.isascii() else all(map(_is_numeric, word))


def _has_numeric(word: str) -> bool:
    if word.isascii():
        return _ASCII_DIGIT.search(word) is not None
    return any(map(_is_numeric, word))


def _is_numeric(char: str) -> bool:
    # str.isnumeric would also accept letters of Chinese and Japanese that name numbers.
    return unicodedata.category(char)[0] == "N"


def normalise(text: str, case: Case, fold_accents: bool) -> str:
    """Change case, then fold accents, as the native tokenizer does with texts."""
    text = _CHANGE_CASE[case](text)
    if not fold_accents or text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))

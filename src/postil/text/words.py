"""Word steps: what happens to each distinct word, once.

A word step takes a list of words and returns, for each, the word it becomes, or None if it is
dropped. It is called with distinct words, so its cost grows with the vocabulary and not with
the length of the texts.

The text steps in Python, for single words such as those of a stop list.

Texts themselves are normalised by the native tokenizer, to the same result.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

WordStep = Callable[[list[str]], list[str | None]]

FOLDED_NUMBER = "#"

_ASCII_DIGIT = re.compile("[0-9]")


def chain(steps: Sequence[WordStep]) -> WordStep:
    """Make one step of several; a word that one step drops does not reach the next."""

    def run(words: list[str]) -> list[str | None]:
        mapped: list[str | None] = list(words)
        for step in steps:
            kept = [word for word in mapped if word is not None]
            following = iter(step(kept))
            mapped = [None if word is None else next(following) for word in mapped]
        return mapped

    return run


def at_least(length: int) -> WordStep:
    """Make the step that drops words of fewer characters."""
    return lambda words: [word if len(word) >= length else None for word in words]


def at_most(length: int) -> WordStep:
    """Make the step that drops words of more characters."""
    return lambda words: [word if len(word) <= length else None for word in words]


def without(stop_words: AbstractSet[str]) -> WordStep:
    """Make the step that drops the given words."""
    return lambda words: [None if word in stop_words else word for word in words]


def fold_numbers(mode: str, mixed: bool) -> WordStep:
    """Make the step that turns numbers into ``#`` (``fold``) or drops them (``drop``).

    A number is a word of numeric characters alone (Unicode category N: digits of any script,
    fractions, Roman numerals); with ``mixed``, a word that holds at least one.
    """
    becomes = FOLDED_NUMBER if mode == "fold" else None
    is_number = has_numeric if mixed else all_numeric
    return lambda words: [becomes if is_number(word) else word for word in words]


def all_numeric(word: str) -> bool:
    """Whether every character of the word is numeric."""
    if word.isascii():
        return word.isdigit()
    return all(map(_is_numeric, word))


def has_numeric(word: str) -> bool:
    """Whether any character of the word is numeric."""
    if word.isascii():
        return _ASCII_DIGIT.search(word) is not None
    return any(map(_is_numeric, word))


def _is_numeric(char: str) -> bool:
    # str.isnumeric would also take letters of Chinese and Japanese that name numbers.
    return unicodedata.category(char)[0] == "N"


Case = Literal["keep", "lower", "casefold"]

_CHANGE: dict[Case, Callable[[str], str]] = {
    "keep": str,
    "lower": str.lower,
    "casefold": str.casefold,
}


def normalise(text: str, case: Case, fold_accents: bool) -> str:
    """Change case, then fold accents: the order scikit-learn's vectorizers use."""
    text = _CHANGE[case](text)
    if not fold_accents or text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))

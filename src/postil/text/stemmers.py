"""Stemmers: Porter's and the Snowball project's, through PyStemmer; Porter's as amended."""

from __future__ import annotations

from postil.common.suggest import advice
from postil.text import porter_amended
from postil.text.grammar import ArgumentError
from postil.text.languages import CODE_OF, NAME_OF, code_of
from postil.text.words import WordStep

AMENDED = "porter-amended"


def algorithms() -> list[str]:
    """List every stemmer by its canonical name: ``porter``, ``english``, …."""
    import Stemmer

    return sorted([AMENDED, *Stemmer.algorithms()])


def canonical_name(received: str) -> str:
    """Find a stemmer by its name, its language or its language's ISO code."""
    known = algorithms()
    name = received.lower()
    name = NAME_OF.get(code_of(name) or "", name)
    if name not in known:
        raise ArgumentError(f"no stemmer is called {received!r}{advice(received, known)}")
    return name


def codes() -> dict[str, str]:
    """Give for each stemmer the ISO code that also names it, or ``""``."""
    return {name: CODE_OF.get(name, "") for name in algorithms()}


def make_step(name: str) -> WordStep:
    """Make the word step that replaces each word by its stem.

    Cost: linear in the characters of the words. A word whose stem is empty is dropped.
    """

    def stem(words: list[str]) -> list[str | None]:
        return [stem or None for stem in _stems(name, words)]

    return stem


def _stems(name: str, words: list[str]) -> list[str]:
    if name == AMENDED:
        return [porter_amended.stem(word) for word in words]
    import Stemmer

    # A new stemmer costs less than a microsecond and is never shared between threads. Its cache
    # is off: no word comes twice.
    stems: list[str] = Stemmer.Stemmer(name, 0).stemWords(words)
    return stems

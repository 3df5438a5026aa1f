"""Stemmers by name: those of PyStemmer, and Porter's with its author's amendments."""

from __future__ import annotations

from postil.common.suggest import advice
from postil.text import porter_amended
from postil.text.grammar import ArgumentError
from postil.text.languages import NAME_OF, code_of
from postil.text.words import WordStep

AMENDED = "porter-amended"


def algorithms() -> list[str]:
    """Return the canonical names of all stemmers: ``porter``, ``english``, …."""
    import Stemmer

    return sorted([AMENDED, *Stemmer.algorithms()])


def canonical_name(received: str) -> str:
    """Return the name of the stemmer given by name, by language or by the language's ISO code."""
    known = algorithms()
    name = received.lower()
    name = NAME_OF.get(code_of(name) or "", name)
    if name not in known:
        raise ArgumentError(f"no stemmer is called {received!r}{advice(received, known)}")
    return name


def make_step(name: str) -> WordStep:
    """Return the word step that replaces each word by its stem; it drops words with no stem."""
    if name == AMENDED:
        return lambda words: [porter_amended.stem(word) or None for word in words]

    def stem(words: list[str]) -> list[str | None]:
        import Stemmer

        # A new stemmer costs less than a microsecond and is never shared between threads. Its
        # cache is off: no word comes twice.
        return [stem or None for stem in Stemmer.Stemmer(name, 0).stemWords(words)]

    return stem

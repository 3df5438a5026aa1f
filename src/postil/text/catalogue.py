"""The names that may occur in an analyzer spec, in the order of their groups."""

from __future__ import annotations

from postil.text import stemmers, stoplists
from postil.text.grammar import Group, ItemKind, ReadArguments, gram_sizes, integer, one_of, takes
from postil.text.languages import CODE_OF

LONGEST_CHAR_GRAM = 32
LONGEST_WORD_GRAM = 16
LONGEST_WORD = 1000

CHAR_TOKENIZERS = ("chars", "chars-in-words")
ASCII_TOKENIZERS = ("trec",)


_NOTHING = takes()
_LENGTH = takes(integer(LONGEST_WORD))
_CHAR_SIZES = gram_sizes(LONGEST_CHAR_GRAM)

# In each group: how an item is written, what it does, and how its arguments are read.
_ITEMS: dict[Group, tuple[tuple[str, str, ReadArguments], ...]] = {
    Group.TOKENIZER: (
        (
            "words",
            "runs of letters, marks, numbers and connectors such as _; scripts without spaces give "
            "pairs of characters, or whole runs with words(whole-runs); words(python) is exactly "
            r"Python's \w+",
            takes(one_of("python", "whole-runs"), required=0),
        ),
        ("letters", "runs of letters, with the marks that follow them", _NOTHING),
        ("compounds", "words that single inner apostrophes or hyphens hold together", _NOTHING),
        ("whitespace", "whatever stands between white space", _NOTHING),
        (
            "trec",
            "runs of ASCII letters and digits as Lemur's TREC reader cuts them: nothing of "
            "markup, <names in brackets> and &entities; company's is company, U.S. is US",
            _NOTHING,
        ),
        ("chars(m,n)", "character n-grams of m to n characters of the whole text", _CHAR_SIZES),
        (
            "chars-in-words(m,n)",
            "character n-grams inside words, a space at either end",
            _CHAR_SIZES,
        ),
    ),
    Group.TEXT_STEP: (
        ("lower", "lower case", _NOTHING),
        ("casefold", "no difference of case at all: ß is ss", _NOTHING),
        (
            "fold-accents",
            "no accents: NFKD without combining marks, after the change of case",
            _NOTHING,
        ),
    ),
    Group.WORD_STEP: (
        ("min(n)", "drop words of fewer than n characters", _LENGTH),
        ("max(n)", "drop words of more than n characters", _LENGTH),
        (
            "numbers(keep|fold|drop)",
            "keep numbers, fold each into #, or drop them; numbers(fold,mixed) and "
            "numbers(drop,mixed) take any word with a digit for a number",
            takes(one_of("keep", "fold", "drop"), one_of("mixed"), required=1),
        ),
        ("stop(LIST)", "drop the words of a stop list", takes(stoplists.canonical_name)),
        ("stem(NAME)", "replace each word by its stem", takes(stemmers.canonical_name)),
    ),
    Group.NGRAMS: (("ngrams(m,n)", "sequences of m to n words", gram_sizes(LONGEST_WORD_GRAM)),),
}

KINDS = {
    signature.partition("(")[0]: ItemKind(group, signature, help, read)
    for group, items in _ITEMS.items()
    for signature, help, read in items
}


def names(*groups: Group) -> list[str]:
    """Return the names of the given groups, in order."""
    return [name for name, kind in KINDS.items() if kind.group in groups]


def describe() -> dict[str, dict[str, str]]:
    """Return, for each part of a spec, how its items are written and what they do."""
    titles = ("tokenizers", "text steps", "word steps", "n-grams")
    described = {
        title: {signature: help for signature, help, _ in _ITEMS[group]}
        for group, title in zip(Group, titles, strict=True)
    }
    sources = stoplists.SOURCES.values()
    described["stop lists"] = {source.signature: source.help for source in sources}
    described["stemmers"] = {
        name: f"also {CODE_OF[name]}" if name in CODE_OF else "" for name in stemmers.algorithms()
    }
    return described

"""Every name that may stand in an analyzer spec, in the order the groups stand in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from postil.text import stemmers, stoplists
from postil.text.grammar import (
    Argument,
    Group,
    ItemKind,
    ReadArguments,
    expect_count,
    gram_range,
    no_arguments,
    one_integer,
    words_of,
)

LONGEST_CHAR_GRAM = 32
LONGEST_WORD_GRAM = 16
LONGEST_WORD = 1000

CHAR_TOKENIZERS = ("chars", "chars-in-words")
ASCII_TOKENIZERS = ("trec",)


def _one_name(canonical: Callable[[str], str]) -> ReadArguments:
    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        expect_count(received, 1, 1)
        return (canonical(received[0]),)

    return read


_ALL = (
    ItemKind(
        "words",
        Group.TOKENIZER,
        "words",
        "runs of letters, marks, numbers and connectors such as _, in any script; "
        r"words(python) is exactly Python's \w+",
        words_of(("python",), required=0),
    ),
    ItemKind(
        "letters",
        Group.TOKENIZER,
        "letters",
        "runs of letters, with the marks that follow them",
        no_arguments,
    ),
    ItemKind(
        "compounds",
        Group.TOKENIZER,
        "compounds",
        "words that single inner apostrophes or hyphens hold together",
        no_arguments,
    ),
    ItemKind(
        "whitespace",
        Group.TOKENIZER,
        "whitespace",
        "whatever stands between white space",
        no_arguments,
    ),
    ItemKind(
        "trec",
        Group.TOKENIZER,
        "trec",
        "runs of ASCII letters and digits as Lemur's TREC reader cuts them: nothing of markup, "
        "<names in brackets> and &entities; company's is company, U.S. is US",
        no_arguments,
    ),
    ItemKind(
        "chars",
        Group.TOKENIZER,
        "chars(m,n)",
        "character n-grams of m to n characters of the whole text",
        gram_range(LONGEST_CHAR_GRAM),
    ),
    ItemKind(
        "chars-in-words",
        Group.TOKENIZER,
        "chars-in-words(m,n)",
        "character n-grams inside words, a space at either end",
        gram_range(LONGEST_CHAR_GRAM),
    ),
    ItemKind("lower", Group.TEXT_STEP, "lower", "lower case", no_arguments),
    ItemKind(
        "casefold",
        Group.TEXT_STEP,
        "casefold",
        "no difference of case at all: ß is ss",
        no_arguments,
    ),
    ItemKind(
        "fold-accents",
        Group.TEXT_STEP,
        "fold-accents",
        "no accents: NFKD without combining marks, after the change of case",
        no_arguments,
    ),
    ItemKind(
        "min",
        Group.WORD_STEP,
        "min(n)",
        "drop words of fewer than n characters",
        one_integer(1, LONGEST_WORD),
    ),
    ItemKind(
        "max",
        Group.WORD_STEP,
        "max(n)",
        "drop words of more than n characters",
        one_integer(1, LONGEST_WORD),
    ),
    ItemKind(
        "numbers",
        Group.WORD_STEP,
        "numbers(keep|fold|drop)",
        "keep numbers, fold each into #, or drop them; numbers(fold,mixed) and "
        "numbers(drop,mixed) take any word with a digit for a number",
        words_of(("keep", "fold", "drop"), ("mixed",), required=1),
    ),
    ItemKind(
        "stop",
        Group.WORD_STEP,
        "stop(LIST)",
        "drop the words of a stop list",
        _one_name(stoplists.canonical_name),
    ),
    ItemKind(
        "stem",
        Group.WORD_STEP,
        "stem(NAME)",
        "replace each word by its stem",
        _one_name(stemmers.canonical_name),
    ),
    ItemKind(
        "ngrams",
        Group.NGRAMS,
        "ngrams(m,n)",
        "sequences of m to n words",
        gram_range(LONGEST_WORD_GRAM),
    ),
)

KINDS = {kind.name: kind for kind in _ALL}


def names(*groups: Group) -> list[str]:
    """List the names of the given groups, in order."""
    return [kind.name for kind in _ALL if kind.group in groups]


def describe() -> dict[str, dict[str, str]]:
    """List what a spec may hold: by group, how an item is written and what it does, in a line."""
    titles = {
        Group.TOKENIZER: "tokenizers",
        Group.TEXT_STEP: "text steps",
        Group.WORD_STEP: "word steps",
        Group.NGRAMS: "n-grams",
    }
    groups = {
        title: {kind.signature: kind.help for kind in _ALL if kind.group == group}
        for group, title in titles.items()
    }
    groups["stop lists"] = {source.signature: source.help for source in stoplists.SOURCES.values()}
    groups["stemmers"] = {
        name: f"also {code}" if code else "" for name, code in stemmers.codes().items()
    }
    return groups

"""The analyzer: a spec at work.

The native tokenizer cuts a text into surface tokens, the word steps map each distinct one, and
n-grams are formed of what is left.

What the native tokenizer is told.

From a spec's word steps to the function that maps distinct words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from postil.errors import UsageError
from postil.text import stemmers, stoplists, words
from postil.text.grammar import Item
from postil.text.spec import AnalyzerSpec
from postil.text.words import Case, WordStep, normalise

if TYPE_CHECKING:
    from postil import _native


Kind = Literal[
    "words",
    "words-python",
    "letters",
    "compounds",
    "whitespace",
    "trec",
    "chars",
    "chars-in-words",
]

_NATIVE_KIND: dict[Kind, str] = {
    "words": "words",
    "words-python": "python_words",
    "letters": "letters",
    "compounds": "compounds",
    "whitespace": "whitespace",
    "trec": "trec",
    "chars": "chars",
    "chars-in-words": "chars_in_words",
}


@dataclass(frozen=True, slots=True)
class TokenizerOptions:
    """How characters are normalised, where tokens begin and end, and which n-grams are formed.

    ``min_length`` is in characters, after normalisation. ``gram_min`` and ``gram_max`` are
    sizes of character n-grams for the kinds that make them, and of word n-grams for the others;
    those are formed after the word steps, not by the tokenizer. ``trec`` takes ASCII alone, and
    has no accents to fold.
    """

    kind: Kind
    case: Case = "keep"
    fold_accents: bool = False
    min_length: int = 1
    gram_min: int = 1
    gram_max: int = 1

    @property
    def makes_char_grams(self) -> bool:
        """Whether tokens are character n-grams rather than words."""
        return self.kind in ("chars", "chars-in-words")

    def to_native(self) -> _native.TokenizerOptions:
        """Say the same as the native core takes it."""
        from postil import _native

        grams = (self.gram_min, self.gram_max) if self.makes_char_grams else (1, 1)
        return _native.TokenizerOptions(
            kind=getattr(_native.TokenKind, _NATIVE_KIND[self.kind]),
            letter_case=getattr(_native.LetterCase, self.case),
            fold_accents=self.fold_accents,
            min_length=self.min_length,
            gram_min=grams[0],
            gram_max=grams[1],
        )


StopLists = Mapping[str, Iterable[str]]

CURLY_APOSTROPHE = "’"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a step may need besides its own arguments."""

    spec: AnalyzerSpec
    stop_lists: StopLists

    def stop_words(self, name: str) -> frozenset[str]:
        """Spell a list's words as the tokenizer does.

        They go through the spec's text steps, as the texts do; a word with a straight
        apostrophe also stands with a curly one.
        """
        spelled = {
            normalise(word, self.spec.case, self.spec.fold_accents)
            for word in self.stop_lists[name]
        }
        return frozenset(spelled | {word.replace("'", CURLY_APOSTROPHE) for word in spelled})


def _number(item: Item) -> int:
    return int(item.arguments[0])


def _word(item: Item) -> str:
    return str(item.arguments[0])


MAKERS: dict[str, Callable[[Item, Setting], WordStep]] = {
    "min": lambda item, _: words.at_least(_number(item)),
    "max": lambda item, _: words.at_most(_number(item)),
    "numbers": lambda item, _: words.fold_numbers(_word(item), mixed="mixed" in item.arguments),
    "stop": lambda item, setting: words.without(setting.stop_words(_word(item))),
    "stem": lambda item, _: stemmers.make_step(_word(item)),
}


def make_word_map(
    steps: Iterable[Item], spec: AnalyzerSpec, stop_lists: StopLists
) -> WordStep | None:
    """Make one function of the steps; None where there are none."""
    setting = Setting(spec, stop_lists)
    made = [MAKERS[item.name](item, setting) for item in steps]
    return words.chain(made) if made else None


Resources = Mapping[str, Iterable[str]]


class Analyzer:
    """Turns texts into tokens as its spec says.

    ``resources`` holds the words of stop lists by name; a list that is not among them is read
    from its package or file when it is first needed. Analyzers do not change, compare by spec
    and stop lists, and pickle with their lists, so that a copy elsewhere needs neither file nor
    package.
    """

    def __init__(self, spec: AnalyzerSpec | str, resources: Resources | None = None) -> None:
        self.spec = spec if isinstance(spec, AnalyzerSpec) else AnalyzerSpec.parse(spec)
        self._given = {name: frozenset(words) for name, words in (resources or {}).items()}
        unknown = self._given.keys() - set(self.spec.stop_lists)
        if unknown:
            raise UsageError(
                f"resources for {', '.join(sorted(unknown))}, which the analyzer spec "
                f"'{self.spec}' does not name; give only the lists of stop(…) items"
            )

    @property
    def resources(self) -> dict[str, list[str]]:
        """The words of every stop list of the spec, sorted: what a model file must carry."""
        return {name: sorted(words) for name, words in self._stop_lists.items()}

    @cached_property
    def word_map(self) -> WordStep | None:
        """What maps a list of distinct words to new words, None for those dropped.

        None where the spec has no word steps but the one the tokenizer does itself.
        """
        _, steps = _split_leading_min(self.spec.steps)
        return make_word_map(steps, self.spec, self._stop_lists)

    def native_options(self) -> TokenizerOptions:
        """Say what the native tokenizer is to do; a leading ``min(n)`` is its part."""
        spec = self.spec
        min_length, _ = _split_leading_min(spec.steps)
        gram_min, gram_max = (spec.tokenizer if spec.makes_char_grams else spec.ngrams).sizes
        return TokenizerOptions(
            kind=_native_kind(spec.tokenizer),
            case=spec.case,
            fold_accents=spec.fold_accents,
            min_length=min_length,
            gram_min=gram_min,
            gram_max=gram_max,
        )

    def tokens(self, text: str | bytes) -> list[str]:
        """Cut one text into tokens, in order; with n-grams, all of one size before the next.

        Bytes are UTF-8. Cost: linear in the text, times the sizes of n-grams asked for.
        """
        from postil import _native

        tokens = self._map_words(_native.tokenize(text, self._native_options))
        return word_grams(tokens, *self.spec.ngrams.sizes)

    @cached_property
    def _stop_lists(self) -> dict[str, frozenset[str]]:
        return {
            name: self._given[name] if name in self._given else stoplists.load(name)
            for name in self.spec.stop_lists
        }

    @cached_property
    def _native_options(self) -> _native.TokenizerOptions:
        return self.native_options().to_native()

    def _map_words(self, tokens: list[str]) -> list[str]:
        if self.word_map is None:
            return tokens
        distinct = list(dict.fromkeys(tokens))
        becomes = dict(zip(distinct, self.word_map(distinct), strict=True))
        return [word for token in tokens if (word := becomes[token]) is not None]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Analyzer):
            return NotImplemented
        return self.spec == other.spec and self._stop_lists == other._stop_lists

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[type[Analyzer], tuple[str, dict[str, list[str]]]]:
        return Analyzer, (str(self.spec), self.resources)

    def __repr__(self) -> str:
        return f"Analyzer({str(self.spec)!r})"


def word_grams(words: list[str], smallest: int, largest: int) -> list[str]:
    """Form the n-grams of a sequence of words, joined by spaces, size by size."""
    if largest == 1:
        return words
    return [
        " ".join(words[start : start + size])
        for size in range(smallest, largest + 1)
        for start in range(len(words) - size + 1)
    ]


def _split_leading_min(steps: tuple[Item, ...]) -> tuple[int, tuple[Item, ...]]:
    if steps and steps[0].name == "min":
        return int(steps[0].arguments[0]), steps[1:]
    return 1, steps


def _native_kind(tokenizer: Item) -> Kind:
    variants = (word for word in tokenizer.arguments if isinstance(word, str))
    return cast(Kind, "-".join((tokenizer.name, *variants)))

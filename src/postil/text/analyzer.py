"""The analyzer: cuts texts into tokens as its spec says.

The native tokenizer cuts a text into surface tokens, the word steps map each distinct token once,
and n-grams are formed of the words that are left. A union does so once for each of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from postil.errors import UsageError
from postil.text import stemmers, stoplists, words
from postil.text.catalogue import CHAR_TOKENIZERS
from postil.text.grammar import Item
from postil.text.parts import term_name
from postil.text.spec import AnalyzerSpec
from postil.text.words import Case, WordStep, normalise

if TYPE_CHECKING:
    from postil import _native

Resources = Mapping[str, Iterable[str]]

CURLY_APOSTROPHE = "’"
_NATIVE_KIND = {"words-python": "python-words", "words-whole-runs": "whole-runs"}


@dataclass(frozen=True, slots=True)
class TokenizerOptions:
    """The settings of the native tokenizer.

    Parameters
    ----------
    kind : str
        Name of the tokenizer, with its variant: ``words``, ``words-python``, ``chars``, ….
    case : {"keep", "lower", "casefold"}
        Change of case, made before tokens are cut.
    fold_accents : bool
        Whether accents are dropped; ``trec`` reads ASCII alone and ignores it.
    min_length : int
        Length of the shortest token, in characters, after normalisation.
    gram_min, gram_max : int
        Sizes of character n-grams for the kinds that make them. For the other kinds they are the
        sizes of word n-grams, which are formed after the word steps and not by the tokenizer.
    """

    kind: str
    case: Case = "keep"
    fold_accents: bool = False
    min_length: int = 1
    gram_min: int = 1
    gram_max: int = 1

    @property
    def makes_char_grams(self) -> bool:
        """True if tokens are character n-grams rather than words."""
        return self.kind in CHAR_TOKENIZERS

    def to_native(self) -> _native.TokenizerOptions:
        """Return the same settings for the native core."""
        from postil import _native

        kind = _NATIVE_KIND.get(self.kind, self.kind).replace("-", "_")
        grams = (self.gram_min, self.gram_max) if self.makes_char_grams else (1, 1)
        return _native.TokenizerOptions(
            kind=getattr(_native.TokenKind, kind),
            letter_case=getattr(_native.LetterCase, self.case),
            fold_accents=self.fold_accents,
            min_length=self.min_length,
            gram_min=grams[0],
            gram_max=grams[1],
        )


class Analyzer:
    """Cuts texts into tokens.

    ``word_map``, ``native_options`` and ``map_words`` of a union are those of its first part;
    ``parts`` has an analyzer for each. Analyzers are immutable. They compare by spec and stop
    lists, and they are pickled with their lists, so that a copy elsewhere needs neither file nor
    package.

    Parameters
    ----------
    spec : AnalyzerSpec or str
        For example ``"words lower stop(snowball:en) stem(porter)"``.
    resources : mapping of str to iterable of str, optional
        Words of the spec's stop lists by name. A list that is not among them is read from its
        package or file when it is first needed.
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
    def parts(self) -> tuple[Analyzer, ...]:
        """The analyzers of a union; any other analyzer is its only part."""
        return self._union or (self,)

    @cached_property
    def _union(self) -> tuple[Analyzer, ...]:
        if not self.spec.further:
            return ()
        return tuple(
            Analyzer(
                part, {name: self._given[name] for name in part.stop_lists if name in self._given}
            )
            for part in self.spec.parts
        )

    @property
    def resources(self) -> dict[str, list[str]]:
        """The sorted words of every stop list of the spec, which a model file carries."""
        return {name: sorted(words) for name, words in self._stop_lists.items()}

    @cached_property
    def word_map(self) -> WordStep | None:
        """The word steps as one function; None if the tokenizer does all of them itself."""
        _, steps = _split_leading_min(self.spec.steps)
        return words.chain([MAKERS[step.name](self, step) for step in steps]) if steps else None

    def native_options(self) -> TokenizerOptions:
        """Return the settings of the native tokenizer, which include a leading ``min(n)``."""
        spec = self.spec
        min_length, _ = _split_leading_min(spec.steps)
        gram_min, gram_max = (spec.tokenizer if spec.makes_char_grams else spec.ngrams).sizes
        variants = (word for word in spec.tokenizer.arguments if isinstance(word, str))
        return TokenizerOptions(
            kind="-".join((spec.tokenizer.name, *variants)),
            case=spec.case,
            fold_accents=spec.fold_accents,
            min_length=min_length,
            gram_min=gram_min,
            gram_max=gram_max,
        )

    def tokens(self, text: str | bytes) -> list[str]:
        """Cut one text into tokens, in order; with n-grams, all of one size before the next.

        A union gives the tokens of each part after those of the part before it, under the names of
        :mod:`postil.text.parts`. Bytes are UTF-8. The cost is linear in the text, times the number
        of n-gram sizes.
        """
        from postil import _native

        if self._union:
            names = self.spec.part_names
            return [
                term_name(names, number, token)
                for number, part in enumerate(self.parts)
                for token in part.tokens(text)
            ]
        surface = _native.tokenize(text, self._native_options)
        mapped = [word for word in self.map_words(surface) if word is not None]
        return word_grams(mapped, *self.spec.ngrams.sizes)

    def map_words(self, tokens: list[str]) -> list[str | None]:
        """Run the word steps on each token; the result is None for tokens they drop."""
        if self.word_map is None:
            return list(tokens)
        distinct = list(dict.fromkeys(tokens))
        becomes = dict(zip(distinct, self.word_map(distinct), strict=True))
        return [becomes[token] for token in tokens]

    @cached_property
    def _stop_lists(self) -> dict[str, frozenset[str]]:
        return {
            name: self._given[name] if name in self._given else stoplists.load(name)
            for name in self.spec.stop_lists
        }

    def _stop_words(self, name: str) -> frozenset[str]:
        """Return a list's words in the spelling of the tokenizer.

        They go through the spec's text steps, as texts do; a word with a straight apostrophe
        also occurs with a curly one.
        """
        spec = self.spec
        spelled = {normalise(word, spec.case, spec.fold_accents) for word in self._stop_lists[name]}
        return frozenset(spelled | {word.replace("'", CURLY_APOSTROPHE) for word in spelled})

    @cached_property
    def _native_options(self) -> _native.TokenizerOptions:
        return self.native_options().to_native()

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


MAKERS: dict[str, Callable[[Analyzer, Item], WordStep]] = {
    "min": lambda _, item: words.at_least(int(item.arguments[0])),
    "max": lambda _, item: words.at_most(int(item.arguments[0])),
    "numbers": lambda _, item: words.fold_numbers(
        str(item.arguments[0]), mixed="mixed" in item.arguments
    ),
    "stop": lambda analyzer, item: words.without(analyzer._stop_words(str(item.arguments[0]))),
    "stem": lambda _, item: stemmers.make_step(str(item.arguments[0])),
}


def word_grams(words: list[str], smallest: int, largest: int) -> list[str]:
    """Return the n-grams of a sequence of words, joined by spaces, size by size."""
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

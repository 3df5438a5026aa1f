"""Where tokens stand in the text they were made of.

A place is the stretch [start, end) of the original text, in characters of the ``str`` (of the
decoded text where it was bytes), whatever case and accent folding made of it:

- a character that becomes several (ß as ss, ½ as 1⁄2) belongs to every token that holds a part;
- an accent that is dropped belongs to the token before it;
- a run of white space counts as one character of a character n-gram, and stands whole;
- the space that pads a word of ``chars-in-words`` stands nowhere: its stretch is empty;
- a word n-gram stands from its first word to its last, with whatever was dropped in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from postil.common.types import Ints
from postil.text.analyzer import Analyzer, word_grams


class TokenSpan(NamedTuple):
    """A token and the stretch of the text it stands on."""

    token: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenSpans:
    """Tokens in order with the stretch of each, held as columns."""

    tokens: list[str]
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> TokenSpan:
        return TokenSpan(self.tokens[index], int(self.starts[index]), int(self.ends[index]))

    def __iter__(self) -> Iterator[TokenSpan]:
        columns = (self.tokens, self.starts.tolist(), self.ends.tolist())
        return map(TokenSpan._make, zip(*columns, strict=True))


def token_spans(analyzer: Analyzer, text: str | bytes) -> TokenSpans:
    """Find the surface tokens: those the analyzer's tokenizer makes, before its word steps.

    Cost: linear in the text, times the sizes of character n-grams.
    """
    from postil import _native

    return TokenSpans(*_native.token_places(text, analyzer.native_options().to_native()))


def term_spans(analyzer: Analyzer, text: str | bytes) -> TokenSpans:
    """Find what ``analyzer.tokens(text)`` lists, in its order: words after the steps, n-grams.

    Cost: linear in the text, times the sizes of n-grams.
    """
    mapped = _map_words(analyzer, token_spans(analyzer, text))
    smallest, largest = analyzer.spec.ngrams.sizes
    if largest == 1:
        return mapped
    sizes = range(smallest, min(largest, len(mapped)) + 1)
    nowhere = np.empty(0, dtype=np.int64)
    return TokenSpans(
        word_grams(mapped.tokens, smallest, largest),
        np.concatenate([nowhere, *(mapped.starts[: len(mapped) - size + 1] for size in sizes)]),
        np.concatenate([nowhere, *(mapped.ends[size - 1 :] for size in sizes)]),
    )


def _map_words(analyzer: Analyzer, surface: TokenSpans) -> TokenSpans:
    """Run the word steps; a word they drop has no place left."""
    if analyzer.word_map is None:
        return surface
    distinct = list(dict.fromkeys(surface.tokens))
    becomes = dict(zip(distinct, analyzer.word_map(distinct), strict=True))
    words = [becomes[token] for token in surface.tokens]
    kept = np.fromiter((word is not None for word in words), dtype=bool, count=len(words))
    return TokenSpans(
        [word for word in words if word is not None], surface.starts[kept], surface.ends[kept]
    )

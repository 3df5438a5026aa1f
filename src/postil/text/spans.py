"""Tokens with their places in the text.

A place is the stretch [start, end) of the original text, in characters of the ``str`` (of the
decoded text for bytes), whatever case and accent folding did to it:

- a character that becomes several (ß as ss, ½ as 1⁄2) belongs to every token that holds a part;
- an accent that is dropped belongs to the token before it;
- a run of white space counts as one character of a character n-gram, with its whole stretch;
- the space that pads a word of ``chars-in-words`` has an empty stretch;
- a word n-gram reaches from its first word to its last, with whatever was dropped in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from postil.common.types import Ints
from postil.text.analyzer import Analyzer, word_grams


class TokenSpan(NamedTuple):
    """A token and its stretch of the text."""

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
    """Return the surface tokens, those that the tokenizer makes before the word steps."""
    from postil import _native

    return TokenSpans(*_native.token_places(text, analyzer.native_options().to_native()))


def term_spans(analyzer: Analyzer, text: str | bytes) -> TokenSpans:
    """Return the tokens of ``analyzer.tokens(text)`` with their places, in the same order."""
    surface = token_spans(analyzer, text)
    mapped = analyzer.map_words(surface.tokens)
    kept = np.fromiter((word is not None for word in mapped), dtype=bool, count=len(mapped))
    words = [word for word in mapped if word is not None]
    starts, ends = surface.starts[kept], surface.ends[kept]
    smallest, largest = analyzer.spec.ngrams.sizes
    if largest == 1:
        return TokenSpans(words, starts, ends)
    sizes = range(smallest, min(largest, len(words)) + 1)
    nowhere = np.empty(0, dtype=np.int64)
    return TokenSpans(
        word_grams(words, smallest, largest),
        np.concatenate([nowhere, *(starts[: len(words) - size + 1] for size in sizes)]),
        np.concatenate([nowhere, *(ends[size - 1 :] for size in sizes)]),
    )

"""Texts to counted terms: the analyzer's steps, run by the native core."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from postil import _native
from postil.text.analyzer import Analyzer
from postil.text.words import WordStep
from postil.vectors.fields import Columns, Fields


class TermCounter:
    """Counts the terms of documents as an analyzer and a choice of fields say.

    Cost: linear in the texts. Word steps run once for each distinct word of a call.
    """

    def __init__(self, analyzer: Analyzer, fields: Fields, threads: int) -> None:
        self.analyzer = analyzer
        self.fields = fields
        self.threads = threads
        options = analyzer.native_options()
        self._options = options.to_native()
        self._grams = (
            None
            if options.makes_char_grams or options.gram_max == 1
            else (options.gram_min, options.gram_max)
        )
        self._spaces = fields.spaces

    @cached_property
    def _word_map(self) -> WordStep | None:
        word_map = self.analyzer.word_map
        return None if word_map is None else RememberingWordMap(word_map)

    def count(self, columns: Columns, *, tallies: bool = False) -> _native.Batch:
        """Count documents given as columns of texts, one for each field.

        With ``tallies``, words are added up as well, for a collector of terms.
        """
        in_sequence = self._grams is not None
        batch = _native.count_texts(
            columns, self._spaces, self._options, in_sequence, tallies, self.threads
        )
        if self._word_map is not None:
            batch.rename_words(self._word_map, self.threads)
        if self._grams is not None:
            batch.form_grams(*self._grams, self.threads)
        return batch


def token_counter(spec: str, threads: int = 1) -> Callable[[list[str]], list[int]]:
    """What counts the surface tokens of texts: those a spec's tokenizer makes, before its steps."""
    options = Analyzer(spec).native_options().to_native()
    return lambda texts: _native.count_tokens(texts, options, threads)


class RememberingWordMap:
    """A word map that remembers what became of the words of small requests.

    Documents that come one at a time share most of their words, and a look-up is far cheaper
    than a stem. Large requests hold each word once already and go straight through.
    """

    SMALL_REQUEST = 2_000
    MOST_REMEMBERED = 200_000

    def __init__(self, word_map: WordStep) -> None:
        self._word_map = word_map
        self._remembered: dict[str, str | None] = {}

    def __call__(self, words: list[str]) -> list[str | None]:
        """Map words as the map it wraps does."""
        if len(words) > self.SMALL_REQUEST:
            return self._word_map(words)
        if len(self._remembered) + len(words) > self.MOST_REMEMBERED:
            self._remembered = {}
        known = self._remembered
        unknown = [word for word in words if word not in known]
        if unknown:
            known.update(zip(unknown, self._word_map(unknown), strict=True))
        return [known[word] for word in words]

"""The way from columns of texts to counted terms, as the native core takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

from postil import _native
from postil.text.analyzer import Analyzer
from postil.text.words import WordStep
from postil.vectors.fields import Fields


class CachingWordMap:
    """A word map that caches the results of small requests.

    Documents that come one at a time share most of their words, and a look-up is far cheaper
    than a stem. Large requests hold each word once already and go straight through.
    """

    SMALL_REQUEST = 2_000
    MOST_CACHED = 200_000

    def __init__(self, word_map: WordStep) -> None:
        self._word_map = word_map
        self._cached: dict[str, str | None] = {}

    def __call__(self, words: list[str]) -> list[str | None]:
        """Map words with the wrapped map."""
        if len(words) > self.SMALL_REQUEST:
            return self._word_map(words)
        if len(self._cached) + len(words) > self.MOST_CACHED:
            self._cached = {}
        known = self._cached
        unknown = [word for word in words if word not in known]
        if unknown:
            known.update(zip(unknown, self._word_map(unknown), strict=True))
        return [known[word] for word in words]


class Counting(NamedTuple):
    """The readings of columns of texts, and the word steps of the parts that have some."""

    readings: list[_native.Reading]
    word_maps: list[WordStep]
    forms_grams: bool


def counting_of(analyzer: Analyzer, fields: Fields) -> Counting:
    """Return the readings of each column by each part of an analyzer."""
    word_maps: list[WordStep] = []
    settings: list[dict[str, Any]] = []
    for part in analyzer.parts:
        number = None if part.word_map is None else len(word_maps)
        options = part.native_options().to_native()
        settings.append({"options": options, "word_map": number, "grams": part.spec.ngrams.sizes})
        word_maps += [] if part.word_map is None else [part.word_map]
    readings = [
        _native.Reading(column=column, space=space, **settings[part])
        for part, column, space in fields.readings
    ]
    forms_grams = any(setting["grams"][1] > 1 for setting in settings)
    return Counting(readings, word_maps, forms_grams)

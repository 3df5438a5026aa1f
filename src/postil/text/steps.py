"""From a spec's word steps to the function that maps distinct words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from postil.text import stemmers, words
from postil.text.folding import normalise
from postil.text.items import Item
from postil.text.spec import AnalyzerSpec
from postil.text.words import WordStep

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

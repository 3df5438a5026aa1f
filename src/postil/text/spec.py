"""An analyzer spec: the line of text that says how a text becomes tokens.

::

    spec       = tokenizer text-step* word-step* ngrams?
    item       = name | name(argument, …)
    tokenizer  = words | words(python) | letters | compounds | whitespace
               | trec | chars(m,n) | chars-in-words(m,n)
    text-step  = lower | casefold | fold-accents
    word-step  = min(n) | max(n) | numbers(keep|fold|drop) | stop(LIST) | stem(NAME)
    ngrams     = ngrams(m,n)

``str(spec)`` prints the canonical form, and parsing that gives the same spec.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NoReturn

from postil.common.suggest import advise, near_names
from postil.errors import SpecError
from postil.text.catalogue import ASCII_TOKENIZERS, CHAR_TOKENIZERS, KINDS, names
from postil.text.grammar import ArgumentError, Group, Item, RawItem, scan
from postil.text.words import Case

UNIGRAMS = Item("ngrams", (1,))

# In canonical order. What a text step changes in the spec; each field is changed once.
_TEXT_STEPS: dict[str, dict[str, Any]] = {
    "lower": {"case": "lower"},
    "casefold": {"case": "casefold"},
    "fold-accents": {"fold_accents": True},
}

_OUT_OF_ORDER = {
    Group.TOKENIZER: "a spec has one tokenizer, its first item, and {other!r} is there already",
    Group.TEXT_STEP: (
        "it acts on characters, before words are cut and word steps see them; "
        "write it before {other!r}"
    ),
    Group.WORD_STEP: (
        "word steps act before n-grams are formed of the words they leave; "
        "write it before {other!r}"
    ),
    Group.NGRAMS: "n-grams are formed once, and {other!r} is there already",
}
_ONCE = (Group.TOKENIZER, Group.NGRAMS)


@dataclass(frozen=True, slots=True)
class AnalyzerSpec:
    """How a text becomes tokens. Made by ``parse``, which checks everything."""

    tokenizer: Item
    case: Case = "keep"
    fold_accents: bool = False
    steps: tuple[Item, ...] = ()
    ngrams: Item = UNIGRAMS

    @classmethod
    def parse(cls, text: str) -> AnalyzerSpec:
        """Read a spec; a SpecError names the item, its place, and what is allowed there."""
        if not isinstance(text, str):
            raise SpecError(f"an analyzer spec is a text such as 'words lower', received {text!r}")
        return _parsed(text)

    def __str__(self) -> str:
        items = [str(self.tokenizer)]
        for name, change in _TEXT_STEPS.items():
            items.extend(name for field, value in change.items() if getattr(self, field) == value)
        items.extend(map(str, self.steps))
        if self.ngrams != UNIGRAMS:
            items.append(str(self.ngrams))
        return " ".join(items)

    @property
    def makes_char_grams(self) -> bool:
        """Whether tokens are character n-grams rather than words."""
        return self.tokenizer.name in CHAR_TOKENIZERS

    @property
    def stop_lists(self) -> tuple[str, ...]:
        """The names of the stop lists, each once, in order."""
        found = (str(step.arguments[0]) for step in self.steps if step.name == "stop")
        return tuple(dict.fromkeys(found))


@lru_cache(maxsize=256)
def _parsed(text: str) -> AnalyzerSpec:
    # Remembered, for the same few specs come again and again, with every small call.
    parser = _Parser(text)
    for raw in scan(text):
        parser.take(raw)
    return parser.result()


class _Parser:
    """Takes items one by one, in the order of their groups, and builds the spec."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spec: AnalyzerSpec | None = None
        self.first_of: dict[Group, RawItem] = {}

    def take(self, raw: RawItem) -> None:
        kind = KINDS.get(raw.name)
        if kind is None:
            self.refuse(
                raw, f"no such item{advise(near_names(raw.name, KINDS), self.allowed_names())}"
            )
        self.check_order(raw, kind.group)
        try:
            item = Item(raw.name, kind.read(raw.arguments))
        except ArgumentError as error:
            self.refuse(raw, f"{kind.signature}: {error}")
        self.spec = self.extended(raw, kind.group, item)
        self.first_of.setdefault(kind.group, raw)

    def result(self) -> AnalyzerSpec:
        if self.spec is None:
            raise SpecError(
                f"analyzer spec {self.text!r}: it is empty; it begins with a tokenizer: "
                + ", ".join(names(Group.TOKENIZER))
            )
        return self.spec

    def allowed_names(self) -> list[str]:
        if self.spec is None:
            return names(Group.TOKENIZER)
        reached = max(self.first_of)
        return names(*(g for g in Group if g > reached or (g == reached and g not in _ONCE)))

    def check_order(self, raw: RawItem, group: Group) -> None:
        if self.spec is None and group != Group.TOKENIZER:
            allowed = ", ".join(names(Group.TOKENIZER))
            self.refuse(raw, f"a spec begins with a tokenizer. Allowed: {allowed}")
        barred = [g for g in self.first_of if g > group or (g == group and g in _ONCE)]
        if barred:
            other = self.first_of[min(barred)].written
            self.refuse(raw, _OUT_OF_ORDER[group].format(other=other))

    def extended(self, raw: RawItem, group: Group, item: Item) -> AnalyzerSpec:
        spec = self.spec
        if spec is None:
            return AnalyzerSpec(item)
        if group == Group.TEXT_STEP:
            return self.with_text_step(raw, spec)
        if spec.makes_char_grams:
            self.refuse(raw, f"{spec.tokenizer} makes character n-grams, and this acts on words")
        if group == Group.NGRAMS:
            return replace(spec, ngrams=item)
        if item.name == "numbers" and item.arguments[0] == "keep":
            return spec  # what happens anyway
        return replace(spec, steps=(*spec.steps, item))

    def with_text_step(self, raw: RawItem, spec: AnalyzerSpec) -> AnalyzerSpec:
        if raw.name == "fold-accents" and spec.tokenizer.name in ASCII_TOKENIZERS:
            self.refuse(raw, f"{spec.tokenizer} takes ASCII letters alone, which have no accents")
        changed = replace(spec, **_TEXT_STEPS[raw.name])
        for name, change in _TEXT_STEPS.items():
            if change.keys() == _TEXT_STEPS[raw.name].keys() and replace(spec, **change) == spec:
                self.refuse(raw, f"{name!r} is there already; keep one of them")
        return changed

    def refuse(self, raw: RawItem, reason: str) -> NoReturn:
        raise SpecError(
            f"analyzer spec {self.text!r}, item {raw.number} {raw.written!r} "
            f"(column {raw.column}): {reason}"
        )

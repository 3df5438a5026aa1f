"""Analyzer specs: short texts that say how a document becomes tokens.

::

    spec       = part { + part }
    part       = tokenizer text-step* word-step* ngrams?
    item       = name | name(argument, …)
    tokenizer  = words | words(python) | words(whole-runs) | letters | compounds
               | whitespace | trec | chars(m,n) | chars-in-words(m,n)
    text-step  = lower | casefold | fold-accents
    word-step  = min(n) | max(n) | numbers(keep|fold|drop) | stop(LIST) | stem(NAME)
    ngrams     = ngrams(m,n)

The parts of a union read the same text, each by itself, and their terms stand side by side.
``str(spec)`` prints the canonical form, and parsing that gives the same spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from postil.common.suggest import advise, near_names
from postil.errors import SpecError
from postil.text.catalogue import ASCII_TOKENIZERS, CHAR_TOKENIZERS, KINDS, names
from postil.text.grammar import ArgumentError, Group, Item, ItemKind, RawItem, scan
from postil.text.words import Case

UNIGRAMS = Item("ngrams", (1,))
UNION = "+"
MOST_PARTS = 8

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

# The items of specs in model files that stand for another item elsewhere: `words` kept every run
# whole when the first files were written, and in a file it still does.
_RESTORED = {"words": "words(whole-runs)", "words(bigrams)": "words"}
_STORED = {item: stored for stored, item in _RESTORED.items()}


@dataclass(frozen=True, slots=True)
class AnalyzerSpec:
    """A parsed spec; ``parse`` makes and checks it.

    The attributes of a union are those of its first part, but ``further`` holds the other parts.
    """

    tokenizer: Item
    case: Case = "keep"
    fold_accents: bool = False
    steps: tuple[Item, ...] = ()
    ngrams: Item = UNIGRAMS
    further: tuple[AnalyzerSpec, ...] = ()

    @classmethod
    def parse(cls, text: str) -> AnalyzerSpec:
        """Parse a spec; a SpecError names the item, its place, and what is allowed there."""
        if not isinstance(text, str):
            raise SpecError(
                f"an analyzer spec must be a text such as 'words lower', received {text!r}"
            )
        return _parsed(text)

    def __str__(self) -> str:
        if self.further:
            return f" {UNION} ".join(map(str, self.parts))
        items = [str(self.tokenizer)]
        for name, change in _TEXT_STEPS.items():
            items.extend(name for field, value in change.items() if getattr(self, field) == value)
        items.extend(map(str, self.steps))
        if self.ngrams != UNIGRAMS:
            items.append(str(self.ngrams))
        return " ".join(items)

    @property
    def parts(self) -> tuple[AnalyzerSpec, ...]:
        """The parts of a union; a spec without ``+`` is its only part."""
        return (replace(self, further=()), *self.further)

    @property
    def part_names(self) -> tuple[str, ...]:
        """The names of the further parts, which their terms begin with; equals are numbered."""
        kinds = [_kind_of(part) for part in self.further]
        counts = [kinds[: place + 1].count(kind) for place, kind in enumerate(kinds)]
        return tuple(
            f"{kind}{count if count > 1 else ''}" for kind, count in zip(kinds, counts, strict=True)
        )

    @property
    def makes_char_grams(self) -> bool:
        """True if tokens are character n-grams rather than words."""
        return self.tokenizer.name in CHAR_TOKENIZERS

    @property
    def stop_lists(self) -> tuple[str, ...]:
        """The names of the stop lists, each once, in order."""
        steps = (step for part in self.parts for step in part.steps)
        found = (str(step.arguments[0]) for step in steps if step.name == "stop")
        return tuple(dict.fromkeys(found))


def to_stored(text: str) -> str:
    """Return a spec as model files hold it: an older postil reads it right or refuses it."""
    return _renamed(text, _STORED)


def from_stored(text: str) -> str:
    """Return the spec that a model file holds."""
    return _renamed(text, _RESTORED)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    pieces, at = [], 0
    for raw in scan(text):
        start = raw.column - 1
        written = names.get(str(Item(raw.name, raw.arguments)), raw.written)
        pieces += [text[at:start], written]
        at = start + len(raw.written)
    return "".join([*pieces, text[at:]])


def _kind_of(part: AnalyzerSpec) -> str:
    if part.makes_char_grams:
        return "chars"
    if any(step.name == "stem" for step in part.steps):
        return "stem"
    return part.tokenizer.name if part.ngrams == UNIGRAMS else "ngrams"


@lru_cache(maxsize=256)
def _parsed(text: str) -> AnalyzerSpec:
    # The same few specs are parsed with every small call.
    items: list[list[RawItem]] = [[]]
    for raw in scan(text):
        if raw.written == UNION:
            items.append([])
        else:
            items[-1].append(raw)
    if len(items) > MOST_PARTS:
        raise SpecError(
            f"analyzer spec {text!r}: a union has at most {MOST_PARTS} parts, received {len(items)}"
        )
    parts = [_parsed_part(text, number, part) for number, part in enumerate(items, 1)]
    for number, part in enumerate(parts, 1):
        if part in parts[: number - 1]:
            raise SpecError(
                f"analyzer spec {text!r}: part {number}, '{part}', is there already; keep one"
            )
    return replace(parts[0], further=tuple(parts[1:]))


def _parsed_part(text: str, number: int, items: list[RawItem]) -> AnalyzerSpec:
    spec: AnalyzerSpec | None = None
    first_of: dict[Group, RawItem] = {}
    for raw in items:
        try:
            kind = _kind(raw.name, first_of)
            item = _item(kind, raw)
            spec = AnalyzerSpec(item) if spec is None else _extended(spec, kind.group, item)
        except ArgumentError as error:
            raise SpecError(
                f"analyzer spec {text!r}, item {raw.number} {raw.written!r} "
                f"(column {raw.column}): {error}"
            ) from None
        first_of.setdefault(kind.group, raw)
    if spec is None:
        empty = f"part {number} of the union is empty" if text.strip() else "it is empty"
        raise SpecError(
            f"analyzer spec {text!r}: {empty}; it begins with a tokenizer: "
            + ", ".join(names(Group.TOKENIZER))
        )
    return spec


def _kind(name: str, first_of: dict[Group, RawItem]) -> ItemKind:
    """Return the kind of an item; raise ArgumentError if it may not follow the items before it."""
    kind = KINDS.get(name)
    if kind is None:
        reached = max(first_of, default=Group.TOKENIZER)
        still_open = [g for g in Group if g > reached or (g == reached and g not in _ONCE)]
        allowed = names(*(still_open if first_of else [Group.TOKENIZER]))
        raise ArgumentError(f"no such item{advise(near_names(name, KINDS), allowed)}")
    group = kind.group
    if not first_of and group != Group.TOKENIZER:
        allowed = names(Group.TOKENIZER)
        raise ArgumentError(f"a spec begins with a tokenizer. Allowed: {', '.join(allowed)}")
    barred = [g for g in first_of if g > group or (g == group and g in _ONCE)]
    if barred:
        raise ArgumentError(_OUT_OF_ORDER[group].format(other=first_of[min(barred)].written))
    return kind


def _item(kind: ItemKind, raw: RawItem) -> Item:
    try:
        return Item(raw.name, kind.read(raw.arguments))
    except ArgumentError as error:
        raise ArgumentError(f"{kind.signature}: {error}") from None


def _extended(spec: AnalyzerSpec, group: Group, item: Item) -> AnalyzerSpec:
    if group == Group.TEXT_STEP:
        if item.name == "fold-accents" and spec.tokenizer.name in ASCII_TOKENIZERS:
            raise ArgumentError(
                f"{spec.tokenizer} takes ASCII letters alone, which have no accents"
            )
        wanted = _TEXT_STEPS[item.name]
        for name, change in _TEXT_STEPS.items():
            if change.keys() == wanted.keys() and replace(spec, **change) == spec:
                raise ArgumentError(f"{name!r} is there already; keep one of them")
        return replace(spec, **wanted)
    if spec.makes_char_grams:
        raise ArgumentError(f"{spec.tokenizer} makes character n-grams, and this acts on words")
    if group == Group.NGRAMS:
        return replace(spec, ngrams=item)
    if item.name == "numbers" and item.arguments[0] == "keep":
        return spec  # the default
    return replace(spec, steps=(*spec.steps, item))

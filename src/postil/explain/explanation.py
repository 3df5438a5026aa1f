"""The explanation of a decision: its numbers, and the sentences and tables that show them.

The page, the terminal and JSON all show the same numbers and sentences.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from postil.common.escaping import visible
from postil.common.numbers import probability_text
from postil.common.types import Floats, Ints
from postil.explain.flips import Addition, Flips, Removal
from postil.explain.reading import UNKNOWN, DocumentTerms, FieldPlace
from postil.explain.rule import Circumstance, Figures, counted, list_of
from postil.text.analyzer import Analyzer
from postil.text.spans import token_spans

SHOWN_IN_SET = 12
SHOWN_ADDITIONS = 6
SHOWN_UNKNOWN = 12
LONGEST_WORD = 40
WORDS = Analyzer("words")  # of scripts without spaces: overlapping pairs of characters


@dataclass(frozen=True, slots=True)
class TermShare:
    """A term of the document: its weight in the model, its value in the vector, their product.

    The value is multiplied by the document's factor, where there is one.
    """

    term: str
    count: int
    weight: float
    value: float
    added: float


@dataclass(frozen=True, slots=True)
class WordShare:
    """A word of the text, and what the terms on it added together."""

    word: str
    count: int
    added: float


@dataclass(frozen=True, slots=True)
class UnknownTerm:
    """A term of the document that the model has never seen."""

    term: str
    count: int


class _Standing(NamedTuple):
    """The words of all fields as they follow, and the pairs of a term and a word that it touches.

    ``within`` counts the places of terms that are smaller than the word they stand in.
    """

    texts: list[str]
    terms: Ints
    words: Ints
    within: int


@dataclass(frozen=True)
class Explanation:
    """The parts of a linear model's decision on one document and category.

    ``margin`` = ``intercept`` + ``constant`` + Σ ``added`` - ``bar``, and the category is given
    where the margin reaches the ``threshold``. ``constant`` is what the vectorizer's constant
    feature adds, 0 where there is none. ``factor`` scales the document's values, and other
    categories set the ``bar``: 1 and 0 where there are none; ``circumstances`` explain them. Where
    categories compete, the margin is the lead over the category ``rather_than``. ``title`` names
    both as people call them. Memory: a few numbers for each distinct term; tables are made when
    they are read.
    """

    document: DocumentTerms
    category: str
    weights: Floats
    intercept: float
    constant: float
    margin: float
    threshold: float
    accepted: bool
    probability: float | None
    flips: Flips
    note: str = ""
    factor: float = 1.0
    bar: float = 0.0
    circumstances: tuple[Circumstance, ...] = ()
    rather_than: str | None = None
    title: str = ""

    @cached_property
    def values(self) -> Floats:
        """The value of each term of the document, times the factor."""
        return self.factor * self.document.values

    @cached_property
    def added(self) -> Floats:
        """The amount that each term added to the margin, in the document's order of terms."""
        return self.weights * self.values

    @cached_property
    def terms(self) -> tuple[TermShare, ...]:
        """The terms the model knows, by the size of what they added; equals in reading order."""
        document = self.document
        known = np.flatnonzero(document.columns != UNKNOWN)
        order = known[np.argsort(-np.abs(self.added[known]), kind="stable")]
        return tuple(
            TermShare(
                document.names[index],
                int(document.counts[index]),
                float(self.weights[index]),
                float(self.values[index]),
                float(self.added[index]),
            )
            for index in order.tolist()
        )

    @cached_property
    def up(self) -> tuple[TermShare, ...]:
        """The terms that pushed the margin up, the strongest first."""
        return tuple(share for share in self.terms if share.added > 0)

    @cached_property
    def down(self) -> tuple[TermShare, ...]:
        """The terms that pushed the margin down, the strongest first."""
        return tuple(share for share in self.terms if share.added < 0)

    @cached_property
    def neutral(self) -> tuple[TermShare, ...]:
        """The terms the model knows that added nothing to this category."""
        return tuple(share for share in self.terms if share.added == 0)

    @cached_property
    def unknown(self) -> tuple[UnknownTerm, ...]:
        """The terms the model does not know, the most frequent first."""
        document = self.document
        ids = np.flatnonzero(document.columns == UNKNOWN)
        ids = ids[np.argsort(-document.counts[ids], kind="stable")]
        return tuple(UnknownTerm(document.names[i], int(document.counts[i])) for i in ids)

    @cached_property
    def words(self) -> tuple[WordShare, ...]:
        """The words by the size of what they added, if most terms are parts of words; else none.

        What a term added is shared by the words that it touches.
        """
        standing = self._standing
        if 2 * standing.within <= len(self.document.pieces.terms):
            return ()
        touched = np.bincount(standing.terms, minlength=len(self.document))
        shares = self.added[standing.terms] / touched[standing.terms]
        added = np.bincount(standing.words, shares, len(standing.texts)).tolist()
        counts = Counter(standing.texts)
        sums: dict[str, float] = dict.fromkeys(counts, 0.0)
        for word, each in zip(standing.texts, added, strict=True):
            sums[word] += each
        found = (WordShare(word, counts[word], each) for word, each in sums.items())
        return tuple(sorted(found, key=lambda share: -abs(share.added)))

    def words_of(self, terms: Sequence[str]) -> Counter[str]:
        """Return the words that some terms touch, with the number of places."""
        numbers = {name: number for number, name in enumerate(self.document.names)}
        chosen = np.isin(self._standing.terms, [numbers[term] for term in terms])
        return Counter(self._standing.texts[word] for word in self._standing.words[chosen].tolist())

    @cached_property
    def _standing(self) -> _Standing:
        pieces = self.document.pieces
        texts: list[str] = []
        terms, words, within = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
        for number, part in enumerate(self.document.parts):
            spans = token_spans(WORDS, part.text)
            starts, ends = spans.starts, spans.ends
            own = pieces.parts == number
            first = np.searchsorted(ends, pieces.starts[own], side="right")
            last = np.searchsorted(starts, pieces.ends[own], side="left")
            touched = np.maximum(last - first, 0)
            each = np.repeat(np.arange(len(first)), touched)
            word = first[each] + np.arange(len(each)) - (np.cumsum(touched) - touched)[each]
            sizes = (pieces.ends - pieces.starts)[own][each]
            within += int(((touched[each] == 1) & (sizes < (ends - starts)[word])).sum())
            terms.append(pieces.terms[own][each])
            words.append(word + len(texts))
            texts += [token.casefold() for token in spans.tokens]
        return _Standing(texts, np.concatenate(terms), np.concatenate(words), within)

    @cached_property
    def places(self) -> Mapping[str, tuple[FieldPlace, ...]]:
        """The places of each term in the text, in reading order."""
        document, pieces = self.document, self.document.pieces
        found: dict[str, list[FieldPlace]] = {name: [] for name in document.names}
        columns = (pieces.terms, pieces.parts, pieces.starts, pieces.ends)
        for term, part, start, end in zip(*(c.tolist() for c in columns), strict=True):
            found[document.names[term]].append(FieldPlace(document.parts[part].field, start, end))
        return {name: tuple(places) for name, places in found.items()}

    def to_dict(self, *, texts: bool = False) -> dict[str, Any]:
        """Return everything as JSON can hold it; with ``texts``, the fields as well.

        An infinite threshold, which no margin can reach or miss, is null.
        """
        flips, near = self.flips, self.flips.nearest_addition
        found: dict[str, Any] = {
            "document": self.document.id,
            "category": self.category,
            "rather_than": self.rather_than,
            "decision": self.accepted,
            "margin": self.margin,
            "threshold": self.threshold if math.isfinite(self.threshold) else None,
            "probability": self.probability,
            "intercept": self.intercept,
            "constant": self.constant,
            "note": self.note,
            "terms": [self._with_places(share) for share in self.terms],
            "unknown": [self._with_places(term) for term in self.unknown],
            "flips": {
                "removals": [_as_json(removal) for removal in flips.removals],
                "exhaustive": flips.exhaustive,
                "additions": [asdict(addition) for addition in flips.additions],
                "additions_in_all": flips.additions_in_all,
                "nearest_addition": None if near is None else asdict(near),
            },
        }
        if self.words:
            found["words"] = [asdict(share) for share in self.words]
        if self.circumstances:
            found |= {"factor": self.factor, "bar": self.bar}
        for each in self.circumstances:
            found.setdefault(each.key, []).append(_as_json(each))
        if texts:
            found["fields"] = [part._asdict() for part in self.document.parts]
        return found

    def _repr_html_(self) -> str:
        """Return the page on this category, for a notebook."""
        from postil.explain.page import Explanations  # which shows explanations, and imports them

        return Explanations([self])._repr_html_()

    def _with_places(self, term: TermShare | UnknownTerm) -> dict[str, Any]:
        return asdict(term) | {"places": list(map(list, self.places[term.term]))}


def _as_json(facts: Removal | Circumstance) -> dict[str, Any]:
    listed = asdict(facts).items()
    return {name: list(value) if isinstance(value, tuple) else value for name, value in listed}


def answer(accepted: bool) -> str:
    """Return the decision as a word."""
    return "yes" if accepted else "no"


def margin_parts(explanation: Explanation) -> dict[str, float]:
    """Return the parts of the margin and their sum; a constant or a bar only if it is not 0."""
    noun = "words" if explanation.words else "terms"
    shares = [share.added for share in explanation.words or explanation.terms]
    parts = {
        f"{noun} up": math.fsum(added for added in shares if added > 0),
        f"{noun} down": math.fsum(added for added in shares if added < 0),
        "constant": explanation.constant,
        "intercept": explanation.intercept,
        "bar": -explanation.bar,
        "margin": explanation.margin,
    }
    optional = ("constant", "bar")
    return {name: part for name, part in parts.items() if name not in optional or part != 0}


def figures_of(explanation: Explanation) -> Figures:
    """Return the way to write the margin, its parts and its threshold."""
    figures = Figures([*margin_parts(explanation).values(), explanation.threshold])
    figures.tell_apart(explanation.margin, explanation.threshold)
    return figures


def verdict(explanation: Explanation) -> str:
    """Return the decision and the numbers it rests on."""
    write = figures_of(explanation).plain
    margin, threshold = explanation.margin, explanation.threshold
    if math.isinf(threshold):
        every = "every document" if threshold < 0 else "no document"
        reason = f"{every} is given it, whatever its margin, here {write(margin)}"
    else:
        relation = "≥" if explanation.accepted else "<"
        reason = f"margin {write(margin)} {relation} threshold {write(threshold)}"
    if explanation.probability is not None:
        reason += f", probability {probability_text(explanation.probability)}"
    return f"{answer(explanation.accepted)} ({reason})"


class ShareTable(NamedTuple):
    """The strongest terms or words of one direction, with their cells, and the sum of the others.

    ``adds`` holds what each row added.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    adds: list[float]
    rest: str


def share_tables(explanation: Explanation, shown: int) -> tuple[ShareTable, ShareTable]:
    """Return the first ``shown`` terms that pushed the margin up, and those that pushed it down.

    Terms that are parts of words are not listed: the words are.
    """
    noun = "word" if explanation.words else "term"
    shares: Sequence[TermShare | WordShare] = explanation.words or explanation.terms
    up = [share for share in shares if share.added > 0]
    down = [share for share in shares if share.added < 0]
    listed = [*up[:shown], *down[:shown]]
    terms = [share for share in listed if isinstance(share, TermShare)]
    added = Figures(share.added for share in listed)
    weights = Figures(share.weight for share in terms)
    values = Figures(share.value for share in terms)

    def cells(share: TermShare | WordShare) -> list[str]:
        if isinstance(share, WordShare):
            return [visible(share.word), str(share.count), added.signed(share.added)]
        return [
            visible(_as_written(explanation, share.term)),
            str(share.count),
            weights.plain(share.weight),
            values.plain(share.value),
            added.signed(share.added),
        ]

    def table(title: str, shares: Sequence[TermShare | WordShare]) -> ShareTable:
        rest = shares[shown:]
        left = added.signed(math.fsum(share.added for share in rest))
        total = added.signed(math.fsum(share.added for share in shares))
        numbers = () if explanation.words else ("weight", "value")
        return ShareTable(
            f"{title}: {counted(len(shares), noun)}, {total}",
            (noun, "count", *numbers, "added"),
            [cells(share) for share in shares[:shown]],
            [share.added for share in shares[:shown]],
            f"… and {counted(len(rest), f'more {noun}')}, {left}" if rest else "",
        )

    return table("Pushed up", up), table("Pushed down", down)


def _as_written(explanation: Explanation, term: str) -> str:
    """Return a term; a stem also with the word that stands for it in the text."""
    places = explanation.places[term]
    if not places:
        return term
    field, start, end = places[0]
    text = next(part.text for part in explanation.document.parts if part.field == field)
    word = " ".join(text[start:end].casefold().split())
    same = word in term.casefold() or len(word) > LONGEST_WORD
    return term if same else f"{term} ({word})"


def remarks(explanation: Explanation) -> list[str]:
    """Return lines on the known terms that added nothing and the terms the model does not know."""
    lines = []
    if explanation.neutral:
        lines.append(f"{counted(len(explanation.neutral), 'known term')} added nothing")
    unknown = explanation.unknown
    if unknown:
        names = [
            visible(each.term) + (f" ×{each.count}" if each.count > 1 else "")
            for each in unknown[:SHOWN_UNKNOWN]
        ]
        listed = list_of(names, len(unknown))
        lines.append(f"{counted(len(unknown), 'term')} unknown to the model: {listed}")
    return lines


def sum_cells(explanation: Explanation) -> dict[str, str]:
    """Return the parts of the margin, their sum and the threshold, written with their signs."""
    write = figures_of(explanation).signed
    sums = margin_parts(explanation) | {"threshold": explanation.threshold}
    return {name: write(number) for name, number in sums.items()}


def flip_lines(explanation: Explanation) -> list[str]:
    """Return sentences that say what would flip the decision."""
    if math.isinf(explanation.threshold):
        return ["Nothing would: the decision does not depend on the margin."]
    if explanation.words:
        return _removal_lines(explanation)  # an absent part of a word tells nobody anything
    return [*_removal_lines(explanation), _addition_line(explanation)]


def _removal_lines(explanation: Explanation) -> list[str]:
    flips = explanation.flips
    if not flips.removals and not flips.exhaustive:
        return ["No set of its words was found that would if removed; not every set was tried."]
    if not flips.removals:
        return ["Nothing among its words would: whichever are removed, the answer stays."]
    write = figures_of(explanation).plain
    return [
        f"Without {_set_of(removal, explanation)} the margin is {write(removal.margin)}: "
        f"{answer(not explanation.accepted)}."
        + (" No smaller set would do." if removal.smallest and len(removal.terms) > 1 else "")
        for removal in flips.removals
    ]


def _set_of(removal: Removal, explanation: Explanation) -> str:
    if explanation.words:
        touched = explanation.words_of(removal.terms)
        words = [visible(word) for word, _ in touched.most_common(SHOWN_IN_SET)]
        return f"{counted(len(removal.terms), 'part')} of {list_of(words, len(touched))}"
    names = [visible(term) for term in removal.terms[:SHOWN_IN_SET]]
    listed = list_of(names, len(removal.terms))
    if removal.everything and len(removal.terms) > 1:
        return f"all {len(removal.terms)} of its terms that count ({listed})"
    return listed


def _addition_line(explanation: Explanation) -> str:
    flips = explanation.flips
    write = figures_of(explanation).plain

    def with_margin(addition: Addition) -> str:
        return f"{visible(addition.term)} (margin {write(addition.margin)})"

    if flips.additions:
        shown = [with_margin(addition) for addition in flips.additions[:SHOWN_ADDITIONS]]
        which = "this one" if flips.additions_in_all == 1 else "any one of these"
        return f"With {which} added, once: {list_of(shown, flips.additions_in_all)}."
    if flips.nearest_addition is not None:
        nearest = with_margin(flips.nearest_addition)
        return f"No single absent term would; the nearest is {nearest}."
    if not flips.named:
        return "Absent terms are not known: hash buckets keep no names."
    return "The model gives no absent term any weight."

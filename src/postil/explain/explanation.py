"""The explanation of a decision: its numbers, and the sentences and tables that show them.

The page, the terminal and JSON all show the same numbers and sentences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from postil.common.escaping import visible
from postil.common.types import Floats
from postil.explain.flips import Addition, Flips, Removal
from postil.explain.reading import UNKNOWN, DocumentTerms, FieldPlace
from postil.explain.rule import Circumstance, Figures, counted, list_of

SHOWN_IN_SET = 12
SHOWN_ADDITIONS = 6
SHOWN_UNKNOWN = 12


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
class UnknownTerm:
    """A term of the document that the model has never seen."""

    term: str
    count: int


@dataclass(frozen=True)
class Explanation:
    """The parts of a linear model's decision on one document and category.

    ``margin`` = ``intercept`` + ``constant`` + Σ ``added`` - ``bar``, and the category is given
    where the margin reaches the ``threshold``. ``constant`` is what the vectorizer's constant
    feature adds, 0 where there is none. ``factor`` scales the document's values, and other
    categories set the ``bar``: 1 and 0 where there are none; ``circumstances`` explain them.
    Memory: a few numbers for each distinct term; tables are made when they are read.
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
    parts = {
        "terms up": math.fsum(share.added for share in explanation.up),
        "terms down": math.fsum(share.added for share in explanation.down),
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
        reason += f", probability {explanation.probability:.3g}"
    return f"{answer(explanation.accepted)} ({reason})"


TERM_COLUMNS = ("term", "count", "weight", "value", "added")


class TermTable(NamedTuple):
    """The strongest terms of one direction: a title, rows of cells, and the sum of the others."""

    title: str
    rows: list[tuple[TermShare, list[str]]]
    rest: str


def term_table(
    title: str, shares: Sequence[TermShare], like: Sequence[TermShare], shown: int
) -> TermTable:
    """Return the first ``shown`` of some terms; numbers have the decimals that ``like`` needs."""
    weights = Figures(share.weight for share in like)
    values = Figures(share.value for share in like)
    added = Figures(share.added for share in like)
    rows = [
        (
            share,
            [
                visible(share.term),
                str(share.count),
                weights.plain(share.weight),
                values.plain(share.value),
                added.signed(share.added),
            ],
        )
        for share in shares[:shown]
    ]
    total = added.signed(math.fsum(share.added for share in shares))
    rest = shares[shown:]
    left = added.signed(math.fsum(share.added for share in rest))
    return TermTable(
        f"{title}: {counted(len(shares), 'term')}, {total}",
        rows,
        f"… and {counted(len(rest), 'more term')}, {left}" if rest else "",
    )


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
    return [*_removal_lines(explanation), _addition_line(explanation)]


def _removal_lines(explanation: Explanation) -> list[str]:
    flips = explanation.flips
    if not flips.removals and not flips.exhaustive:
        return ["No set of its words was found that would if removed; not every set was tried."]
    if not flips.removals:
        return ["Nothing among its words would: whichever are removed, the answer stays."]
    write = figures_of(explanation).plain
    return [
        f"Without {_set_of(removal)} the margin is {write(removal.margin)}: "
        f"{answer(not explanation.accepted)}."
        + (" No smaller set would do." if removal.smallest and len(removal.terms) > 1 else "")
        for removal in flips.removals
    ]


def _set_of(removal: Removal) -> str:
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

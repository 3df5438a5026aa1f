"""Why a document was given a category, or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.explain.flips import Flips
from postil.explain.reading import UNKNOWN, DocumentTerms, FieldPlace
from postil.explain.rule import Circumstance, facts_of


@dataclass(frozen=True, slots=True)
class TermShare:
    """A term of the document: its weight in the model, its value in the vector, their product.

    The value is times the document's factor, where there is one.
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
    """What a linear model's decision on one document and category is made of.

    ``margin`` = ``intercept`` + ``constant`` + Σ ``added`` - ``bar``, and the category is given
    where it reaches the ``threshold``. ``constant`` is what the vectorizer's constant feature adds,
    0 where there is none. ``factor`` scales the document's values, and ``bar`` is set by other
    categories: 1 and 0 where there are none; ``circumstances`` tell more of them. Memory: a few
    numbers for each distinct term; tables are made when asked for.
    """

    document: DocumentTerms
    category: str
    weights: NDArray[np.float64]
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
    def values(self) -> NDArray[np.float64]:
        """The value of each term of the document, times the factor."""
        return self.factor * self.document.values

    @cached_property
    def added(self) -> NDArray[np.float64]:
        """What each term of the document added, in the document's order of terms."""
        return self.weights * self.values

    @cached_property
    def terms(self) -> tuple[TermShare, ...]:
        """The terms the model knows, by the size of what they added; equals in reading order."""
        known = np.flatnonzero(self.document.columns != UNKNOWN)
        order = known[np.argsort(-np.abs(self.added[known]), kind="stable")]
        return tuple(map(self._share, order.tolist()))

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
        """Where each term stands, in reading order."""
        document, pieces = self.document, self.document.pieces
        found: dict[str, list[FieldPlace]] = {name: [] for name in document.names}
        columns = (pieces.terms, pieces.parts, pieces.starts, pieces.ends)
        for term, part, start, end in zip(*(c.tolist() for c in columns), strict=True):
            found[document.names[term]].append(FieldPlace(document.parts[part].field, start, end))
        return {name: tuple(places) for name, places in found.items()}

    def to_dict(self, *, texts: bool = False) -> dict[str, Any]:
        """Everything as JSON can hold it; with ``texts``, the fields as well.

        An infinite threshold, which no margin has any part in, is null.
        """
        told: dict[str, Any] = {
            "document": self.document.id,
            "category": self.category,
            "decision": self.accepted,
            "margin": self.margin,
            "threshold": self.threshold if math.isfinite(self.threshold) else None,
            "probability": self.probability,
            "intercept": self.intercept,
            "constant": self.constant,
            "note": self.note,
            "terms": [
                {
                    "term": share.term,
                    "count": share.count,
                    "weight": share.weight,
                    "value": share.value,
                    "added": share.added,
                    "places": list(map(list, self.places[share.term])),
                }
                for share in self.terms
            ],
            "unknown": [
                {
                    "term": term.term,
                    "count": term.count,
                    "places": list(map(list, self.places[term.term])),
                }
                for term in self.unknown
            ],
            "flips": _flips_dict(self.flips),
        }
        if self.circumstances:
            told |= {"factor": self.factor, "bar": self.bar} | facts_of(self.circumstances)
        if texts:
            told["fields"] = [part._asdict() for part in self.document.parts]
        return told

    def _share(self, index: int) -> TermShare:
        document = self.document
        return TermShare(
            document.names[index],
            int(document.counts[index]),
            float(self.weights[index]),
            float(self.values[index]),
            float(self.added[index]),
        )


def _flips_dict(flips: Flips) -> dict[str, Any]:
    near = flips.nearest_addition
    return {
        "removals": [
            asdict(removal) | {"terms": list(removal.terms)} for removal in flips.removals
        ],
        "exhaustive": flips.exhaustive,
        "additions": [asdict(addition) for addition in flips.additions],
        "additions_in_all": flips.additions_in_all,
        "nearest_addition": None if near is None else asdict(near),
    }

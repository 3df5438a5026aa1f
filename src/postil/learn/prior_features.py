"""Which column a feature of a prior file is, and help for who names one that there is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from postil.learn.prior_files import CONSTANT
from postil.text.suggest import near_names

if TYPE_CHECKING:
    from postil.vectors.vocabulary import Vocabulary

CONSTANT_ID = "0"
IN_FIELDS = 3
AS_SHOWN = (
    "terms are written as postil inspect shows them: after stemming, and with their field in "
    "front where fields are kept apart"
)
AS_NUMBERED = "features of svmlight data are their numbers, as the data has them"


@dataclass(frozen=True, slots=True)
class KnownFeatures:
    """The column of each feature there is; called with one, None where it is not known.

    ``hint`` says in a few words what an unknown one may have meant, or nothing; ``written`` how
    features are written. ``ambiguous`` are features that BBR would take for the constant.
    """

    column: Callable[[str], int | None]
    hint: Callable[[str], str]
    written: str
    ambiguous: frozenset[str] = frozenset()

    def __call__(self, feature: str) -> int | None:
        """The column of a feature."""
        return self.column(feature)


def by_terms(vocabulary: Vocabulary) -> KnownFeatures:
    """Features are terms as the vocabulary shows them, and the constant ``@constant``."""
    column_of, terms = vocabulary.column_of, len(vocabulary)
    return KnownFeatures(
        lambda feature: terms if feature == CONSTANT else column_of.get(feature),
        lambda feature: meant(near_terms(feature, vocabulary.names)),
        AS_SHOWN,
    )


def by_ids(terms: int, first: int = 1) -> KnownFeatures:
    """Features are numbers that begin with ``first``; 0 is the constant where it begins with 1."""

    def column_of(feature: str) -> int | None:
        if feature == CONSTANT or (feature == CONSTANT_ID and first > 0):
            return terms
        if not _is_number(feature):
            return None
        column = int(feature) - first
        return column if 0 <= column < terms else None

    return KnownFeatures(
        column_of,
        lambda feature: _outside(feature, first, first + terms - 1),
        AS_NUMBERED,
        frozenset([CONSTANT_ID] if first <= 0 < first + terms else []),
    )


def by_named_ids(vocabulary: Vocabulary) -> KnownFeatures:
    """The terms of the vocabulary are numbers; 0 is the constant unless it is among them."""
    column_of, terms = vocabulary.column_of, len(vocabulary)
    constants = {CONSTANT, CONSTANT_ID} - column_of.keys()

    def hint(feature: str) -> str:
        numbers = [int(name) for name in vocabulary.names]
        return _outside(feature, min(numbers), max(numbers)) if numbers else ""

    return KnownFeatures(
        lambda feature: terms if feature in constants else column_of.get(feature),
        hint,
        AS_NUMBERED,
        frozenset({CONSTANT_ID} - constants),
    )


def near_terms(name: str, terms: Iterable[str]) -> list[str]:
    """The terms that a name may have meant: itself in a field, or else the one most like it.

    Only terms that begin with the same letter, and are of one word or of several like the name,
    are compared: where there are a million terms, that keeps the search short.
    """
    known = list(terms)
    lower, several = name.lower(), " " in name
    in_fields = [term for term in known if term.lower().endswith(f":{lower}")]
    if lower and in_fields:
        return in_fields[:IN_FIELDS]
    alike = [t for t in known if t[:1].lower() == lower[:1] and (" " in t) == several]
    return near_names(name, alike)[:1]


def meant(near: Iterable[str]) -> str:
    """The question whether one of these was meant; nothing where there is none."""
    names = list(near)
    return f"did you mean {' or '.join(map(repr, names))}?" if names else ""


def _is_number(feature: str) -> bool:
    return feature.isascii() and feature.isdigit()


def _outside(feature: str, first: int, last: int) -> str:
    """That a feature is none of the numbers of the data; nothing where it is between them."""
    if _is_number(feature) and first <= int(feature) <= last:
        return ""
    return f"the data has features from {first} to {last}"

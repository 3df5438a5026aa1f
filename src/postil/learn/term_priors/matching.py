"""Lines of a prior file to priors of columns: by the numbers of svmlight data, or by terms.

Which column a feature of a prior file is, and help for who names one that there is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from postil.common.suggest import near_names
from postil.errors import InputError, UsageError
from postil.learn.term_priors.files import CONSTANT, PriorFile, PriorLine
from postil.learn.term_priors.priors import TermPrior, TermPriors

if TYPE_CHECKING:
    from postil.vectors.vectorizer import Vectorizer
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


__all__ = [
    "MatchedPriors",
    "PriorsWarning",
    "by_ids",
    "by_named_ids",
    "by_terms",
    "match_priors",
    "vocabulary_of",
]

SHOWN = 5


class PriorsWarning(UserWarning):
    """A prior file speaks of terms or categories that there are not."""


@dataclass(frozen=True, slots=True)
class MatchedPriors:
    """Priors by column, and what the file says of terms and categories that are not there.

    A line is unmatched if its term or its category is unknown; both are then named. The hints
    are on the first of each. ``remarks`` are on lines that may have been meant otherwise.
    """

    priors: TermPriors
    matched: int
    unmatched: int
    unknown_features: tuple[str, ...]
    unknown_categories: tuple[str, ...]
    feature_hint: str = ""
    category_hint: str = ""
    remarks: tuple[str, ...] = ()

    def note(self, source: str) -> str:
        """In a sentence."""
        lines = self.matched + self.unmatched
        matched = f"{self.matched} of {lines} line{'' if lines == 1 else 's'} matched"
        return "; ".join([f"{source}: {matched}", *self._unknown(), *self.remarks])

    def check(self, source: str, written: str) -> None:
        """Refuse a file of which nothing matched: it was not meant for these documents."""
        if self.matched or not self.unmatched:
            return
        how = (written,) if self.unknown_features else ()
        raise InputError("; ".join([f"{source}: no line matched", *self._unknown(), *how]))

    def to_dict(self, file: PriorFile) -> dict[str, Any]:
        """What a model keeps of it."""
        return {
            "file": file.source,
            "sha256": file.sha256,
            "matched": self.matched,
            "unmatched": self.unmatched,
        }

    def _unknown(self) -> list[str]:
        return [
            f"not among the {what}: {_few(names, hint)}"
            for what, names, hint in (
                ("terms", self.unknown_features, self.feature_hint),
                ("categories", self.unknown_categories, self.category_hint),
            )
            if names
        ]


def match_priors(
    lines: Iterable[PriorLine], categories: Sequence[str], features: KnownFeatures, terms: int
) -> MatchedPriors:
    """Priors of columns and category numbers; cost is linear in the lines.

    ``features`` gives the column of a feature, ``terms`` for the constant, None where there is
    none. Lines of which not one matches are refused. A hint on the first unknown term costs a
    pass over the terms.
    """
    found = _Matching(categories, features)
    first = None
    for line in lines:
        first = first or line
        found.add(line)
    matched = found.result(terms)
    matched.check((first.source if first else "") or "the priors", features.written)
    return matched


@dataclass(slots=True)
class _Matching:
    """What was found of the lines so far."""

    categories: Sequence[str]
    features: KnownFeatures
    every: dict[int, TermPrior] = field(default_factory=dict)
    own: dict[int, dict[int, TermPrior]] = field(default_factory=dict)
    matched: int = 0
    unmatched: int = 0
    unknown_features: dict[str, None] = field(default_factory=dict)
    unknown_categories: dict[str, None] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    number_of: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.number_of = {name: number for number, name in enumerate(self.categories)}

    def add(self, line: PriorLine) -> None:
        """Put a line where it belongs."""
        column = self.features(line.feature)
        known = line.category is None or line.category in self.number_of
        if column is None:
            self.unknown_features[line.feature] = None
        if not known:
            self.unknown_categories[str(line.category)] = None
        if column is None or not known:
            self.unmatched += 1
            return
        self.matched += 1
        place = self._place(line.category)
        if column in place:
            raise UsageError(f"{line.place}: the prior of {line.feature} stands twice")
        place[column] = line.prior()
        if line.feature in self.features.ambiguous:
            self.remarks.append(
                f"line {line.line}: the data has a feature {line.feature}, and the line is of it; "
                f"the constant is {CONSTANT}"
            )

    def _place(self, category: str | None) -> dict[int, TermPrior]:
        if category is None:
            return self.every
        return self.own.setdefault(self.number_of[category], {})

    def result(self, terms: int) -> MatchedPriors:
        """All of it, with hints on what is unknown."""
        first_feature = next(iter(self.unknown_features), None)
        first_category = next(iter(self.unknown_categories), None)
        return MatchedPriors(
            TermPriors(terms, every=self.every, own=self.own),
            self.matched,
            self.unmatched,
            tuple(self.unknown_features),
            tuple(self.unknown_categories),
            "" if first_feature is None else self.features.hint(first_feature),
            "" if first_category is None else meant(near_names(first_category, self.categories)),
            tuple(self.remarks),
        )


def vocabulary_of(vectorizer: Vectorizer) -> Vocabulary:
    """The vocabulary to look terms up in; hash buckets have none."""
    if vectorizer.vocabulary is None:
        raise UsageError(
            "priors are of terms, and hash buckets keep none: leave buckets out of the recipe's "
            "[representation]"
        )
    return vectorizer.vocabulary


def _few(names: Sequence[str], hint: str) -> str:
    """The first of the names, and how many more; the hint is on the first of all."""
    first, *others = names[:SHOWN]
    shown = ", ".join([f"{first} ({hint})" if hint else first, *others])
    return shown + (f" and {len(names) - SHOWN} more" * (len(names) > SHOWN))

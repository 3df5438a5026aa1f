"""Lines of a prior file to priors of columns: by the numbers of svmlight data, or by terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from postil.errors import InputError, UsageError
from postil.learn.prior_features import (
    KnownFeatures,
    by_ids,
    by_named_ids,
    by_terms,
    meant,
)
from postil.learn.prior_files import CONSTANT, PriorFile, PriorLine
from postil.learn.term_priors import TermPrior, TermPriors
from postil.text.suggest import near_names

if TYPE_CHECKING:
    from postil.vectors.vectorizer import Vectorizer
    from postil.vectors.vocabulary import Vocabulary

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

"""Lines of a prior file to priors of columns: by the numbers of svmlight data, or by terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from postil.errors import UsageError
from postil.learn.prior_files import CONSTANT, PriorFile, PriorLine
from postil.learn.term_priors import TermPrior, TermPriors

if TYPE_CHECKING:
    from postil.vectors.vectorizer import Vectorizer
    from postil.vectors.vocabulary import Vocabulary

ColumnOf = Callable[[str], int | None]

CONSTANT_ID = "0"
SHOWN = 5


class PriorsWarning(UserWarning):
    """A prior file speaks of terms or categories that there are not."""


@dataclass(frozen=True, slots=True)
class MatchedPriors:
    """Priors by column, and what the file says of terms and categories that are not there.

    A line is unmatched if its term or its category is unknown; both are then named.
    """

    priors: TermPriors
    matched: int
    unmatched: int
    unknown_features: tuple[str, ...]
    unknown_categories: tuple[str, ...]

    def note(self, source: str) -> str:
        """In a sentence."""
        lines = self.matched + self.unmatched
        sentence = f"{source}: {self.matched} of {lines} line{'' if lines == 1 else 's'} matched"
        for what, names in (
            ("terms", self.unknown_features),
            ("categories", self.unknown_categories),
        ):
            if names:
                sentence += f"; not among the {what}: {_few(names)}"
        return sentence

    def to_dict(self, file: PriorFile) -> dict[str, Any]:
        """What a model keeps of it."""
        return {
            "file": file.source,
            "sha256": file.sha256,
            "matched": self.matched,
            "unmatched": self.unmatched,
        }


def match_priors(
    lines: Iterable[PriorLine], categories: Sequence[str], column_of: ColumnOf, terms: int
) -> MatchedPriors:
    """Priors of columns and category numbers; cost is linear in the lines.

    ``column_of`` gives the column of a feature, ``terms`` for the constant, None where there is
    none.
    """
    number_of = {name: number for number, name in enumerate(categories)}
    every: dict[int, TermPrior] = {}
    own: dict[int, dict[int, TermPrior]] = {}
    matched, unmatched = 0, 0
    unknown_features: dict[str, None] = {}
    unknown_categories: dict[str, None] = {}
    for line in lines:
        column = column_of(line.feature)
        known = line.category is None or line.category in number_of
        if column is None:
            unknown_features[line.feature] = None
        if not known:
            unknown_categories[str(line.category)] = None
        if column is None or not known:
            unmatched += 1
            continue
        matched += 1
        place = every if line.category is None else own.setdefault(number_of[line.category], {})
        if column in place:
            raise UsageError(f"the prior of {line.feature} stands twice (line {line.line})")
        place[column] = line.prior()
    priors = TermPriors(terms, every=every, own=own)
    return MatchedPriors(
        priors, matched, unmatched, tuple(unknown_features), tuple(unknown_categories)
    )


def by_terms(vocabulary: Vocabulary) -> ColumnOf:
    """Features are terms as the vocabulary shows them, and the constant ``@constant``."""
    column_of, terms = vocabulary.column_of, len(vocabulary)
    return lambda feature: terms if feature == CONSTANT else column_of.get(feature)


def by_ids(terms: int, first: int = 1) -> ColumnOf:
    """Features are numbers that begin with ``first``; 0 is the constant where it begins with 1."""

    def column_of(feature: str) -> int | None:
        if feature == CONSTANT or (feature == CONSTANT_ID and first > 0):
            return terms
        if not (feature.isascii() and feature.isdigit()):
            return None
        column = int(feature) - first
        return column if 0 <= column < terms else None

    return column_of


def by_named_ids(vocabulary: Vocabulary) -> ColumnOf:
    """The terms of the vocabulary are numbers; 0 is the constant unless it is among them."""
    known = by_terms(vocabulary)

    def column_of(feature: str) -> int | None:
        column = known(feature)
        return len(vocabulary) if column is None and feature == CONSTANT_ID else column

    return column_of


def vocabulary_of(vectorizer: Vectorizer) -> Vocabulary:
    """The vocabulary to look terms up in; hash buckets have none."""
    if vectorizer.vocabulary is None:
        raise UsageError(
            "priors are of terms, and hash buckets keep none: leave buckets out of the recipe's "
            "[representation]"
        )
    return vectorizer.vocabulary


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" * (len(names) > SHOWN))

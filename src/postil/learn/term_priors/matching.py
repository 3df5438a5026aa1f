"""Priors of columns and categories from the lines of a prior file.

A feature of a line is a term of the vocabulary or, in svmlight data, the number of a column.
Unknown terms and categories are reported with a suggestion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from postil.common.suggest import near_names
from postil.errors import InputError, UsageError
from postil.learn.term_priors.files import CONSTANT, PriorFile, PriorLine
from postil.learn.term_priors.priors import TermPrior, TermPriors

if TYPE_CHECKING:
    from postil.vectors.vocabulary import Vocabulary


CONSTANT_ID = "0"
# Suggested terms that are the name itself in a field; and unknown names that a message shows.
IN_FIELDS, SHOWN = 3, 5
AS_SHOWN = (
    "terms are written as postil inspect shows them: after stemming, and with their field in "
    "front where fields are kept apart"
)
AS_NUMBERED = "features of svmlight data are their numbers, as the data has them"


class PriorsWarning(UserWarning):
    """Warning that a prior file names terms or categories that are unknown."""


@dataclass(slots=True)
class MatchedPriors:
    """Priors by column, and the names in the file that are unknown.

    A line is unmatched if its term or its category is unknown. The hints are suggestions for the
    first unknown name of each kind; ``remarks`` are notes on lines that the user may have meant
    otherwise.
    """

    priors: TermPriors
    matched: int = 0
    unmatched: int = 0
    unknown_features: list[str] = field(default_factory=list)
    unknown_categories: list[str] = field(default_factory=list)
    feature_hint: str = ""
    category_hint: str = ""
    remarks: list[str] = field(default_factory=list)

    def note(self, source: str) -> str:
        """Return a sentence for the user."""
        lines = self.matched + self.unmatched
        matched = f"{self.matched} of {lines} line{'' if lines == 1 else 's'} matched"
        return "; ".join([f"{source}: {matched}", *self.unknown(), *self.remarks])

    def to_dict(self, file: PriorFile) -> dict[str, Any]:
        """Return the facts that a model file keeps."""
        counts = {"matched": self.matched, "unmatched": self.unmatched}
        return {"file": file.source, "sha256": file.sha256, **counts}

    def unknown(self) -> list[str]:
        """Return the unknown terms and categories as parts of a message."""
        kinds = (
            ("terms", self.unknown_features, self.feature_hint),
            ("categories", self.unknown_categories, self.category_hint),
        )
        return [f"unknown {what}: {_few(names, hint)}" for what, names, hint in kinds if names]


def match_priors(
    lines: Iterable[PriorLine],
    categories: Sequence[str],
    vocabulary: Vocabulary | None,
    *,
    numbered: bool = False,
) -> MatchedPriors:
    """Match the lines of a prior file with columns and categories.

    The cost is linear in the lines; a suggestion for the first unknown term costs a pass over the
    terms.

    Parameters
    ----------
    lines : iterable of PriorLine
        The lines of one file. They are refused if not one of them matches.
    categories : sequence of str
        The categories, in the order of their numbers.
    vocabulary : Vocabulary or None
        The terms of the columns. None (hash buckets) is refused.
    numbered : bool
        True if the terms are the numbers of svmlight data, of which 0 is the constant unless the
        data has a feature 0. Otherwise the constant is ``@constant`` alone.
    """
    if vocabulary is None:
        raise UsageError(
            "per-term priors need the terms, which hash buckets do not keep: remove buckets from "
            "the recipe's [representation]"
        )
    columns = {**vocabulary.column_of, CONSTANT: len(vocabulary)}
    if numbered:
        columns.setdefault(CONSTANT_ID, len(vocabulary))
    given = list(lines)
    found = _matched(given, {name: at for at, name in enumerate(categories)}, columns)
    if numbered and CONSTANT_ID in vocabulary.column_of:
        found.remarks += [
            f"line {line.line}: the data has a feature 0, and the line gives its prior; the "
            f"constant is {CONSTANT}"
            for line in given
            if line.feature == CONSTANT_ID and line.category not in found.unknown_categories
        ]
    if found.unknown_features:
        first, names = found.unknown_features[0], vocabulary.names
        found.feature_hint = (
            _range_hint(first, names) if numbered else _question(near_terms(first, names))
        )
    if found.unknown_categories:
        found.category_hint = _question(near_names(found.unknown_categories[0], categories))
    if found.unmatched and not found.matched:
        written = [AS_NUMBERED if numbered else AS_SHOWN] if found.unknown_features else []
        source = given[0].source or "the priors"
        raise InputError("; ".join([f"{source}: no line matched", *found.unknown(), *written]))
    return found


def _matched(
    lines: Iterable[PriorLine], numbers: dict[str, int], columns: dict[str, int]
) -> MatchedPriors:
    every: dict[int, TermPrior] = {}
    own: dict[int, dict[int, TermPrior]] = {}
    features: dict[str, None] = {}
    categories: dict[str, None] = {}
    matched = unmatched = 0
    for line in lines:
        if line.feature not in columns:
            features[line.feature] = None
        if line.category is not None and line.category not in numbers:
            categories[line.category] = None
        if line.feature in features or line.category in categories:
            unmatched += 1
            continue
        matched += 1
        place = every if line.category is None else own.setdefault(numbers[line.category], {})
        if columns[line.feature] in place:
            source = f"{line.source}, " if line.source else ""
            raise UsageError(
                f"{source}line {line.line}: the prior of {line.feature} is given twice"
            )
        place[columns[line.feature]] = line.prior()
    priors = TermPriors(columns[CONSTANT], every=every, own=own)
    return MatchedPriors(priors, matched, unmatched, list(features), list(categories))


def near_terms(name: str, terms: Iterable[str]) -> list[str]:
    """Return the terms that a name may mean: itself in a field, or else the one most like it.

    To keep the search short among a million terms, only terms that begin with the same letter,
    and that have one word or several like the name, are compared.
    """
    known = list(terms)
    lower, several = name.lower(), " " in name
    in_fields = [term for term in known if term.lower().endswith(f":{lower}")]
    if lower and in_fields:
        return in_fields[:IN_FIELDS]
    alike = [t for t in known if t[:1].lower() == lower[:1] and (" " in t) == several]
    return near_names(name, alike)[:1]


def _range_hint(feature: str, names: Sequence[str]) -> str:
    """Return the range of the data's features, or nothing if the feature is within it."""
    numbers = [int(name) for name in names]
    is_number = feature.isascii() and feature.isdigit()
    if not numbers or (is_number and min(numbers) <= int(feature) <= max(numbers)):
        return ""
    return f"the data has features from {min(numbers)} to {max(numbers)}"


def _question(near: list[str]) -> str:
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def _few(names: Sequence[str], hint: str) -> str:
    """Return the first names, the hint after the first of all, and the number of the others."""
    first, *others = names[:SHOWN]
    shown = ", ".join([f"{first} ({hint})" if hint else first, *others])
    return shown + (f" and {len(names) - SHOWN} more" * (len(names) > SHOWN))

"""The terms of a vectorizer, with the number of documents that hold each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.errors import UsageError
from postil.vectors.fields import Fields

Counts = NDArray[np.uint64]

EVERY_TERM = 2**63 - 1


@dataclass(frozen=True, slots=True)
class TermBounds:
    """The bounds on the terms that a vocabulary keeps.

    Parameters
    ----------
    min_df, max_df
        The least and most documents that hold a term: whole numbers count documents, fractions
        are shares of all documents.
    max_terms
        Keep only this many terms, those that occur most often.
    min_occurrences
        The least number of times that a term occurs in all documents together.
    """

    min_df: float = 1
    max_df: float = 1.0
    max_terms: int | None = None
    min_occurrences: int = 1

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            object.__setattr__(self, name, _checked_bound(name, getattr(self, name)))
        least: Any = self.min_occurrences
        if not (isinstance(least, (int, np.integer)) and least >= 1):
            raise UsageError(f"min_occurrences must be a whole number of at least 1, got {least!r}")
        most: Any = self.max_terms
        if most is not None and not (isinstance(most, (int, np.integer)) and most >= 1):
            raise UsageError(f"max_terms must be a whole number of at least 1, got {most!r}")

    def limits(self, total: int) -> tuple[int, int, int, int]:
        """Return least and most documents (of ``total``), least occurrences and most terms."""
        if total == 0:
            raise UsageError(
                "no document is left to learn terms from: documents marked test are not used"
            )
        least = _documents(self.min_df, total, math.ceil)
        most = _documents(self.max_df, total, math.floor)
        if least > total:
            raise UsageError(
                f"min_df={self.min_df} is more than the number of documents ({total}): lower it, "
                "or learn from more documents"
            )
        if most < least:
            raise UsageError(
                f"max_df={self.max_df} allows fewer documents ({most}) than min_df={self.min_df} "
                f"({least}) for {total} documents"
            )
        terms = EVERY_TERM if self.max_terms is None else self.max_terms
        return least, most, self.min_occurrences, terms


def _checked_bound(name: str, value: Any) -> float:  # noqa: ANN401 - whatever the user passed
    """Return a whole number as int and a share as float, from any type of number."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0:
        return int(value)
    if isinstance(value, (float, np.floating)) and 0 <= value <= 1:
        return float(value)
    raise UsageError(f"{name} must be a share from 0.0 to 1.0 or a whole number, got {value!r}")


def _documents(bound: float, total: int, rounding: Callable[[float], int]) -> int:
    # Rounded past the error of the product, so that 0.3 of 10 documents is 3.
    return rounding(round(bound * total, 9)) if isinstance(bound, float) else bound


class Vocabulary:
    """Terms ranked by falling document frequency; a term's rank is its column.

    Ties go by the term's bytes, so that the same documents in any order and any chunks give the
    same vocabulary. Frequent terms come together, which keeps solvers in the cache. In an extended
    vocabulary (:mod:`postil.vectors.extending`), the terms of each update follow those before.
    Memory is about 70 bytes and the text for each term.
    """

    def __init__(
        self,
        make_terms: Callable[[], _native.Vocabulary],
        documents: Counts,
        occurrences: Counts,
        total: int,
        fields: Fields | None = None,
    ) -> None:
        self._make_terms = make_terms
        self.documents = documents
        self.occurrences = occurrences
        self.total = total
        self.fields = fields if fields is not None else Fields()

    @classmethod
    def of_terms(cls, names: Iterable[str], fields: Fields | None = None) -> Vocabulary:
        """Return a vocabulary of given terms; its counts are zero."""
        fields = fields if fields is not None else Fields()
        parsed = [fields.parse_term(name) for name in names]
        if any(not term for _, term in parsed):
            raise UsageError("the terms of a vocabulary must not be empty")
        try:
            native = _native.Vocabulary([s for s, _ in parsed], [t for _, t in parsed])
        except ValueError as error:
            raise UsageError(str(error)) from None
        nothing = np.zeros(len(parsed), dtype=np.uint64)
        return cls(lambda: native, nothing, nothing, 0, fields)

    def counted(self, documents: Counts, occurrences: Counts, total: int) -> Vocabulary:
        """Return the same terms with these counts."""
        native = self.native
        return Vocabulary(lambda: native, documents, occurrences, total, self.fields)

    @classmethod
    def merge(cls, parts: Sequence[Vocabulary], bounds: TermBounds | None = None) -> Vocabulary:
        """Merge vocabularies that were counted apart, as if all documents were counted at once.

        Give the bounds here, not to the parts: a term that is rare in each may be frequent in all.
        Cost: linear in the terms of the parts, and a sort of the distinct ones.
        """
        if not parts:
            raise UsageError("merge needs at least one vocabulary")
        if any(part.fields != parts[0].fields for part in parts):
            raise UsageError("vocabularies to merge must have the same fields")
        collector = _native.TermCollector(keep_rows=False)
        for part in parts:
            collector.add_terms(part.native, part.documents, part.occurrences, part.total)
        return cls.collected(collector, bounds or TermBounds(), parts[0].fields, threads=1)[0]

    @classmethod
    def collected(
        cls,
        collector: _native.TermCollector,
        bounds: TermBounds,
        fields: Fields,
        threads: int,
    ) -> tuple[Vocabulary, _native.Ranking]:
        """Rank the terms of a collector; the ranking renumbers the rows it kept."""
        ranking = collector.rank(*bounds.limits(collector.documents), threads)
        vocabulary = cls(
            partial(collector.vocabulary, ranking),
            ranking.documents,
            ranking.occurrences,
            collector.documents,
            fields,
        )
        return vocabulary, ranking

    @cached_property
    def native(self) -> _native.Vocabulary:
        """The term table of the native core, made when first needed."""
        terms = self._make_terms()
        self._make_terms = lambda: terms  # releases the collector
        return terms

    @cached_property
    def names(self) -> list[str]:
        """The terms as users see them, by column."""
        terms = self.native.terms()
        if not self.fields.has_spaces:
            return terms
        spaces = self.native.spaces().tolist()
        return [self.fields.term_name(s, t) for s, t in zip(spaces, terms, strict=True)]

    @cached_property
    def column_of(self) -> Mapping[str, int]:
        """The column of each term."""
        return {name: column for column, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.documents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return (
            self.fields == other.fields
            and self.total == other.total
            and np.array_equal(self.documents, other.documents)
            and np.array_equal(self.occurrences, other.occurrences)
            and self.names == other.names
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.names, self.documents, self.occurrences, self.total, self.fields)
        return _restore, state

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} terms of {self.total} documents)"


def _restore(
    names: list[str], documents: Counts, occurrences: Counts, total: int, fields: Fields
) -> Vocabulary:
    return Vocabulary.of_terms(names, fields).counted(documents, occurrences, total)

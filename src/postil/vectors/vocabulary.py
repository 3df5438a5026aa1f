"""The terms a vectorizer knows, with how many documents hold each."""

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
    """Which terms a vocabulary keeps.

    ``min_df`` and ``max_df`` bound the number of documents that hold a term: whole numbers
    count documents, fractions are shares of all documents. ``min_occurrences`` bounds how often
    a term occurs in all. ``max_terms`` keeps the terms that occur most often.
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
            raise UsageError(f"min_occurrences is a whole number of at least 1, not {least!r}")
        most: Any = self.max_terms
        if most is not None and not (isinstance(most, (int, np.integer)) and most >= 1):
            raise UsageError(f"max_terms is a whole number of at least 1, not {most!r}")

    def limits(self, total: int) -> tuple[int, int, int, int]:
        """The least and most documents, least occurrences, and most terms, of ``total``."""
        if total == 0:
            raise UsageError(
                "there is no document to learn terms from (those marked test never are)"
            )
        least = _documents(self.min_df, total, math.ceil)
        most = _documents(self.max_df, total, math.floor)
        if least > total:
            raise UsageError(
                f"min_df={self.min_df} is more than the documents there are ({total}): lower it, "
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
    """A whole number as int, a share as float, whatever type of number it came as."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 0:
        return int(value)
    if isinstance(value, (float, np.floating)) and 0 <= value <= 1:
        return float(value)
    raise UsageError(f"{name} is a share between 0.0 and 1.0 or a whole number, not {value!r}")


def _documents(bound: float, total: int, rounding: Callable[[float], int]) -> int:
    # Rounded past the error of the product, so that 0.3 of 10 documents is 3.
    return rounding(round(bound * total, 9)) if isinstance(bound, float) else bound


class Vocabulary:
    """Terms ranked by falling document frequency; a term's rank is its column.

    Ties go by the term's bytes, so that the same documents in any order and any chunks give the
    same vocabulary. Frequent terms standing together keep solvers in the cache. Where one was
    extended (:mod:`postil.vectors.extending`), each update's terms stand behind those before.
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
        """A vocabulary given term by term; its counts are zero."""
        fields = fields if fields is not None else Fields()
        parsed = [fields.parse_term(name) for name in names]
        if any(not term for _, term in parsed):
            raise UsageError("a vocabulary has an empty term")
        try:
            native = _native.Vocabulary([s for s, _ in parsed], [t for _, t in parsed])
        except ValueError as error:
            raise UsageError(str(error)) from None
        nothing = np.zeros(len(parsed), dtype=np.uint64)
        return cls(lambda: native, nothing, nothing, 0, fields)

    @classmethod
    def merge(cls, parts: Sequence[Vocabulary], bounds: TermBounds | None = None) -> Vocabulary:
        """One vocabulary of several counted apart, as if all documents had been counted at once.

        Bounds belong here, not in the parts: a term that is rare in each may be frequent in all.
        Cost: linear in the terms of the parts, and a sort of the distinct ones.
        """
        if not parts:
            raise UsageError("there is no vocabulary to merge")
        if any(part.fields != parts[0].fields for part in parts):
            raise UsageError("vocabularies with different fields cannot be merged")
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
        """Rank what a collector gathered; the ranking renumbers the rows it kept."""
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
        """The table the native core looks terms up in, made when first needed."""
        terms = self._make_terms()
        self._make_terms = lambda: terms  # lets go of what it was made from
        return terms

    @cached_property
    def names(self) -> list[str]:
        """The terms as users see them, by column."""
        terms = self.native.terms()
        if not self.fields.apart:
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
    native = Vocabulary.of_terms(names, fields).native
    return Vocabulary(lambda: native, documents, occurrences, total, fields)

"""The tables of a recipe as values: representation, selection, search, decision, expectation."""

from __future__ import annotations

from dataclasses import dataclass

from postil.errors import UsageError
from postil.learn.search import PAPER_GRID, LambdaSearch
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting


@dataclass(frozen=True, slots=True)
class Representation:
    """Text to vectors."""

    analyzer: str = "words lower min(2)"
    fields: tuple[str, ...] = ()
    apart: bool = False
    weights: str = "tfidf"
    norm: str = "l2"
    min_df: float = 1
    max_df: float = 1.0
    min_occurrences: int = 1
    max_terms: int | None = None
    buckets: int | None = None

    def vectorizer(self, threads: int | None = None) -> Vectorizer:
        """A vectorizer that has seen nothing yet."""
        return Vectorizer(
            Analyzer(self.analyzer),
            fields=Fields(tuple(self.fields), self.apart),
            weighting=Weighting.named(self.weights, norm=self.norm),  # type: ignore[arg-type]
            bounds=TermBounds(self.min_df, self.max_df, self.max_terms, self.min_occurrences),
            buckets=self.buckets,
            threads=threads,
        )


@dataclass(frozen=True, slots=True)
class TermSelection:
    """Which terms a category keeps; without a measure all of them."""

    measure: str | None = None
    terms: int | None = None
    threshold: float | None = None

    def check(self) -> None:
        """Refuse a measure without its one number, and a number without a measure."""
        given = [name for name in ("terms", "threshold") if getattr(self, name) is not None]
        if self.measure is None and given:
            raise UsageError(
                f'{given[0]} is given and no measure to rank terms by; write measure = "gini", or '
                "leave the table out to keep every term"
            )
        if self.measure is not None and len(given) != 1:
            raise UsageError(
                f"a measure needs terms or threshold, got {' and '.join(given) or 'neither'}; "
                "write terms = 1000 to keep so many, or threshold for all that reach a score"
            )


@dataclass(frozen=True, slots=True)
class Search:
    """The strength of regularization by cross-validation; see ``LambdaSearch``."""

    grid: tuple[float, ...] = PAPER_GRID
    folds: int = 5
    shared: bool = True
    measure: str = "f1"
    one_standard_error: bool = False

    def over_lambda(self, documents: int | None = None, seed: int = 0) -> LambdaSearch:
        """The search; few documents make few folds."""
        folds = self.folds
        if documents is not None:
            folds = max(2, min(folds, documents))
        return LambdaSearch(
            self.grid, folds, self.shared, self.measure, seed, self.one_standard_error
        )


@dataclass(frozen=True, slots=True)
class Decide:
    """Scores to decisions and probabilities."""

    rule: str = "default"
    calibration: str | None = None
    folds: int = 5


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a paper prints for a corpus, and how near we promise to come."""

    corpus: str
    measure: str
    value: float
    tolerance: float

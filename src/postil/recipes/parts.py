"""The tables of a recipe as values: representation, selection, search, decision, expectation.

What a recipe's paper prints for a corpus, beside what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from postil.errors import UsageError
from postil.features.inputs import Csr
from postil.features.scopes import select_above_bar, select_for_all
from postil.features.select import select_terms
from postil.features.selection import Selection
from postil.learn.search.folds import Cut
from postil.learn.search.search import LambdaSearch
from postil.learn.search.squeezer import Squeezer
from postil.learn.strength import Way
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.recipes.recipe import Recipe


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
    lsi: int | str | None = None
    length: float | None = None

    def check_directions(self) -> None:
        """Refuse what says nothing without directions, or cannot be said with them."""
        if self.lsi is None and self.length is not None:
            raise UsageError(
                "length is what points in the directions of LSI are scaled to, and there are none; "
                "write lsi = 400, or leave length out"
            )
        if self.lsi is not None and self.buckets is not None:
            raise UsageError(
                "lsi finds directions of terms, and terms that share hash buckets have none of "
                "their own; leave buckets out, or lsi"
            )

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


# Whose terms are chosen: each category's own, one set for all, or each one's own above one bar.
SCOPES: Mapping[str, Callable[..., Selection]] = {
    "category": select_terms,
    "corpus": select_for_all,
    "bar": select_above_bar,
}


@dataclass(frozen=True, slots=True)
class TermSelection:
    """Which terms a category keeps; without a measure all of them.

    With ``scope="corpus"`` all categories keep the same, by the measure averaged over them
    (:mod:`postil.features.scopes`). With ``scope="bar"`` each keeps those of its own that
    score above one bar for all, ``terms`` at most (:mod:`postil.features.scopes`).
    """

    measure: str | None = None
    terms: int | None = None
    threshold: float | None = None
    scope: str = "category"

    def check(self) -> None:
        """Refuse a measure without its one number, and a number without a measure."""
        given = [name for name in ("terms", "threshold") if getattr(self, name) is not None]
        if self.measure is None and given:
            raise UsageError(
                f'{given[0]} is given and no measure to rank terms by; write measure = "gini", or '
                "leave the table out to keep every term"
            )
        if self.measure is None and self.scope != "category":
            raise UsageError(
                f"scope {self.scope!r} is given and no measure to rank terms by; write measure = "
                '"information-gain", or leave the table out to keep every term'
            )
        if self.measure is not None and len(given) != 1:
            raise UsageError(
                f"a measure needs terms or threshold, got {' and '.join(given) or 'neither'}; "
                "write terms = 1000 to keep so many, or threshold for all that reach a score"
            )

    def chosen(self, matrix: Csr, members: Csr) -> Selection | None:
        """The terms of each category, from documents × terms and documents × categories."""
        if self.measure is None:
            return None
        select = SCOPES[self.scope]
        return select(
            matrix,
            sp.csr_matrix(members, dtype=np.float32),
            measure=self.measure,
            k=self.terms,
            threshold=self.threshold,
        )


@dataclass(frozen=True, slots=True)
class Search:
    """The strength by cross-validation; see ``LambdaSearch``, and ``Squeezer`` for a limit."""

    over: Way = "lam"
    grid: tuple[float, ...] | str | None = None
    points: int = 20
    folds: int = 5
    rounds: int | None = None
    cut: Cut = "stratified"
    shared: bool = True
    measure: str | None = None
    one_standard_error: bool = False
    most_terms: int | None = None
    exactly: bool = False

    def over_lambda(self, documents: int | None = None, seed: int = 0) -> LambdaSearch | Squeezer:
        """The search; few documents make few folds."""
        folds, rounds = self.folds, self.rounds
        if documents is not None:
            folds = max(2, min(folds, documents))
            rounds = None if rounds is None else min(rounds, folds)
        search = LambdaSearch(
            self.grid,
            folds,
            self.shared,
            self.measure,
            seed,
            self.one_standard_error,
            self.over,
            rounds,
            self.points,
            cut=self.cut,
        )
        if self.most_terms is not None:
            return Squeezer(self.most_terms, self.exactly, search)
        if self.exactly:
            raise UsageError("exactly is given and not how many terms; write most_terms = 10")
        return search


@dataclass(frozen=True, slots=True)
class Decide:
    """Scores to decisions and probabilities."""

    rule: str = "default"
    calibration: str | None = None
    folds: int = 5


@dataclass(frozen=True, slots=True)
class Aim:
    """The measure that is cared about, by its name (:mod:`postil.learn.merit.naming`).

    With ``compare``, held-out folds say whether learning for it does better than thresholds that
    are tuned for it (:mod:`postil.train.choice`).
    """

    measure: str
    compare: bool = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a paper prints for a corpus, and how near we promise to come."""

    corpus: str
    measure: str
    value: float
    tolerance: float


def _break_even(report: Report) -> float | None:
    return None if report.ranking is None else report.ranking.break_even["nearest"].micro


def _macro_f1(report: Report) -> float | None:
    """The paper's: over categories with a training and a test document, F1 of 0/0 being 1."""
    f1 = report.values["f1"]
    kept = np.asarray(report.counts.members) > 0
    if report.training_sizes is not None:
        kept &= np.asarray(report.training_sizes) > 0
    return float(np.nan_to_num(f1[kept], nan=1.0).mean()) if kept.any() else None


MEASURES: Mapping[str, Callable[[Report], float | None]] = {
    "micro-f1": lambda report: report.micro["f1"],
    "micro-break-even": _break_even,
    "macro-f1": _macro_f1,
}


@dataclass(frozen=True, slots=True)
class Beside:
    """A printed value and ours, in %; ours and the difference are None if not measured."""

    measure: str
    printed: float
    ours: float | None
    difference: float | None
    tolerance: float

    @property
    def near(self) -> bool:
        """Whether ours is as near as promised."""
        return self.difference is not None and abs(self.difference) <= self.tolerance

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "near": self.near}


def beside(recipe: Recipe, corpus: str, report: Report) -> list[Beside]:
    """Every expectation of the recipe for the corpus, with what the report has for it."""
    return [_beside(each, report) for each in recipe.expect if each.corpus == corpus]


def _beside(expected: Expectation, report: Report) -> Beside:
    measure = MEASURES.get(expected.measure)
    share = None if measure is None else measure(report)
    ours = None if share is None or math.isnan(share) else 100 * share
    difference = None if ours is None else ours - expected.value
    return Beside(expected.measure, expected.value, ours, difference, expected.tolerance)

"""The tables of a recipe as dataclasses, and the numbers of its paper compared with a report."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Ints
from postil.decide.rules import RuleSpec, parse_rule
from postil.decide.shared_calibration import Hierarchical, Joint
from postil.errors import UsageError
from postil.features.inputs import Csr
from postil.features.scopes import select_above_bar, select_for_all
from postil.features.select import select_terms
from postil.features.selection import Selection
from postil.learn.search.folds import Cut
from postil.learn.search.grids import AUTO
from postil.learn.search.search import LambdaSearch
from postil.learn.search.squeezer import Squeezer
from postil.learn.strength import Way
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.matrices import as_new
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.recipes.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Representation:
    """The ``[representation]`` table: how texts become vectors."""

    analyzer: str = "words lower min(2)"
    fields: tuple[str, ...] = ()
    apart: bool = False
    also: tuple[str, ...] = ()
    weights: str = "tfidf"
    norm: str = "l2"
    min_df: float = 1
    max_df: float = 1.0
    min_occurrences: int = 1
    max_terms: int | None = None
    buckets: int | None = None
    lsi: int | str | None = None
    length: float | None = None

    def check(self) -> None:
        """Raise UsageError if an entry cannot be read, or entries contradict each other."""
        parts = self._vectorizer_parts()
        if self.buckets is not None and parts["bounds"] != TermBounds():
            raise UsageError(
                "bounds on terms (min_df, max_df, min_occurrences, max_terms) apply to a "
                "vocabulary, and hash buckets have none; leave buckets out, or the bounds"
            )
        if self.lsi is None and self.length is not None:
            raise UsageError(
                "length scales points in the directions of LSI, and lsi is not given; write "
                "lsi = 400, or leave length out"
            )
        if self.lsi is not None and self.buckets is not None:
            raise UsageError(
                "lsi finds directions of single terms, and hash buckets mix terms; leave buckets "
                "out, or lsi"
            )

    def as_new(self, rows: Csr, every: Csr) -> Csr:
        """Return held-out documents as they would be if they were new.

        Only vectors of length 1 over a vocabulary depend on the other documents.
        """
        if self.norm != "l2" or self.buckets is not None or self.lsi is not None:
            return rows
        return as_new(rows, every, max(1, int(self.min_df)))

    def vectorizer(self, threads: int | None = None) -> Vectorizer:
        """Return an unfitted vectorizer."""
        return Vectorizer(**self._vectorizer_parts(), buckets=self.buckets, threads=threads)

    def _vectorizer_parts(self) -> dict[str, Any]:
        return {
            "analyzer": Analyzer(self.analyzer),
            "fields": Fields(tuple(self.fields), self.apart, tuple(self.also)),
            "weighting": Weighting.named(self.weights, norm=self.norm),  # type: ignore[arg-type]
            "bounds": TermBounds(self.min_df, self.max_df, self.max_terms, self.min_occurrences),
        }


# Select for each category, once for all categories, or for each above a common bar.
SCOPES: Mapping[str, Callable[..., Selection]] = {
    "category": select_terms,
    "corpus": select_for_all,
    "bar": select_above_bar,
}


@dataclass(frozen=True, slots=True)
class TermSelection:
    """The ``[selection]`` table: the terms that each category keeps.

    Parameters
    ----------
    measure : str, optional
        The measure that ranks terms; without one all terms are kept.
    terms, threshold
        The number of terms to keep, or the least score: one of the two.
    scope : str
        ``"category"`` ranks terms for each category. ``"corpus"`` keeps the same terms for all
        categories, by the average of the measure. ``"bar"`` keeps, for each category, the terms
        above one common bar (:mod:`postil.features.scopes`).
    """

    measure: str | None = None
    terms: int | None = None
    threshold: float | None = None
    scope: str = "category"

    def check(self) -> None:
        """Raise UsageError if there is not a measure with one number, or neither."""
        given = [name for name in ("terms", "threshold") if getattr(self, name) is not None]
        if self.measure is None and given:
            raise UsageError(
                f'{given[0]} is given without a measure that ranks terms; write measure = "gini", '
                "or leave the table out to keep every term"
            )
        if self.measure is None and self.scope != "category":
            raise UsageError(
                f"scope {self.scope!r} is given without a measure that ranks terms; write "
                'measure = "information-gain", or leave the table out to keep every term'
            )
        if self.measure is not None and len(given) != 1:
            raise UsageError(
                f"a measure needs terms or threshold, got {' and '.join(given) or 'neither'}; "
                "write terms = 1000 to keep that many, or threshold for all terms above a score"
            )

    def chosen(self, matrix: Csr, members: Csr, categories: Ints | None = None) -> Selection | None:
        """Select the terms of each category, or of some; None keeps all terms.

        ``matrix`` is documents × terms, ``members`` documents × categories.
        """
        if self.measure is None:
            return None
        if categories is not None and self.scope == "category":  # alone: as among the others
            members, categories = members[:, categories], None
        select = SCOPES[self.scope]
        found = select(
            matrix,
            sp.csr_matrix(members, dtype=np.float32),
            measure=self.measure,
            k=self.terms,
            threshold=self.threshold,
        )
        return found if categories is None else found.of_categories(categories)


@dataclass(frozen=True, slots=True)
class Search:
    """The ``[search]`` table: the strength by cross-validation; see ``LambdaSearch``.

    With ``most_terms``, ``Squeezer`` looks for a strength that keeps so few terms.
    """

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
        """Return the search, with no more folds than documents."""
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
            raise UsageError(
                "exactly needs a number of terms; write most_terms = 10, or leave it out"
            )
        return search


LABEL_COUNTS = (AUTO, "one", "many")
ONE_LABEL, MANY_LABELS = "best", "probability"  # the rules that "auto" stands for


@dataclass(frozen=True, slots=True)
class Decide:
    """The ``[decide]`` table: how scores become decisions and probabilities.

    Parameters
    ----------
    labels : {"auto", "one", "many"}
        The number of categories of a document. ``"auto"`` is one if every training document has
        exactly one label, else many.
    rule, calibration : str, optional
        The decision rule and the calibration. ``"auto"`` gives the best category and probabilities
        that sum to 1 to documents of one label, and else every category from one probability on.
        Without a calibration it is that of the learner, if it has one.
    route : str, optional
        A precision such as ``"precision>=0.98"`` that labels must have with 95 % confidence out of
        fold. Documents without a label of that kind are referred to a person.
    folds : int
        The number of folds that rule and calibration are tuned on.
    """

    labels: str = "auto"
    rule: str = "default"
    calibration: str | None = None
    route: str | None = None
    folds: int = 5

    def tuned_rule(self) -> RuleSpec:
        """Return the rule; before any document is seen, ``"auto"`` is the rule of many labels."""
        return parse_rule(MANY_LABELS if self.rule == AUTO else self.rule)

    def resolved(self, single_label: bool, own: str | None = None) -> Decide:
        """Return the table with rule and calibration in place of ``"auto"``.

        Parameters
        ----------
        single_label : bool
            True if every training document has exactly one label.
        own : str, optional
            The calibration of a learner whose scores only compare with each other.
        """
        one = self.labels == "one" or (self.labels == AUTO and single_label)
        rule, calibration = self.rule, self.calibration
        if rule == AUTO:
            rule = ONE_LABEL if one or own is not None else MANY_LABELS
        if calibration == AUTO:
            calibration = own or (Joint.kind if rule == ONE_LABEL else Hierarchical.kind)
        return replace(self, rule=rule, calibration=calibration)


@dataclass(frozen=True, slots=True)
class Aim:
    """The ``[aim]`` table: the measure to learn and to decide for.

    With ``compare``, held-out folds decide whether learning for the measure is better than tuning
    thresholds for it (:mod:`postil.train.choice`).
    """

    measure: str
    compare: bool = False


@dataclass(frozen=True, slots=True)
class Auto:
    """The ``[auto]`` table: a search for representation, learner and strength.

    ``budget`` is about the seconds it may take on two cores (:mod:`postil.train.auto`).
    """

    budget: float = 45.0

    @classmethod
    def of(cls, budget: float | str) -> Auto | None:
        """Return the search of a time, such as 30, "30s", "10m" or "2h"; None for "none"."""
        text = str(budget).strip().lower()
        if text == "none":
            return None
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text)
        seconds = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else 0.0
        if not 0 < seconds < math.inf:
            raise UsageError(f"budget takes a time such as 30s, 10m or 2h, or none, not {budget!r}")
        return cls(seconds)


@dataclass(frozen=True, slots=True)
class Expectation:
    """A number that a paper prints for a corpus, and the tolerance of the recipe."""

    corpus: str
    measure: str
    value: float
    tolerance: float


def _break_even(report: Report) -> float | None:
    return None if report.ranking is None else report.ranking.break_even["nearest"].micro


def _macro_f1(report: Report) -> float | None:
    """Return macro F1 over categories with training and test documents; F1 of 0/0 is 1."""
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
class Comparison:
    """A printed value and the measured one, in %; None for a value that was not measured."""

    measure: str
    printed: float
    ours: float | None
    difference: float | None
    tolerance: float

    @property
    def near(self) -> bool:
        """True if the measured value is within the tolerance."""
        return self.difference is not None and abs(self.difference) <= self.tolerance

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**asdict(self), "near": self.near}


def compare_with_paper(recipe: Recipe, corpus: str, report: Report) -> list[Comparison]:
    """Compare the numbers that a recipe expects on a corpus with those of a report."""
    return [_compared(each, report) for each in recipe.expect if each.corpus == corpus]


def _compared(expected: Expectation, report: Report) -> Comparison:
    measure = MEASURES.get(expected.measure)
    share = None if measure is None else measure(report)
    ours = None if share is None or math.isnan(share) else 100 * share
    difference = None if ours is None else ours - expected.value
    return Comparison(expected.measure, expected.value, ours, difference, expected.tolerance)

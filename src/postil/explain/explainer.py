"""From a document and a category's rule to an explanation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from postil.errors import UsageError
from postil.explain.explanation import Explanation
from postil.explain.flips import find_flips
from postil.explain.reading import DocumentTerms, read_document
from postil.explain.rule import CategoryRule
from postil.explain.variants import constant_of, weights_of
from postil.vectors.fields import Text
from postil.vectors.vectorizer import Vectorizer

TOLERANCE = 1e-5
"""Vectors are float32: a sum of their entries is good to a few of its last seven digits."""


class Explainer:
    """Explains decisions of linear models over one vectorizer's columns.

    The vectorizer is a fitted one, or one with what was learned put in: analyzer, fields,
    weighting, vocabulary or hash buckets, idf. ``sets`` and ``additions`` bound how many ways to
    flip a decision are listed. Cost for each document: linear in its text; for each category:
    linear in the document's distinct terms and, for absent terms, in the model's.
    """

    def __init__(self, vectorizer: Vectorizer, *, sets: int = 3, additions: int = 10) -> None:
        self.vectorizer = vectorizer
        self.columns = vectorizer.columns
        self.sets = sets
        self.additions = additions

    def read(self, document: Text | Mapping[str, Text], document_id: str = "") -> DocumentTerms:
        """Find a document's terms: once, for however many categories."""
        return read_document(self.vectorizer, document, document_id)

    def explain(
        self,
        document: DocumentTerms | Text | Mapping[str, Text],
        rule: CategoryRule,
        *,
        score: float | None = None,
    ) -> Explanation:
        """Explain the decision on one category.

        ``score`` is what the model says: where it is given the decision rests on it, and an
        explanation that does not add up to it is refused.
        """
        self._check_width(rule)
        terms = document if isinstance(document, DocumentTerms) else self.read(document)
        weights = weights_of(terms, rule)
        constant = rule.factor * constant_of(self.vectorizer, rule)
        added = rule.factor * weights * terms.values
        parts = [rule.intercept, constant, -rule.bar, *added.tolist()]
        margin = math.fsum(parts)
        if score is not None:
            _check_score(rule.name, margin, score, math.fsum(map(abs, parts)))
        accepted = rule.accepts(margin if score is None else score)
        return Explanation(
            document=terms,
            category=rule.name,
            weights=weights,
            intercept=rule.intercept,
            constant=constant,
            margin=margin,
            threshold=rule.threshold,
            accepted=accepted,
            probability=None if rule.probability is None else float(rule.probability(margin)),
            flips=find_flips(
                self.vectorizer, terms, rule, accepted, sets=self.sets, additions=self.additions
            ),
            note=rule.note,
            factor=rule.factor,
            bar=rule.bar,
            circumstances=rule.circumstances,
        )

    def explain_all(
        self,
        document: DocumentTerms | Text | Mapping[str, Text],
        rules: Iterable[CategoryRule],
        *,
        scores: Sequence[float] | None = None,
    ) -> list[Explanation]:
        """Explain the decisions on several categories of one document."""
        terms = document if isinstance(document, DocumentTerms) else self.read(document)
        listed = list(rules)
        said: Sequence[float | None] = [None] * len(listed) if scores is None else scores
        if len(said) != len(listed):
            raise UsageError(f"{len(listed)} categories and {len(said)} scores: give one for each")
        return [
            self.explain(terms, rule, score=score) for rule, score in zip(listed, said, strict=True)
        ]

    def _check_width(self, rule: CategoryRule) -> None:
        if len(rule.weights) != self.columns:
            raise UsageError(
                f"category {rule.name!r} has {len(rule.weights)} weights, the vectorizer "
                f"{self.columns} columns: they must belong to one model"
            )


def _check_score(name: str, margin: float, score: float, size: float) -> None:
    if abs(margin - score) <= TOLERANCE * max(1.0, size):
        return
    raise UsageError(
        f"category {name!r}: the terms add up to {margin:.6g} and the model's score is "
        f"{score:.6g}; the weights and the vectorizer must be those the score was made with"
    )

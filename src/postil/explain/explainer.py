"""The explainer: from a document and a category's rule to an explanation."""

from __future__ import annotations

import math
from collections.abc import Mapping

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

    Cost for each document: linear in its text; for each category: linear in the document's distinct
    terms and, for absent terms, in the model's.

    Parameters
    ----------
    vectorizer:
        A fitted vectorizer, or one with hash buckets.
    sets, additions:
        The most ways to flip a decision to list: disjoint sets of terms to remove, and absent terms
        to add.
    """

    def __init__(self, vectorizer: Vectorizer, *, sets: int = 3, additions: int = 10) -> None:
        self.vectorizer = vectorizer
        self.columns = vectorizer.columns
        self.sets = sets
        self.additions = additions

    def read(self, document: Text | Mapping[str, Text], document_id: str = "") -> DocumentTerms:
        """Find a document's terms: once, for any number of categories."""
        return read_document(self.vectorizer, document, document_id)

    def explain(
        self,
        document: DocumentTerms | Text | Mapping[str, Text],
        rule: CategoryRule,
        *,
        score: float | None = None,
    ) -> Explanation:
        """Explain the decision on one category.

        Parameters
        ----------
        document:
            The document, or the result of ``read``.
        rule:
            The rule of the category.
        score:
            The model's score. If it is given, the decision rests on it, and UsageError is raised
            if the terms do not add up to it.
        """
        if len(rule.weights) != self.columns:
            raise UsageError(
                f"category {rule.name!r} has {len(rule.weights)} weights, the vectorizer "
                f"{self.columns} columns: they must belong to one model"
            )
        terms = document if isinstance(document, DocumentTerms) else self.read(document)
        weights = weights_of(terms, rule)
        constant = rule.factor * constant_of(self.vectorizer, rule)
        added = rule.factor * weights * terms.values
        parts = [rule.intercept, constant, -rule.bar, *added.tolist()]
        margin = math.fsum(parts)
        size = max(1.0, math.fsum(map(abs, parts)))
        if score is not None and abs(margin - score) > TOLERANCE * size:
            raise UsageError(
                f"category {rule.name!r}: the terms add up to {margin:.6g} and the model's score "
                f"is {score:.6g}; the weights and the vectorizer must be those the score was made "
                "with"
            )
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
            rather_than=rule.rather_than,
            title=rule.title,
        )

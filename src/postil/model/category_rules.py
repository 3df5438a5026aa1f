"""The linear rule of a category for one document, and scores of variants of the document.

Explanations need both: a variant lacks terms of the document, or has one more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats, Ints
from postil.explain.rule import (
    LEAST_SHARE,
    SHOWN_DOCUMENTS,
    SHOWN_RIVALS,
    Bar,
    CategoryRule,
    Circumstance,
    NodeScore,
    Path,
    RivalScore,
    Scaling,
    Support,
    SupportShare,
)
from postil.learn.combining import KernelSums, Rivals, Trees
from postil.learn.kernel_functions import kernel_name
from postil.model.model import Model
from postil.model.scoring import categories_of, factors_of, rows_of_sums, vector_rows

# The number of candidate terms scored at a time; memory is BLOCK × (rows + directions).
BLOCK = 1024


class Rescorer:
    """The score of one category for variants of a document, or its score over a rival's.

    It is a :class:`postil.explain.rule.VariantScorer`. ``by_term`` are the model's weights as CSC,
    which many of these may share. Scoring many variants of a document is a product of matrices,
    variants × terms × (rows + directions).
    """

    def __init__(
        self, model: Model, by_term: sp.csc_matrix[Any], category: int, rival: int | None = None
    ) -> None:
        self._model = model
        self._weights = by_term
        self._category = category
        self._rival = rival

    def margins(self, values: Floats, columns: Ints) -> Floats:
        """Return the margins of documents × terms in float64; ``columns`` are the terms'."""
        known = columns >= 0
        wanted, kept = self._with_constant(columns[known]), values[:, known]
        kept = np.hstack([kept, np.ones((len(kept), len(wanted) - kept.shape[1]))])
        return self._of_sums(kept @ self._rows(wanted), self._points(kept, wanted))

    def margins_with(
        self, row: Floats, columns: Ints, more: Ints, sizes: Floats, scale: Floats
    ) -> Floats:
        """Return the margins of a row with one more term of each size, times a scale."""
        known = columns >= 0
        wanted = columns[known]
        sums = row[known] @ self._rows(wanted)
        points = self._points(row[known][np.newaxis], wanted)
        constant = self._with_constant(np.empty(0, dtype=np.int64))
        constant_sums = self._rows(constant).sum(axis=0)
        constant_points = self._points(np.ones((1, len(constant))), constant)
        found = np.empty(len(more))
        for start in range(0, len(more), BLOCK):
            part = slice(start, start + BLOCK)
            by, size = scale[part, np.newaxis], sizes[part, np.newaxis]
            moved = None
            if points is not None and constant_points is not None:
                moved = by * (points + size * self._directions(more[part])) + constant_points
            found[part] = self._of_sums(
                by * (sums + size * self._rows(more[part])) + constant_sums, moved
            )
        return found

    def margin(self, values: Floats, columns: Ints) -> float:
        """Return the margin of one document, exactly as the model scores its vector."""
        known = columns >= 0
        wanted = self._with_constant(columns[known])
        entries = np.append(values[known], np.ones(len(wanted) - np.count_nonzero(known)))
        order = np.argsort(wanted)
        vector = sp.csr_matrix(
            (entries[order].astype(np.float32), wanted[order], [0, len(wanted)]),
            shape=(1, self._model.vectorizer.columns),
        )
        return float(self._chosen(vector_rows(self._model, vector))[0])

    def _of_sums(self, sums: Floats, points: Floats | None) -> Floats:
        factors = None
        if points is not None:
            assert self._model.projection is not None
            length = self._model.projection.length or 1.0  # a model's projection has one
            norms = np.sqrt(np.square(points).sum(axis=1))
            factors = np.divide(length, norms, out=np.zeros_like(norms), where=norms > 0)
        return self._chosen(rows_of_sums(self._model, sums, factors))

    def _chosen(self, rows: Floats) -> Floats:
        scores = categories_of(self._model, rows)
        own: Floats = scores[:, self._category]
        return own if self._rival is None else own - scores[:, self._rival]

    def _with_constant(self, columns: Ints) -> Ints:
        if not self._model.vectorizer.weighting.constant:
            return columns
        return np.append(columns, self._model.vectorizer.columns - 1)

    def _rows(self, columns: Ints) -> Floats:
        """Return the weights of some terms: terms × rows."""
        chosen: Any = self._weights[:, columns]
        weights: Floats = chosen.toarray().T.astype(np.float64)
        return weights

    def _directions(self, columns: Ints) -> Floats:
        assert self._model.projection is not None
        return self._model.projection.lsi.term_vectors[columns].astype(np.float64)

    def _points(self, values: Floats, columns: Ints) -> Floats | None:
        if self._model.projection is None:
            return None
        points: Floats = values @ self._directions(columns)
        return points


@dataclass(frozen=True, slots=True, eq=False)
class DocumentFacts:
    """The scores of one document, 1 × categories, those of rows of weights, and its factor."""

    scores: Floats
    rows: Floats
    factor: float = 1.0

    @classmethod
    def of(cls, model: Model, rows: Floats, vectors: sp.csr_matrix[Any] | None) -> DocumentFacts:
        """Return the facts of scores of rows, 1 × rows; a projection needs the vector."""
        factors = None if vectors is None else factors_of(model, vectors)
        factor = 1.0 if factors is None else float(factors[0])
        return cls(categories_of(model, rows), rows[0], factor)


def category_rule(model: Model, facts: DocumentFacts, column: int) -> CategoryRule:
    """Return the linear rule that decides on a category for this document.

    It is the category's row of weights, less the bar of its rivals; the node of its tree that
    decides; or the sum of its support documents, each times what a unit of its product adds.
    """
    row, height, title = column, 0.0, model.titles[column]
    circumstances: tuple[Circumstance, ...] = ()
    match model.combination:
        case Rivals() as rivals:
            height = float(rivals.bars(facts.rows[np.newaxis])[0, column])
            circumstances = (_bar(model, facts, column, rivals, height),)
        case Trees() as trees:
            names = trees.node_names(column)
            steps = trees.path(column, facts.rows)
            row = steps[-1].row
            nodes = tuple(NodeScore(names[step.row], step.score, step.accepted) for step in steps)
            circumstances = (Path(title, nodes),)
        case KernelSums() as sums:
            per_row, alone = sums.linear_rule(column, facts.rows)
            return CategoryRule(
                model.names[column],
                model.weights.T.astype(np.float64) @ per_row,
                alone,
                circumstances=(_support(title, sums, facts.rows, per_row),),
                title=title,
            )
    return CategoryRule(
        model.names[column],
        model.weights[[row]].toarray()[0],
        float(model.intercepts[row]),
        factor=facts.factor,
        bar=height,
        circumstances=circumstances,
        title=title,
    )


def _bar(model: Model, facts: DocumentFacts, column: int, rivals: Rivals, height: float) -> Bar:
    shares = rivals.shares(column, facts.rows)
    strongest = np.argsort(-shares, kind="stable")[: min(SHOWN_RIVALS, rivals.categories - 1)]
    shown = max(1, int(np.count_nonzero(shares[strongest] >= LEAST_SHARE)))
    listed = tuple(
        RivalScore(model.titles[other], float(facts.rows[other]), float(shares[other]))
        for other in strongest[:shown].tolist()
    )
    return Bar(
        model.titles[column],
        float(facts.rows[column]),
        height,
        rivals.sharpness,
        rivals.capped,
        listed,
        rivals.categories - 1,
    )


def _support(category: str, sums: KernelSums, products: Floats, per_row: Floats) -> Support:
    added = products * per_row

    def shares(sign: float) -> tuple[SupportShare, ...]:
        order = np.argsort(-sign * added, kind="stable")[:SHOWN_DOCUMENTS]
        return tuple(
            SupportShare(sums.ids[row], float(products[row]), float(added[row]))
            for row in order[sign * added[order] > 0].tolist()
        )

    return Support(
        category,
        kernel_name(sums.kernel),
        shares(1.0),
        shares(-1.0),
        int(np.count_nonzero(added)),
        float(added[added > 0].sum()),
        float(added[added < 0].sum()),
    )


def not_linear(model: Model) -> bool:
    """Return True if a score is more than a sum over terms."""
    return model.projection is not None or model.combination is not None


def rescored(
    model: Model,
    by_term: sp.csc_matrix[Any],
    facts: DocumentFacts,
    rule: CategoryRule,
    column: int,
    rival: int | None,
) -> CategoryRule:
    """Return a rule that is not linear, with a scorer of variants of the document."""
    circumstances = rule.circumstances
    if model.projection is not None and model.projection.length is not None:
        scaling = Scaling(model.projection.directions, model.projection.length, facts.factor)
        circumstances = (*circumstances, scaling)
    scorer = Rescorer(model, by_term, column, rival)
    return replace(rule, circumstances=circumstances, scorer=scorer)

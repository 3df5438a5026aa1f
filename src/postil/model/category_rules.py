"""A category of a model as the rule an explanation explains: for one document, and its scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.explain.circumstances import (
    LEAST_SHARE,
    SHOWN_RIVALS,
    Bar,
    Circumstance,
    NodeScore,
    Path,
    RivalScore,
    Scaling,
)
from postil.explain.rule import CategoryRule
from postil.learn.combining import Rivals, Trees
from postil.model.category_scores import categories_of, factors_of
from postil.model.model import Model
from postil.model.rescoring import Rescorer

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentFacts:
    """What a model says of one document: scores (1 × categories), those of rows, and its factor."""

    scores: Floats
    rows: Floats
    factor: float = 1.0

    @classmethod
    def of(cls, model: Model, rows: Floats, vectors: sp.csr_matrix[Any] | None) -> DocumentFacts:
        """From scores of rows (1 × rows); the vector is needed where there is a projection."""
        factors = None if vectors is None else factors_of(model, vectors)
        factor = 1.0 if factors is None else float(factors[0])
        return cls(categories_of(model, rows), rows[0], factor)


@dataclass(frozen=True, slots=True)
class _Part:
    """The row of weights whose reasons are those of a category, and what else it rests on."""

    row: int
    bar: float = 0.0
    circumstance: Circumstance | None = None


def category_rule(model: Model, facts: DocumentFacts, column: int) -> CategoryRule:
    """The linear rule that decides on a category for this document.

    Its own row of weights; less the bar of its rivals; or the node of its tree that decides.
    """
    part = _part(model, facts, column)
    return CategoryRule(
        model.names[column],
        model.weights[[part.row]].toarray()[0],
        float(model.intercepts[part.row]),
        factor=facts.factor,
        bar=part.bar,
        circumstances=() if part.circumstance is None else (part.circumstance,),
    )


def not_linear(model: Model) -> bool:
    """Whether a score is more than a sum over terms."""
    return model.projection is not None or model.combination is not None


def scored_anew(
    model: Model,
    by_term: sp.csc_matrix[Any],
    facts: DocumentFacts,
    rule: CategoryRule,
    column: int,
    rival: int | None,
) -> CategoryRule:
    """A rule that is not linear, with whoever scores variants of the document."""
    circumstances = rule.circumstances
    if model.projection is not None and model.projection.length is not None:
        scaling = Scaling(model.projection.directions, model.projection.length, facts.factor)
        circumstances = (*circumstances, scaling)
    judge = Rescorer(model, by_term, column, rival)
    return replace(rule, circumstances=circumstances, judge=judge)


def _part(model: Model, facts: DocumentFacts, column: int) -> _Part:
    match model.combination:
        case Rivals() as rivals:
            return _over_rivals(model, facts, column, rivals)
        case Trees() as trees:
            return _at_node(model, facts, column, trees)
        case _:
            return _Part(column)


def _over_rivals(model: Model, facts: DocumentFacts, column: int, rivals: Rivals) -> _Part:
    height = float(rivals.bars(facts.rows[np.newaxis])[0, column])
    shares = rivals.shares(column, facts.rows)
    strongest = np.argsort(-shares, kind="stable")[: min(SHOWN_RIVALS, rivals.categories - 1)]
    told = max(1, int(np.count_nonzero(shares[strongest] >= LEAST_SHARE)))
    listed = tuple(
        RivalScore(model.names[other], float(facts.rows[other]), float(shares[other]))
        for other in strongest[:told].tolist()
    )
    bar = Bar(
        model.names[column],
        float(facts.rows[column]),
        height,
        rivals.sharpness,
        rivals.capped,
        listed,
        rivals.categories - 1,
    )
    return _Part(column, height, bar)


def _at_node(model: Model, facts: DocumentFacts, column: int, trees: Trees) -> _Part:
    names = trees.node_names(column)
    steps = trees.path(column, facts.rows)
    path = Path(
        model.names[column],
        tuple(NodeScore(names[step.row], step.score, step.accepted) for step in steps),
    )
    return _Part(steps[-1].row, circumstance=path)

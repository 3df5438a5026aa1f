"""Scores that say whom they were made for, so that no rule is fitted to the wrong ones.

A rule or calibration states which scores it needs and accepts only those. A plain array is
refused: whoever holds the scores of a test set has nothing that fits, short of calling them
training scores in so many words.

Scores for every training document by a model that had not seen it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Flags, Floats, Ints
from postil.decide.folds import Folds
from postil.decide.inputs import Csc, Sparse, checked_scores, checked_truth, checked_weights
from postil.errors import UsageError


class Needs(Enum):
    """The scores a rule or calibration is fitted to; the value says it in words."""

    NOTHING = "no scores"
    TRAINING = "TrainingScores: those the model gives the documents it was trained on"
    OUT_OF_FOLD = "OutOfFoldScores: those of models that had not seen the document"


@dataclass(frozen=True, slots=True, eq=False)
class TrainingScores:
    """What a model scores for the documents it was trained on, documents × categories.

    They flatter the model. The values are shared with the caller, read-only.
    """

    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _shared(checked_scores(self.values, "training scores")))


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFoldScores:
    """What models that had not seen a training document score for it, documents × categories.

    ``postil.decide.out_of_fold_scores`` makes them; ``folds`` says which document was held out
    when. The values are shared with the caller, read-only.
    """

    values: Floats
    folds: Folds

    def __post_init__(self) -> None:
        values = _shared(checked_scores(self.values, "out-of-fold scores"))
        if len(self.folds.part) != len(values):
            raise UsageError(
                f"the folds are of {len(self.folds.part)} documents and the scores of "
                f"{len(values)}: both need one row per training document"
            )
        object.__setattr__(self, "values", values)


Scores: TypeAlias = TrainingScores | OutOfFoldScores
_TYPES: dict[Needs, type[Scores]] = {
    Needs.TRAINING: TrainingScores,
    Needs.OUT_OF_FOLD: OutOfFoldScores,
}


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """All a rule may look at: the training truth, document weights, and the scores it needs.

    Documents of weight 0 are left out. ``scores`` has no column where no scores are needed.
    """

    truth: Csc
    weights: Floats
    scores: Floats

    @classmethod
    def of(
        cls,
        who: str,
        needs: Needs,
        scores: Scores | None,
        truth: Sparse,
        weights: NDArray[np.float64] | None,
    ) -> TrainingSet:
        """Check everything; ``who`` is the rule or calibration that a message names."""
        if scores is not None and not isinstance(scores, TrainingScores | OutOfFoldScores):
            raise UsageError(
                f"{who}: scores come as TrainingScores or OutOfFoldScores, which say what they "
                f"are, got {type(scores).__name__}; it needs {needs.value}"
            )
        if needs in _TYPES and not isinstance(scores, _TYPES[needs]):
            raise UsageError(f"{who} needs {needs.value}; got {type(scores).__name__}")
        members = checked_truth(truth, None if scores is None else _shape(scores))
        weighed = checked_weights(weights, members.shape[0])
        values = np.empty((len(weighed), 0))
        if scores is not None and needs in _TYPES:
            values = scores.values
        if (weighed > 0).all():
            return cls(members, weighed, values)
        kept = np.flatnonzero(weighed > 0)
        return cls(members.tocsr()[kept].tocsc(), weighed[kept], values[kept])

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return int(self.truth.shape[1])

    def members(self, category: int) -> Flags:
        """Say of each document whether it is in the category; costs the documents."""
        inside = np.zeros(len(self.weights), dtype=np.bool_)
        start, end = self.truth.indptr[category : category + 2]
        inside[self.truth.indices[start:end]] = True
        return inside

    def priors(self) -> Floats:
        """Each category's share of the documents by weight, 0 where there are none."""
        inside = np.asarray(self.truth.T @ self.weights, dtype=np.float64)
        total = float(self.weights.sum())
        return np.minimum(inside / total, 1.0) if total > 0 else np.zeros(self.categories)


def _shape(scores: Scores) -> tuple[int, int]:
    documents, categories = scores.values.shape
    return documents, categories


def _shared(values: Floats) -> Floats:
    view = values.view()
    view.flags.writeable = False
    return view


FitAndScore: TypeAlias = Callable[[Ints, Ints], Floats]


def out_of_fold_scores(fit_and_score: FitAndScore, folds: Folds, n: int, k: int) -> OutOfFoldScores:
    """Score each of ``n`` training documents for ``k`` categories, one fold held out at a time.

    ``fit_and_score(train, held_out)`` gets two disjoint sets of row numbers, learns from the
    first alone and returns scores for the second, ``len(held_out)`` × ``k``. Whatever looks at
    labels belongs inside: weights, and selected terms. Vocabulary and idf look at none, and
    :func:`postil.train.train.train` shares those of all training documents. Every row is held out
    once. Costs the calls; memory is the n × k scores.
    """
    if len(folds.part) != n:
        raise UsageError(f"the folds are of {len(folds.part)} documents, not of {n}")
    values = np.empty((n, k))
    for number, (train, held_out) in enumerate(folds, 1):
        where = f"scores of fold {number} of {len(folds)}"
        scores = checked_scores(fit_and_score(train, held_out), where)
        if scores.shape != (len(held_out), k):
            raise UsageError(
                f"{where}: {len(held_out)} documents × {k} categories were asked for, "
                f"{scores.shape[0]} × {scores.shape[1]} came"
            )
        values[held_out] = scores
    return OutOfFoldScores(values, folds)

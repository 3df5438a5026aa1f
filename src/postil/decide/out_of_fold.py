"""Scores for every training document by a model that had not seen it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from postil.decide.evidence import OutOfFoldScores
from postil.decide.folds import Folds, Rows
from postil.decide.inputs import Floats, checked_scores
from postil.errors import UsageError

FitAndScore: TypeAlias = Callable[[Rows, Rows], Floats]


def out_of_fold_scores(fit_and_score: FitAndScore, folds: Folds, n: int, k: int) -> OutOfFoldScores:
    """Score each of ``n`` training documents for ``k`` categories, one fold held out at a time.

    ``fit_and_score(train, held_out)`` gets two disjoint sets of row numbers, learns from the
    first alone and returns scores for the second, ``len(held_out)`` × ``k``. Whatever looks at
    labels belongs inside: weights, and selected terms. Vocabulary and idf look at none, and
    :func:`postil.training.train` shares those of all training documents. Every row is held out
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

"""The learning curve, and likely label errors of training documents: by scores out of fold.

The scores are those of :meth:`postil.train.run.TrainingRun.out_of_fold`, and the decisions and
probabilities those of :mod:`postil.decide.held_out`.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.decide.held_out import HeldOut
from postil.errors import PostilError
from postil.evaluate.break_even import break_even_points
from postil.evaluate.measures import is_single_label
from postil.model.model import Model
from postil.train.predict import Decider
from postil.train.run import TrainingRun

SHARES = (0.125, 0.25, 0.5, 1.0)
ROUNDS = 2
SURE, UNLIKELY = 0.9, 0.05
KNOWN = 0.5


class LearningCurve(NamedTuple):
    """The quality on held-out documents by the number of documents that were learned from.

    ``values`` has a row for each fold and a column for each number of ``documents``.
    """

    measure: str
    documents: list[int]
    values: Floats


def learning_curve(run: TrainingRun, model: Model) -> LearningCurve | None:
    """Learn from 12.5, 25, 50 and 100 % of the other documents of two folds.

    The measure needs no threshold, which few documents could not tune: the accuracy of the best
    category if every document has one, else the micro-averaged break-even point. A number of
    documents that the recipe cannot learn from is left out; the curve is None if none is left
    besides 100 %. Cost: six fits.
    """
    scores, truth = run.out_of_fold(), run.labels.members
    single, decider = is_single_label(truth), Decider(model)
    most = run.design.documents * (1 - 1 / len(scores.folds))
    columns: dict[float, list[float]] = {share: [] for share in SHARES if share * most >= 1}
    for number, (rest, rows) in enumerate(islice(scores.folds, ROUNDS), 1):
        order = np.random.default_rng(run.seed).permutation(rest)
        for share, values in columns.items():
            learned = np.sort(order[: max(1, round(share * len(rest)))])
            step = f"learning curve, fold {number}, {share:.1%}"
            try:
                found = scores.values[rows] if share == 1 else run.score(step, learned, rows)
            except PostilError:
                continue  # too few documents for the recipe, such as for its directions of LSI
            values.append(_quality(truth[rows], decider.rankings(found), single=single))
    kept = {share: values for share, values in columns.items() if len(values) == ROUNDS}
    if len(kept) < 2:
        return None
    return LearningCurve(
        "accuracy" if single else "micro-averaged break-even",
        [round(share * most) for share in kept],
        np.array(list(kept.values())).T,
    )


def _quality(truth: sp.csr_matrix[Any], rankings: Floats, *, single: bool) -> float:
    if not single:
        return break_even_points(truth, rankings).micro
    best = rankings.argmax(axis=1)
    return float(np.asarray(truth[np.arange(len(best)), best]).mean())


class Suspect(NamedTuple):
    """A training document whose labels are doubtful: its row, and the columns in doubt.

    ``lacks`` are categories that it does not have and that are probable; ``has`` are categories
    that it has and that are improbable; each with its probability.
    """

    row: int
    lacks: tuple[tuple[int, float], ...]
    has: tuple[tuple[int, float], ...]

    @property
    def doubt(self) -> tuple[float, float]:
        """The largest disagreement, and the sum of all, which orders equal ones."""
        gaps = [p for _, p in self.lacks] + [1 - p for _, p in self.has]
        return max(gaps), sum(gaps)


def suspects(found: HeldOut) -> list[Suspect]:
    """Return the documents whose labels disagree with probabilities out of fold, worst first.

    A label is in doubt if its probability is at least ``SURE`` and the document lacks it, or at
    most ``UNLIKELY`` and the document has it. A category whose members have a mean probability
    under ``KNOWN`` says nothing of its members: the recipe does not know it well enough.
    """
    if found.probabilities is None:
        return []
    truth, probabilities = found.truth, found.probabilities
    doubts: dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]] = {}
    rows = np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))
    own_probabilities = probabilities[rows, truth.indices]
    sums = np.bincount(truth.indices, own_probabilities, truth.shape[1])
    members = np.bincount(truth.indices, minlength=truth.shape[1])
    known = (sums >= KNOWN * members)[truth.indices]
    unlikely = np.flatnonzero((own_probabilities <= UNLIKELY) & known)
    for row, column in np.stack([rows, truth.indices])[:, unlikely].T.tolist():
        doubt = (column, float(probabilities[row, column]))
        doubts.setdefault(row, ([], []))[1].append(doubt)
    for row, column in np.argwhere(probabilities >= SURE).tolist():
        own = truth.indices[truth.indptr[row] : truth.indptr[row + 1]]
        if column not in own:
            doubt = (column, float(probabilities[row, column]))
            doubts.setdefault(row, ([], []))[0].append(doubt)
    listed = [
        Suspect(
            row,
            tuple(sorted(lacks, key=lambda each: -each[1])),
            tuple(sorted(has, key=lambda each: each[1])),
        )
        for row, (lacks, has) in doubts.items()
    ]
    return sorted(listed, key=lambda each: (*(-gap for gap in each.doubt), each.row))

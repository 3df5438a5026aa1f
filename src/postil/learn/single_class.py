"""Documents that have exactly one class each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SingleClass:
    """The class of each document that counts, and how much it counts.

    ``of_document`` holds places among ``learnable``, the categories that have members which count;
    it says nothing of documents of weight 0. ``weights`` are the documents' times those of their
    classes, ``total`` the sum of the documents' own. Costs the number of memberships.
    """

    learnable: NDArray[np.int64]
    of_document: NDArray[np.int32]
    weights: Floats
    total: float
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Labels, emphasis: Emphasis, kind: str = "polychotomous") -> SingleClass:
        """Refuse documents with no class or with several; those of weight 0 are not asked.

        ``kind`` is the learner's, for those who are refused.
        """
        documents = emphasis.of_documents(labels.documents)
        counted = np.flatnonzero(documents > 0)
        _refuse_others(np.diff(labels.members.indptr)[counted], counted, len(documents), kind)
        columns = np.zeros(len(documents), dtype=np.int64)
        columns[counted] = labels.members.indices[labels.members.indptr[counted]]
        sizes = np.bincount(columns[counted], minlength=len(labels)).astype(np.int64)
        inside: Floats = np.bincount(columns, documents, len(labels)).astype(np.float64)
        learnable = np.flatnonzero(sizes)
        places = np.zeros(len(labels), dtype=np.int32)
        places[learnable] = np.arange(len(learnable))
        total = float(documents.sum())
        each = _class_weights(emphasis, inside, total, len(learnable), kind)
        return cls(learnable, places[columns], documents * each[columns], total, sizes)


# What to learn one-vs-rest instead.
_LOSSES = {"polychotomous": "logistic", "multiclass-svm": "hinge"}


def _refuse_others(
    counts: NDArray[np.int64], rows: NDArray[np.int64], documents: int, kind: str
) -> None:
    wrong = np.flatnonzero(counts != 1)
    if not len(wrong):
        return
    none, several = int((counts == 0).sum()), int((counts > 1).sum())
    found = [f"{none} with none"] if none else []
    found += [f"{several} with more than one"] if several else []
    raise InputError(
        f"{kind} learning needs exactly one class for each document: of {documents} "
        f"documents there are {' and '.join(found)} (the first is number "
        f'{int(rows[wrong[0]]) + 1}); learn one-vs-rest instead (learner = "linear", loss = '
        f'"{_LOSSES[kind]}"), or leave these documents out'
    )


def _class_weights(
    emphasis: Emphasis, inside: Floats, total: float, classes: int, kind: str
) -> Floats:
    """How much members of each class count; balanced, all classes weigh the same together."""
    if emphasis.classes is None:
        return np.ones(len(inside))
    if isinstance(emphasis.classes, str) and emphasis.classes == "balanced":
        with np.errstate(divide="ignore"):
            return np.where(inside > 0, total / (classes * inside), 0.0)
    raise UsageError(
        f"{kind} learning knows no members and others of a class: class weights are "
        f"'balanced' or none, not {emphasis.classes!r}; weigh documents instead"
    )

"""Folds of the training documents, and the scores of each document by a model that had not seen it.

One set of folds serves all categories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from postil.common.types import Floats, Ints
from postil.decide.scores import OutOfFoldScores, Sparse, checked_scores, checked_truth, frozen
from postil.errors import UsageError


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """A partition of documents: ``part[i]``, from 0, is the fold that holds document i out."""

    part: Ints

    def __post_init__(self) -> None:
        part = np.asarray(self.part)
        if part.ndim != 1 or part.dtype.kind not in "iu":
            raise UsageError(
                f"folds are one whole number per document, got {part.ndim} dimensions of "
                f"{part.dtype}"
            )
        sizes = np.bincount(part) if len(part) > 0 and part.min() >= 0 else np.zeros(1)
        if len(sizes) < 2 or not sizes.all():
            raise UsageError(
                "folds must be numbered from 0, 2 or more of them and none empty; got "
                f"{np.unique(part).tolist()} among {len(part)} documents"
            )
        object.__setattr__(self, "part", frozen(part, np.int64))

    def __len__(self) -> int:
        return int(self.part.max()) + 1

    def __iter__(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield for each fold the documents to train on and those held out, both rising."""
        for fold in range(len(self)):
            held_out = self.part == fold
            yield np.flatnonzero(~held_out), np.flatnonzero(held_out)


def make_folds(truth: Sparse, count: int = 5, seed: int = 0, groups: Ints | None = None) -> Folds:
    """Divide documents into folds in which every category keeps its share.

    Multi-label iterative stratification (:mod:`postil.corpus.split`): the same truth, count and
    seed give the same folds. Time is linear in memberships times folds.

    Parameters
    ----------
    truth:
        Sparse indicator of memberships, documents × categories.
    count:
        Number of folds, at least 2 and at most one for each document.
    seed:
        Seed of the random order of documents.
    groups:
        The group of each document, from 0; the documents of a group are in one fold. They are
        dealt one by one where there are fewer groups than folds.
    """
    if groups is not None and (sizes := np.bincount(groups)).max(initial=1) > 1:
        if len(sizes) < count:
            return make_folds(truth, count, seed)
        import scipy.sparse as sp

        of_group = sp.csr_matrix((np.ones(len(groups)), (groups, np.arange(len(groups)))))
        labels = sp.csr_matrix(of_group @ checked_truth(truth).astype(np.float64)).astype(np.bool_)
        return Folds(make_folds(labels, count, seed).part[groups])
    from postil.learn.job import Labels
    from postil.learn.search.folds import make_parts

    by_document = checked_truth(truth).tocsr()
    documents = by_document.shape[0]
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise UsageError(f"the number of folds must be a whole number of at least 2, got {count!r}")
    if not 2 <= count <= documents:
        raise UsageError(
            f"{documents} document{'' if documents == 1 else 's'} cannot be cut in {count} "
            f"fold{'' if count == 1 else 's'}: take 2 folds or more, each with one document or more"
        )
    names = tuple(str(category) for category in range(by_document.shape[1]))
    return Folds(make_parts(Labels(names, by_document), count, seed))


FitAndScore: TypeAlias = Callable[[Ints, Ints], Floats]


def out_of_fold_scores(fit_and_score: FitAndScore, folds: Folds, n: int, k: int) -> OutOfFoldScores:
    """Score each training document by a model fitted to the other folds.

    Cost: the calls of ``fit_and_score``; memory is the n × k scores.

    Parameters
    ----------
    fit_and_score:
        Function of two disjoint sets of row numbers, train and held out. It learns from the first
        alone and returns scores for the second, ``len(held_out)`` × ``k``. Everything that looks at
        labels belongs inside: weights, and selected terms. Vocabulary and idf look at none, and
        :func:`postil.train.train.train` shares those of all training documents.
    folds:
        Folds of the documents; every row is held out once.
    n, k:
        Numbers of training documents and of categories.
    """
    if len(folds.part) != n:
        raise UsageError(f"the folds are of {len(folds.part)} documents, not of {n}")
    values = np.empty((n, k))
    for number, (train, held_out) in enumerate(folds, 1):
        name = f"scores of fold {number} of {len(folds)}"
        scores = checked_scores(fit_and_score(train, held_out), name)
        if scores.shape != (len(held_out), k):
            raise UsageError(
                f"{name}: expected {len(held_out)} documents × {k} categories, received "
                f"{scores.shape[0]} × {scores.shape[1]}"
            )
        values[held_out] = scores
    return OutOfFoldScores(values, folds)

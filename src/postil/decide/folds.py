"""Folds of the training documents: one set for all categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from postil.common.types import Ints
from postil.decide.inputs import Sparse, checked_truth, frozen
from postil.errors import UsageError
from postil.learn.job import Labels
from postil.learn.search.folds import make_parts


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
                "folds are numbered from 0 and none is empty, 2 or more of them; got "
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


def make_folds(truth: Sparse, count: int = 5, seed: int = 0) -> Folds:
    """Cut documents in ``count`` folds in which every category keeps its share.

    Multi-label iterative stratification (:mod:`postil.corpus.split`): the same truth,
    count and seed give the same folds. Time is linear in memberships times folds.
    """
    by_document = checked_truth(truth).tocsr()
    documents = by_document.shape[0]
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise UsageError(f"folds are a whole number of at least 2, not {count!r}")
    if not 2 <= count <= documents:
        raise UsageError(
            f"{documents} document{'' if documents == 1 else 's'} cannot be cut in {count} "
            f"fold{'' if count == 1 else 's'}: each fold holds out one document or more, and "
            "there are 2 folds or more"
        )
    names = tuple(str(category) for category in range(by_document.shape[1]))
    return Folds(make_parts(Labels(names, by_document), count, seed))

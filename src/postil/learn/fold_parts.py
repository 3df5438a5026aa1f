"""Which fold holds out which document."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from postil.corpus.stratification import stratify
from postil.errors import UsageError
from postil.learn.labels import Labels

Parts = NDArray[np.int64]
Cut = Literal["stratified", "random"]


def make_parts(labels: Labels, count: int, seed: int, cut: Cut = "stratified") -> Parts:
    """The fold of each document, from 0 to ``count`` - 1; all are of one size, or one apart.

    ``stratified``: every category keeps its share in every fold. ``random``: whatever the
    categories, so that a fold may have no member of one. The same labels, count, seed and cut give
    the same folds; those by chance are NumPy's, and may change with its version. Time is linear in
    documents, or, stratified, in memberships times folds.
    """
    if labels.documents < count:
        raise UsageError(
            f"{labels.documents} documents cannot be cut in {count} folds: each fold holds out "
            "one document or more"
        )
    return CUTS[cut](labels, count, seed)


def _stratified(labels: Labels, count: int, seed: int) -> Parts:
    names, columns = labels.names, labels.members.indices.tolist()
    bounds = pairwise(labels.members.indptr.tolist())
    sets = ([names[column] for column in columns[start:end]] for start, end in bounds)
    return stratify(sets, [1 / count] * count, seed)


def _random(labels: Labels, count: int, seed: int) -> Parts:
    if seed < 0:
        raise UsageError(f"a random cut wants a seed of 0 or more, not {seed}")
    return np.random.default_rng(seed).permutation(labels.documents) % count


CUTS: dict[Cut, Callable[[Labels, int, int], Parts]] = {
    "stratified": _stratified,
    "random": _random,
}

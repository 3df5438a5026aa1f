"""Scores, truth and weights that rules and calibrations are fitted to, checked once.

Scores say how they were made, so that no rule is fitted to the wrong ones. A rule or calibration
states which scores it needs and accepts only those; it refuses a plain array, so that the scores
of a test set cannot slip in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Flags, Floats, Indices
from postil.errors import InputError, UsageError

if TYPE_CHECKING:
    import scipy.sparse as sp

    from postil.decide.folds import Folds

Csr: TypeAlias = "sp.csr_matrix[Any]"
Csc: TypeAlias = "sp.csc_matrix[Any]"
Sparse: TypeAlias = "Csr | Csc | sp.csr_array[Any, tuple[int, int]] | sp.csc_array[Any]"


def checked_scores(
    scores: ArrayLike, name: str = "scores", categories: int | None = None
) -> Floats:
    """Return scores as float64, documents × categories, every one a finite number.

    A float64 array is not copied. Cost: one pass over the scores.

    Parameters
    ----------
    scores:
        An array of documents × categories.
    name:
        Name of the scores in messages.
    categories:
        Number of categories that a rule or calibration was fitted to, if the scores are for one.
    """
    values = np.asarray(scores)
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise UsageError(
            f"{name} must be a real array of documents × categories, got {values.ndim} "
            f"dimensions of {values.dtype}: reshape a single category to one column"
        )
    values = values.astype(np.float64, copy=False)
    finite = np.isfinite(values)
    if not finite.all():
        document, category = (int(place[0]) for place in np.nonzero(~finite))
        raise InputError(
            f"{name}, document {document}, category {category}: the score is "
            f"{values[document, category]}; decisions need finite scores, so look at what "
            "the model or its input did there"
        )
    if categories is not None and values.shape[1] != categories:
        raise UsageError(
            f"the decision rule or calibration was fitted to {categories} categories and the "
            f"scores are for {values.shape[1]}: use the scores of the model it was fitted with"
        )
    return values


def top_columns(values: Floats, most: int) -> Indices:
    """Return the columns of the highest values in each row, best first, ties in column order.

    Cost: a pass over the values, and a sort of the highest.

    Parameters
    ----------
    values:
        Array of rows × columns.
    most:
        Number of columns to return for each row, at least 1; at most all are.
    """
    spare = values.shape[1] - most
    if spare <= 0:
        return np.argsort(-values, axis=1, kind="stable")
    found = np.sort(np.argpartition(values, spare, axis=1)[:, spare:], axis=1)
    highest = np.take_along_axis(values, found, 1)
    top = np.take_along_axis(found, np.argsort(-highest, axis=1, kind="stable"), 1)
    last = highest.min(axis=1)
    # The partition takes any columns of those that tie for the last place.
    for row in np.flatnonzero((values >= last[:, np.newaxis]).sum(axis=1) > most):
        tied = np.flatnonzero(values[row] >= last[row])
        top[row] = tied[np.argsort(-values[row, tied], kind="stable")[:most]]
    return top


def check_sparse(matrix: object, name: str) -> None:
    """Raise UsageError unless the matrix is sparse, with indices inside its shape."""
    import scipy.sparse as sp

    from postil.vectors.matrices import check_indices

    if not sp.issparse(matrix):
        raise UsageError(
            f"{name} must be a scipy sparse indicator (documents × categories), got "
            f"{type(matrix).__name__}: wrap it in scipy.sparse.csr_matrix"
        )
    check_indices(matrix, name)


def checked_truth(truth: Sparse, shape: tuple[int, ...] | None = None) -> Csc:
    """Return the indicator of memberships as bool, by category; ``shape`` is its required shape.

    Entries are 0 and 1, or False and True. Cost: the number of memberships.
    """
    import scipy.sparse as sp

    check_sparse(truth, "truth")
    if shape is not None and tuple(truth.shape) != shape:
        raise UsageError(
            f"scores are for {shape[0]} documents × {shape[1]} categories and truth is for "
            f"{' × '.join(map(str, truth.shape))}: both need the same documents and categories, "
            "in the same order"
        )
    by_category = sp.csc_matrix(truth, copy=True)
    by_category.sum_duplicates()
    if not np.isin(by_category.data, (0, 1)).all():
        raise UsageError("truth must hold 0 and 1 (member or not): turn ±1 into (truth > 0)")
    by_category.data = by_category.data.astype(np.bool_)
    by_category.eliminate_zeros()
    return by_category


def checked_weights(weights: ArrayLike | None, documents: int) -> Floats:
    """Return sample weights as float64, 0 or more; ``None`` weighs every document 1."""
    if weights is None:
        return np.ones(documents)
    values = np.asarray(weights)
    if values.shape != (documents,) or values.dtype.kind not in "fiu":
        raise UsageError(
            f"weights must be one number for each of {documents} documents, got an array of "
            f"{values.dtype} of shape {values.shape}"
        )
    values = values.astype(np.float64, copy=False)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad) > 0:
        raise InputError(
            f"weights, document {int(bad[0])}: the weight is {values[bad[0]]}; a weight is a "
            "finite number, 0 or more"
        )
    with np.errstate(over="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        raise InputError("weights: their sum is beyond the largest number; scale them down")
    return values


def frozen(values: ArrayLike, dtype: type[np.generic]) -> NDArray[Any]:
    """Copy values into a read-only array."""
    copied = np.array(values, dtype=dtype)
    copied.flags.writeable = False
    return copied


class Needs(Enum):
    """The scores a rule or calibration is fitted to; the value names them in messages."""

    NOTHING = "no scores"
    TRAINING = "TrainingScores: those the model gives the documents it was trained on"
    OUT_OF_FOLD = "OutOfFoldScores: those of models that had not seen the document"


@dataclass(frozen=True, slots=True, eq=False)
class TrainingScores:
    """The scores of a model for the documents it was trained on, documents × categories.

    They flatter the model. The values are shared with the caller, read-only. ``known`` is False for
    the memberships of which nothing is known; all are known by default.
    """

    values: Floats
    known: Flags | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _shared(checked_scores(self.values, "training scores")))


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFoldScores:
    """Scores of each training document by a model that had not seen it, documents × categories.

    ``postil.decide.out_of_fold_scores`` makes them; ``folds`` holds the fold of each document. The
    values are shared with the caller, read-only. ``known`` is as for ``TrainingScores``.
    """

    values: Floats
    folds: Folds
    known: Flags | None = None

    def __post_init__(self) -> None:
        values = _shared(checked_scores(self.values, "out-of-fold scores"))
        if len(self.folds.part) != len(values):
            raise UsageError(
                f"the folds are of {len(self.folds.part)} documents and the scores of "
                f"{len(values)}: both need one row per training document"
            )
        object.__setattr__(self, "values", values)


def _shared(values: Floats) -> Floats:
    view = values.view()
    view.flags.writeable = False
    return view


Scores: TypeAlias = TrainingScores | OutOfFoldScores
_TYPES: dict[Needs, type[Scores]] = {
    Needs.TRAINING: TrainingScores,
    Needs.OUT_OF_FOLD: OutOfFoldScores,
}


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """The data a rule is fitted to: the training truth, sample weights, and the scores it needs.

    Documents of weight 0 are left out. ``scores`` has no column where no scores are needed.
    ``known`` is False for unknown memberships, which have the weight 0 in their category.
    """

    truth: Csc
    weights: Floats
    scores: Floats
    known: Flags | None = None

    @classmethod
    def of(
        cls,
        user: str,
        needs: Needs,
        scores: Scores | None,
        truth: Sparse,
        weights: NDArray[np.float64] | None,
    ) -> TrainingSet:
        """Check everything; messages name ``user``, a rule or calibration."""
        if scores is not None and not isinstance(scores, TrainingScores | OutOfFoldScores):
            raise UsageError(
                f"{user}: scores must be TrainingScores or OutOfFoldScores, which say how they "
                f"were made, got {type(scores).__name__}; it needs {needs.value}"
            )
        if needs in _TYPES and not isinstance(scores, _TYPES[needs]):
            raise UsageError(f"{user} needs {needs.value}; got {type(scores).__name__}")
        members = checked_truth(truth, None if scores is None else scores.values.shape)
        weighed = checked_weights(weights, members.shape[0])
        values = np.empty((len(weighed), 0))
        known = None if scores is None else scores.known
        if scores is not None and needs in _TYPES:
            values = scores.values
        whole = cls(members, weighed, values, known)
        if (weighed > 0).all():
            return whole
        return whole.of_documents(weighed > 0)

    def of_documents(self, kept: Flags) -> TrainingSet:
        """Return the data of some documents."""
        return TrainingSet(
            self.truth.tocsr()[kept].tocsc(),
            self.weights[kept],
            self.scores[kept],
            None if self.known is None else self.known[kept],
        )

    @property
    def categories(self) -> int:
        """The number of categories."""
        return int(self.truth.shape[1])

    def members(self, category: int) -> Flags:
        """Return True for each document in the category; costs the documents."""
        inside = np.zeros(len(self.weights), dtype=np.bool_)
        start, end = self.truth.indptr[category : category + 2]
        inside[self.truth.indices[start:end]] = True
        return inside

    def weights_of(self, category: int) -> Floats:
        """Return the weights of documents for a category: 0 where its membership is not known."""
        return self.weights if self.known is None else self.weights * self.known[:, category]

    def of_category(self, category: int) -> tuple[Floats, Flags, Floats]:
        """Return scores, members and weights of the documents whose membership is known."""
        scores, inside = self.scores[:, category], self.members(category)
        if self.known is None:
            return scores, inside, self.weights
        rows = self.known[:, category]
        return scores[rows], inside[rows], self.weights[rows]

    def are_all_members(self) -> Flags:
        """Return True for each category that has all documents whose membership is known."""
        known = len(self.weights) if self.known is None else self.known.sum(axis=0)
        return np.asarray(np.diff(self.truth.indptr) == known)

    def priors(self) -> Floats:
        """Return each category's share of the documents by weight, 0 where there are none."""
        inside = np.asarray(self.truth.T @ self.weights, dtype=np.float64)
        total: Any = float(self.weights.sum())
        if self.known is not None:
            total = self.weights @ self.known
        shares = np.divide(inside, total, out=np.zeros_like(inside), where=total > 0)
        bounded: Floats = np.minimum(shares, 1.0)
        return bounded

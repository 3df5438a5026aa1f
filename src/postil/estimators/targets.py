"""What ``y`` asks for: two classes, more of them, or any number of labels for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from postil.errors import UsageError
from postil.learn.category_tasks import NEVER
from postil.learn.labels import Labels

Floats = NDArray[np.float64]

# Below any score, so that argmax never takes it; finite, because measures want finite scores.
LOWEST = -float(np.finfo(np.float32).max)


class Target(Protocol):
    """A kind of ``y``: how its classes become categories, and scores become answers.

    ``classes`` is scikit-learn's ``classes_``. ``never`` is the score of a category that no row
    of any weight belongs to. Everything costs the number of scores, rows × categories.
    """

    classes: NDArray[Any]
    never: float

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """The weights of members and of others in each category, from those of the classes."""

    def scores(self, scores: Floats) -> Floats:
        """Scores in the shape scikit-learn gives them."""

    def answers(self, scores: Floats) -> Any:  # noqa: ANN401 - an array or a sparse indicator
        """What ``predict`` says."""

    def probabilities(self, scores: Floats) -> Floats:
        """What ``predict_proba`` says; scores are logarithms of odds."""


@dataclass(eq=False)
class TwoClasses:
    """One category: the second class against the first."""

    classes: NDArray[Any]
    never: float = NEVER

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """Each class has its own weight."""
        return [(float(weights[1]), float(weights[0]))]

    def scores(self, scores: Floats) -> Floats:
        """One number for each row."""
        return scores.ravel()

    def answers(self, scores: Floats) -> NDArray[Any]:
        """The second class where the score is 0 or more."""
        return np.asarray(self.classes[(scores.ravel() >= 0).astype(np.intp)])

    def probabilities(self, scores: Floats) -> Floats:
        """Those of both classes."""
        second = scores.ravel()
        return np.column_stack((expit(-second), expit(second)))


@dataclass(eq=False)
class ManyClasses:
    """A category for each class, against all others; the highest score decides."""

    classes: NDArray[Any]
    never: float = LOWEST

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """A class has its weight in its own category, as in LIBLINEAR."""
        return [(float(weight), 1.0) for weight in weights]

    def scores(self, scores: Floats) -> Floats:
        """One number for each row and class."""
        return scores

    def answers(self, scores: Floats) -> NDArray[Any]:
        """The class of the highest score."""
        return np.asarray(self.classes[np.argmax(scores, axis=1)])

    def probabilities(self, scores: Floats) -> Floats:
        """One-vs-rest probabilities over their sum; by logarithms, since all may underflow."""
        return np.asarray(softmax(log_expit(scores), axis=1))


@dataclass(eq=False)
class ManyLabels:
    """A category for each column of an indicator, each decided alone."""

    classes: NDArray[Any]
    is_sparse: bool
    never: float = NEVER

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """A label's weight is that of its members."""
        return [(float(weight), 1.0) for weight in weights]

    def scores(self, scores: Floats) -> Floats:
        """One number for each row and label."""
        return scores

    def answers(self, scores: Floats) -> Any:  # noqa: ANN401 - sparse where y was
        """An indicator: 1 where the score is 0 or more."""
        chosen = (scores >= 0).astype(np.int64)
        return sp.csr_matrix(chosen) if self.is_sparse else chosen

    def probabilities(self, scores: Floats) -> Floats:
        """That of each label; rows need not sum to 1."""
        return np.asarray(expit(scores))


def read_target(y: Any) -> tuple[Target, Labels]:  # noqa: ANN401 - whatever scikit-learn takes
    """What kind of ``y`` it is, and its rows as members of categories.

    Costs the number of memberships; a dense indicator costs its size.
    """
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    if kind == "multilabel-indicator":
        return indicator_target(y)
    if kind == "multiclass-multioutput" or sp.issparse(y):
        raise UsageError(
            f"Unknown label type: y is {kind} of shape {y.shape}; give one class for each row, "
            "or an indicator of 0 and 1 with a column for each of at least two labels"
        )
    classes, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
    return target_of_classes(classes), labels_of_codes(classes, codes)


def refuse_label_lists(y: Any) -> None:  # noqa: ANN401 - whatever was given
    """Refuse labels listed for each row, which scikit-learn wants as an indicator.

    Costs the rows of a list; arrays of numbers or texts are not looked at.
    """
    of_objects = getattr(getattr(y, "dtype", None), "kind", "") == "O"
    rows = list(y) if isinstance(y, (list, tuple)) or (of_objects and not sp.issparse(y)) else []
    listed = [row for row in rows if isinstance(row, (list, tuple, set, frozenset))]
    if not listed:
        return
    named = any(isinstance(label, str) for row in listed for label in row)
    if named or isinstance(listed[0], (set, frozenset)) or len(set(map(len, listed))) > 1:
        raise UsageError(
            f"y lists the labels of each row, as {listed[0]!r}: make an indicator of it with "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)"
        )


def target_of_classes(classes: NDArray[Any]) -> Target:
    """What rows of one class each ask for; ``classes`` are sorted."""
    if len(classes) < 2:
        raise UsageError(
            f"y has one class, {classes[0]!r}: a classifier needs rows of at least two classes"
        )
    return TwoClasses(classes) if len(classes) == 2 else ManyClasses(classes)


def labels_of_codes(classes: NDArray[Any], codes: NDArray[np.intp]) -> Labels:
    """Rows of one class each, given by its place; of two classes the second is the category."""
    if len(classes) == 2:
        return Labels(_names(classes[1:]), sp.csr_matrix((codes == 1).reshape(-1, 1)))
    every = np.arange(len(codes) + 1)
    members = sp.csr_matrix(
        (np.ones(len(codes), dtype=bool), codes, every), shape=(len(codes), len(classes))
    )
    return Labels(_names(classes), members)


def indicator_target(y: Any) -> tuple[ManyLabels, Labels]:  # noqa: ANN401 - dense or sparse
    """An indicator asks for a category for each of its columns."""
    members = sp.csr_matrix(y, copy=True)
    members.sum_duplicates()
    if not np.isin(members.data, (0, 1)).all():
        raise UsageError("an indicator y holds 0 and 1, label or not: turn ±1 into (y > 0)")
    members.eliminate_zeros()
    classes = np.arange(members.shape[1])
    return ManyLabels(classes, sp.issparse(y)), Labels(_names(classes), members.astype(bool))


def _names(classes: Sequence[Any] | NDArray[Any]) -> tuple[str, ...]:
    return tuple(str(name) for name in classes)

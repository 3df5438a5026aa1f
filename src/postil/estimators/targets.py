"""Targets: two classes, many classes, or many labels, and scikit-learn's parameters as postil's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, softmax
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.corpus.frames import (
    as_frame,
    column_of,
    is_frame,
    is_missing,
    names_of,
    shown,
    values_of,
)
from postil.errors import UsageError
from postil.learn.job import Labels
from postil.learn.tasks import NEVER

# Below any score, so that argmax never takes it; finite, because measures want finite scores.
LOWEST = -float(np.finfo(np.float32).max)


@dataclass(eq=False)
class Target:
    """A kind of ``y``: how its classes become categories, and scores become answers.

    Every method costs the number of scores, rows × categories.

    Parameters
    ----------
    classes : array
        scikit-learn's ``classes_``.
    never : float
        The score of a category without members of any weight.
    """

    classes: NDArray[Any]
    never: float = NEVER

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """Return the weights of members and of others by category, from those of the classes."""
        return [(float(weight), 1.0) for weight in weights]

    def scores(self, scores: Floats) -> Floats:
        """Return scores in the shape of scikit-learn."""
        return scores

    def answers(self, scores: Floats) -> Any:  # noqa: ANN401 - an array or a sparse indicator
        """Return the result of ``predict``."""
        raise NotImplementedError

    def probabilities(self, scores: Floats) -> Floats:
        """Return the result of ``predict_proba``; scores are logarithms of odds."""
        raise NotImplementedError


class TwoClasses(Target):
    """One category: the second class against the first."""

    def class_weights(self, weights: Floats) -> list[tuple[float, float]]:
        """Return the weights of both classes."""
        return [(float(weights[1]), float(weights[0]))]

    def scores(self, scores: Floats) -> Floats:
        """Return one number for each row."""
        return scores.ravel()

    def answers(self, scores: Floats) -> NDArray[Any]:
        """Return the second class where the score is 0 or more, else the first."""
        return np.asarray(self.classes[(scores.ravel() >= 0).astype(np.intp)])

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probabilities of both classes."""
        second = scores.ravel()
        return np.column_stack((expit(-second), expit(second)))


@dataclass(eq=False)
class ManyClasses(Target):
    """A category for each class, against all others; the highest score decides."""

    never: float = LOWEST

    def answers(self, scores: Floats) -> NDArray[Any]:
        """Return the class of the highest score."""
        return np.asarray(self.classes[np.argmax(scores, axis=1)])

    def probabilities(self, scores: Floats) -> Floats:
        """Return one-vs-rest probabilities over their sum, by logarithms against underflow."""
        return np.asarray(softmax(log_expit(scores), axis=1))


@dataclass(eq=False)
class ManyLabels(Target):
    """A category for each column of an indicator, each decided alone."""

    is_sparse: bool = False

    def answers(self, scores: Floats) -> Any:  # noqa: ANN401 - sparse where y was
        """Return an indicator: 1 where the score is 0 or more."""
        chosen = (scores >= 0).astype(np.int64)
        return sp.csr_matrix(chosen) if self.is_sparse else chosen

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each label; rows need not sum to 1."""
        return np.asarray(expit(scores))


def plain_target(y: Any) -> Any:  # noqa: ANN401 - whatever the caller gave
    """Return a column as a list, a frame of indicators as an array, and anything else as it is.

    Raises UsageError for labels listed by row, which scikit-learn wants as an indicator, and for
    missing labels.
    """
    if y is None or sp.issparse(y):
        return y
    y = as_frame(y, "labels")
    if is_frame(y):
        y = np.column_stack([values_of(column_of(y, name)) for name in names_of(y)])
    elif not isinstance(y, (list, tuple, np.ndarray)) and isinstance(y, Iterable):
        y = values_of(y)
        missing = next((row for row, label in enumerate(y) if is_missing(label)), None)
        if missing is not None:
            raise UsageError(
                f"y has no label for row {missing} ({shown(y[missing])}): leave the row out"
            )
    _refuse_label_lists(y)
    return y


def read_target(y: Any) -> tuple[Target, Labels]:  # noqa: ANN401 - whatever scikit-learn takes
    """Return the target of ``y``, and its rows as members of categories.

    Cost: the number of memberships, or the size of a dense indicator.
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


def _refuse_label_lists(y: Any) -> None:  # noqa: ANN401 - whatever was given
    """Raise UsageError for labels listed by row, which scikit-learn wants as an indicator."""
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
    """Return the target of rows with one class each; ``classes`` are sorted."""
    if len(classes) < 2:
        raise UsageError(
            f"y has one class, {classes[0]!r}: a classifier needs rows of at least two classes"
        )
    return TwoClasses(classes) if len(classes) == 2 else ManyClasses(classes)


def labels_of_codes(classes: NDArray[Any], codes: NDArray[np.intp]) -> Labels:
    """Return the labels of rows with one class each, from the places of their classes."""
    if len(classes) == 2:
        return Labels(_names(classes[1:]), sp.csr_matrix((codes == 1).reshape(-1, 1)))
    every = np.arange(len(codes) + 1)
    members = sp.csr_matrix(
        (np.ones(len(codes), dtype=bool), codes, every), shape=(len(codes), len(classes))
    )
    return Labels(_names(classes), members)


def indicator_target(y: Any) -> tuple[ManyLabels, Labels]:  # noqa: ANN401 - dense or sparse
    """Return the target and the labels of an indicator."""
    members = sp.csr_matrix(y, copy=True)
    members.sum_duplicates()
    if not np.isin(members.data, (0, 1)).all():
        raise UsageError("an indicator y must hold 0 and 1: turn ±1 into (y > 0)")
    members.eliminate_zeros()
    classes = np.arange(members.shape[1])
    return ManyLabels(classes, is_sparse=sp.issparse(y)), Labels(
        _names(classes), members.astype(bool)
    )


def merged_rows(
    rows: sp.csr_matrix[Any], labels: Labels, weights: Floats | None
) -> tuple[sp.csr_matrix[Any], Labels, Floats]:
    """Return the rows in an order of their own, equal ones merged into one of their summed weight.

    A fit then depends neither on the order of the rows nor on whether a row is repeated or has a
    weight. Rows are sorted by their products with random vectors, and equal products are compared.
    Cost: a product with the rows, sorting them, and a copy.

    Parameters
    ----------
    rows : csr_matrix
        Canonical, so that equal rows have equal products.
    labels : Labels
        The labels of the rows.
    weights : array, optional
        The weight of each row; rows of weight 0 are left out.
    """
    given = np.ones(rows.shape[0]) if weights is None else weights
    members = labels.members
    random = np.random.default_rng(0)
    products = rows @ random.random(rows.shape[1])
    marks = members.astype(np.float64) @ random.random(members.shape[1])
    kept = np.flatnonzero(given > 0)
    order = kept[np.lexsort((marks[kept], products[kept]))]
    before, after = order[:-1], order[1:]
    equal = (products[before] == products[after]) & (marks[before] == marks[after])
    pairs = before[equal], after[equal]
    if any((each[pairs[0]] != each[pairs[1]]).nnz for each in (rows, members)):
        equal[:] = False  # by chance different rows have the same product
    starts = np.flatnonzero(np.concatenate(([True], ~equal)))
    chosen = order[starts]
    return rows[chosen], labels.of_documents(chosen), np.add.reduceat(given[order], starts)


def first_target(y: Any, classes: ArrayLike | None) -> Target:  # noqa: ANN401 - whatever scikit-learn takes
    """Return the target of the first call of ``partial_fit``."""
    check_classification_targets(y)
    if type_of_target(y, input_name="y") == "multilabel-indicator":
        target, _ = indicator_target(y)
        if classes is not None and not np.array_equal(np.unique(classes), target.classes):
            raise UsageError(
                f"the classes of an indicator are its columns, 0 to {len(target.classes) - 1}: "
                "leave classes out"
            )
        return target
    if classes is None:
        raise UsageError("classes must be passed on the first call to partial_fit.")
    return target_of_classes(np.unique(classes))


def check_same_classes(target: Target, classes: ArrayLike | None) -> None:
    """Raise UsageError if the classes differ from those of earlier calls."""
    if classes is not None and not np.array_equal(np.unique(classes), target.classes):
        raise UsageError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
            f"{target.classes!r}"
        )


def labels_for(target: Target, y: Any) -> Labels:  # noqa: ANN401 - whatever scikit-learn takes
    """Return the rows of ``y`` as members of the target's categories."""
    check_classification_targets(y)
    is_indicator = type_of_target(y, input_name="y") == "multilabel-indicator"
    if isinstance(target, ManyLabels) != is_indicator:
        raise UsageError("y must be an indicator in all calls of partial_fit, or in none")
    if isinstance(target, ManyLabels):
        other, labels = indicator_target(y)
        if len(other.classes) != len(target.classes):
            raise UsageError(
                f"y must have {len(target.classes)} columns as before, not {len(other.classes)}"
            )
        return labels
    rows = column_or_1d(y, warn=True)
    strange = np.setdiff1d(rows, target.classes)
    if len(strange):
        raise UsageError(
            f"y has the class {strange.tolist()[0]!r}, which is not among those of the first call: "
            f"{target.classes.tolist()!r}"
        )
    return labels_of_codes(target.classes, np.searchsorted(target.classes, rows))


def _names(classes: Sequence[Any] | NDArray[Any]) -> tuple[str, ...]:
    return tuple(str(name) for name in classes)


ClassWeights = list[tuple[float, float]] | str | None

# Options of a solver that are parameters of the estimator.
_PARAMETER_OF = {"tolerance": "tol", "iterations": "max_iter", "seed": "random_state"}
# Solvers whose iteration is a step of a few documents, not a pass over all of them.
_STEPPING_SOLVERS = frozenset({"smo"})


def steps_of_a_pass(solver: str, documents: int) -> int:
    """Return the number of a solver's iterations in one pass over the documents."""
    return documents if solver in _STEPPING_SOLVERS else 1


def threads_of(n_jobs: Any) -> int | None:  # noqa: ANN401 - whatever was given
    """Return the number of threads of ``n_jobs``, as in scikit-learn: -2 is all but one."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise UsageError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    jobs = int(n_jobs)
    return jobs if jobs > 0 else max(1, thread_count(None) + 1 + jobs)


def positive(name: str, value: Any, word: str | None = None) -> float:  # noqa: ANN401
    """Return a finite number above 0; errors name ``word`` as the alternative."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not 0 < number < math.inf:
        also = "" if word is None else f", or {word!r}"
        raise UsageError(f"{name} must be a finite number above 0{also}, not {value!r}")
    return number


def share(name: str, value: Any) -> float:  # noqa: ANN401 - whatever was given
    """Return a number from 0 to 1."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not 0 <= number <= 1:
        raise UsageError(f"{name} must be a number from 0 to 1, not {value!r}")
    return number


def solver_options(
    *,
    tol: Any,  # noqa: ANN401 - whatever was given
    max_iter: Any,  # noqa: ANN401
    random_state: Any,  # noqa: ANN401
    pass_steps: int,
    further: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the options of a solver from the parameters of an estimator and further ones."""
    for option, parameter in _PARAMETER_OF.items():
        if further and option in further:
            raise UsageError(f"solver_options has {option!r}: give it as {parameter} instead")
    tolerance = float(tol) if isinstance(tol, Real) else math.nan
    if not 0 <= tolerance < 1:
        raise UsageError(f"tol must be a number of at least 0 and under 1, not {tol!r}")
    passes = int(max_iter) if isinstance(max_iter, Integral) else 0
    if passes < 1:
        raise UsageError(f"max_iter must be a whole number of at least 1, not {max_iter!r}")
    return {
        "tolerance": tolerance,
        "iterations": passes * pass_steps,
        "seed": _seed(random_state),
        **(further or {}),
    }


def class_weights(
    given: Any,  # noqa: ANN401 - whatever was given
    target: Target,
) -> ClassWeights:
    """Return ``class_weight`` as the weights of members and others in each category."""
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(
            "class_weight must be None, 'balanced' or a mapping of classes to weights, not "
            f"{given!r}"
        )
    classes = target.classes
    weights = compute_class_weight(class_weight=dict(given), classes=classes, y=classes)
    return target.class_weights(weights)


def _seed(random_state: Any) -> int:  # noqa: ANN401 - whatever was given
    if random_state is None:
        return 0
    generator = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))

"""What ``y`` asks for: two classes, more of them, or any number of labels for each row.

scikit-learn's words for how to learn, as postil's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from postil.common.threads import thread_count
from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.job import Labels
from postil.learn.tasks import NEVER

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


ClassWeights = list[tuple[float, float]] | str | None

# Options of a solver that are parameters of an estimator, and must not be said twice.
_PARAMETER_OF = {"tolerance": "tol", "iterations": "max_iter", "seed": "random_state"}
# Solvers whose iteration is a step of a few documents, not a pass over all of them.
_STEPPING_SOLVERS = frozenset({"smo"})


def steps_of_a_pass(solver: str, documents: int) -> int:
    """How many of a solver's iterations are one pass over so many documents."""
    return documents if solver in _STEPPING_SOLVERS else 1


def threads_of(n_jobs: Any) -> int | None:  # noqa: ANN401 - whatever was given
    """How many threads ``n_jobs`` means, as in scikit-learn: -2 is all processors but one."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise UsageError(f"n_jobs is None or a whole number that is not 0, not {n_jobs!r}")
    jobs = int(n_jobs)
    return jobs if jobs > 0 else max(1, thread_count(None) + 1 + jobs)


def positive(name: str, value: Any, word: str | None = None) -> float:  # noqa: ANN401
    """A finite number above 0; ``word`` is what it might be instead, and was not."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not 0 < number < math.inf:
        also = "" if word is None else f", or {word!r}"
        raise UsageError(f"{name} is a finite number above 0{also}, not {value!r}")
    return number


def share(name: str, value: Any) -> float:  # noqa: ANN401 - whatever was given
    """A number from 0 to 1."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not 0 <= number <= 1:
        raise UsageError(f"{name} is a number from 0 to 1, not {value!r}")
    return number


def solver_options(
    *,
    tol: Any,  # noqa: ANN401 - whatever was given
    max_iter: Any,  # noqa: ANN401
    random_state: Any,  # noqa: ANN401
    pass_steps: int,
    further: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The options of a solver, from the parameters of an estimator and ``further`` ones."""
    for option, parameter in _PARAMETER_OF.items():
        if further and option in further:
            raise UsageError(f"solver_options has {option!r}: give it as {parameter} instead")
    tolerance = float(tol) if isinstance(tol, Real) else math.nan
    if not 0 <= tolerance < 1:
        raise UsageError(f"tol is a number of at least 0 and under 1, not {tol!r}")
    passes = int(max_iter) if isinstance(max_iter, Integral) else 0
    if passes < 1:
        raise UsageError(f"max_iter is a whole number of at least 1, not {max_iter!r}")
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
    """``class_weight`` as the weights of members and others in each category."""
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(
            f"class_weight is None, 'balanced' or a mapping of classes to weights, not {given!r}"
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

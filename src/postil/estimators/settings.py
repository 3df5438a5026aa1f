"""scikit-learn's words for how to learn, as postil's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight

from postil.errors import UsageError
from postil.estimators.targets import Target
from postil.vectors.threads import thread_count

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

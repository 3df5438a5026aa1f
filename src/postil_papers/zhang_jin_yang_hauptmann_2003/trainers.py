"""Those that learn a binary task, and what they take: our solvers, and LIBLINEAR beside them.

LIBLINEAR is the one inside scikit-learn (``LinearSVC`` with the hinge, its dual coordinate
descent), with LIBLINEAR's own tolerance. It regularizes the weight of a constant feature, as our
dual coordinate descent does.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from postil.common.types import Floats
from postil.learn.job import Job
from postil.recipes.recipe import Recipe
from postil_papers.cells import Json
from postil_papers.experiment import counted_not_warned
from postil_papers.zhang_jin_yang_hauptmann_2003.methods import LIBLINEAR
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Task

Found = TypeVar("Found")

ROUNDS = 3
LONG = 10.0  # seconds, after which one round has to do
LIBLINEAR_TOLERANCE = 0.1
LIBLINEAR_PASSES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A hyperplane, and a remark where the work was stopped before it was done."""

    weights: Floats
    intercept: float
    remark: str = ""


Trainer: TypeAlias = Callable[[Task], Learned]


def by_recipe(recipe: Recipe, task: Task) -> Learned:
    """Learn as a recipe's ``[learn]`` says, in one thread, from all terms of the task."""
    method = recipe.method()
    with counted_not_warned():
        fit = method.fit(Job(task.design, task.labels, threads=1, quiet=True))
    (report,) = fit.reports
    unfinished = report.stopped == "iterations" and method.tolerance > 0
    remark = f"{task.category}: stopped at a {report.kind} of {report.certificate:.1e}"
    return Learned(fit.weights.toarray()[0], float(fit.intercepts[0]), remark if unfinished else "")


def by_liblinear(lam: float, task: Task) -> Learned:
    """Learn by LIBLINEAR with C = 1/(2λn)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    cost = 1 / (2 * lam * task.documents)
    peer = LinearSVC(
        loss="hinge",
        C=cost,
        dual=True,
        tol=LIBLINEAR_TOLERANCE,
        max_iter=LIBLINEAR_PASSES,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(task.doubles, task.signs)
    stopped = f"LIBLINEAR was stopped after {LIBLINEAR_PASSES} passes"
    return Learned(
        np.asarray(peer.coef_[0], dtype=np.float64),
        float(peer.intercept_[0]),
        stopped if peer.n_iter_ >= LIBLINEAR_PASSES else "",
    )


def trainers_of(settings: Mapping[str, Json]) -> dict[str, Trainer]:
    """Those that settings name: ``recipes`` by name, and LIBLINEAR where ``liblinear`` has a λ."""
    recipes = cast("Mapping[str, dict[str, Any]]", settings["recipes"])
    found: dict[str, Trainer] = {
        name: partial(by_recipe, Recipe.from_dict(recipe)) for name, recipe in recipes.items()
    }
    if settings.get("liblinear") is not None:
        found[LIBLINEAR] = partial(by_liblinear, float(cast("float", settings["liblinear"])))
    return found


def timed(work: Callable[[], Found], rounds: int = ROUNDS) -> tuple[float, Found]:
    """The median of the seconds of some rounds, and what came of the first; one round if long."""
    seconds, found = _once(work)
    taken = [seconds]
    if seconds < LONG:
        taken += [_once(work)[0] for _ in range(rounds - 1)]
    return median(taken), found


def _once(work: Callable[[], Found]) -> tuple[float, Found]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found

"""Binary tasks, and what learns them: the paper's methods, our solvers, and LIBLINEAR.

LIBLINEAR is the one inside scikit-learn (``LinearSVC`` with the hinge, its dual coordinate
descent), with LIBLINEAR's own tolerance. It regularizes the weight of a constant feature, as our
dual coordinate descent does.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats, Indices
from postil.errors import UsageError
from postil.learn.job import Design
from postil.recipes.parts import TermSelection
from postil.recipes.recipe import Recipe, load_recipe
from postil_papers.harness import Problem, Vectors, with_strength
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import Collection

Found = TypeVar("Found")

MLR_CG, MMLR_CG, SVM = "MLR-CG", "MMLR-CG", "SVM"
SMO, DUAL, LIBLINEAR = "SMO", "dual coordinate", "LIBLINEAR"
BINARY, MULTICLASS = "mlr-cg", "mmlr-cg"  # the recipes

LAMBDA = 1e-3  # section 5: for all algorithms
# Of the duality gap over the objective, where our solvers with a certificate stop.
TOLERANCE = 1e-3
PASSES = 1000
SMO_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "smo",
    "intercept": "free",
    "options": {"tolerance": TOLERANCE},
}
# The dual of SMO ties the labels together by a constraint; without it, b is regularized.
DUAL_LEARN: Mapping[str, Any] = {
    "loss": "hinge",
    "solver": "dual-coordinate",
    "intercept": "penalised",
    "options": {"tolerance": TOLERANCE, "iterations": PASSES},
}

ROUNDS = 3
LONG = 10.0  # seconds, after which one round is enough
LIBLINEAR_TOLERANCE = 0.1
LIBLINEAR_PASSES = 1000


def svm(recipe: Recipe, learn: Mapping[str, Any]) -> Recipe:
    """Return the recipe's texts, terms and decisions with the SVM learned as ``learn`` says."""
    return with_strength(replace(recipe, learn=learn), lam=LAMBDA)


def solvers_of(collection: Collection) -> dict[str, Recipe]:
    """Return the binary method of the paper, and the SVM by two solvers, on the same terms.

    Each task has 500 terms of its own. The paper says 500 features for a collection, and that its
    tasks are binary. One set for 90 categories would leave the small ones hardly a term of theirs;
    the studies have it, too.
    """
    recipe = collection.read_by(load_recipe(BINARY))
    return {SMO: svm(recipe, SMO_LEARN), DUAL: svm(recipe, DUAL_LEARN), MLR_CG: recipe}


@dataclass(frozen=True, eq=False)
class Task(Problem):
    """One category against the rest.

    The columns are the terms that it is learned from, so that every solver, and LIBLINEAR, which
    knows no selection, works on the same matrix.
    """

    @cached_property
    def signs(self) -> Floats:
        """The labels y of the training documents: 1 in the category, -1 elsewhere."""
        return np.where(self.labels.members.toarray()[:, 0], 1.0, -1.0)

    @cached_property
    def doubles(self) -> sp.csr_matrix[Any]:
        """The training documents in double precision, for LIBLINEAR."""
        return sp.csr_matrix(self.design.rows, dtype=np.float64)

    def prepare(self) -> None:
        """Compute what is computed on first use, so that no solver's seconds include it."""
        _ = self.design.native, self.signs, self.doubles

    def error(self, learned: Learned) -> float:
        """Return the test documents on the wrong side of w·x + b = 0, in percent."""
        accepted = self.unseen @ learned.weights + learned.intercept >= 0
        return 100 * float(np.mean(accepted != self.truth.toarray()[:, 0]))


def task_of(
    vectors: Vectors,
    category: str,
    selection: TermSelection,
    rows: Indices | None = None,
    tested: Indices | None = None,
) -> Task:
    """Return the task of a category.

    Parameters
    ----------
    vectors:
        Documents with all terms and all categories.
    category:
        Name of the category.
    selection:
        Chooses the terms on the documents that are learned from, by all categories where they
        share the terms.
    rows, tested:
        The documents to learn from and to test on; by default those of the splits.
    """
    if category not in vectors.labels.names:
        raise UsageError(f"no document is in {category}")
    learned = vectors.learned if rows is None else rows
    tested = vectors.tested if tested is None else tested
    place = vectors.labels.names.index(category)
    labels = vectors.labels.of_documents(learned)
    matrix = vectors.matrix[learned]
    chosen = selection.chosen(matrix, labels.members)
    terms = np.arange(matrix.shape[1]) if chosen is None else chosen[place]
    truth = vectors.labels.of_documents(tested).members
    unseen = vectors.matrix[tested][:, terms]
    own = Problem(Design(matrix[:, terms]), labels, unseen, truth).only(category)
    return Task(own.design, own.labels, own.unseen, own.truth)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A hyperplane, and a remark if the solver was stopped early."""

    weights: Floats
    intercept: float
    remark: str = ""


def learn(solver: Recipe | float, task: Task) -> Learned:
    """Learn a task by a recipe, or by LIBLINEAR with this λ."""
    return _by_recipe(solver, task) if isinstance(solver, Recipe) else _by_liblinear(solver, task)


def _by_recipe(recipe: Recipe, task: Task) -> Learned:
    """Learn as a recipe's ``[learn]`` says, in one thread, from all terms of the task."""
    fit = task.learn(recipe, threads=1, quiet=True)
    (report,) = fit.reports
    stopped = report.stopped == "iterations" and recipe.method().tolerance > 0
    remark = f"{task.labels.names[0]}: stopped at a {report.kind} of {report.certificate:.1e}"
    return Learned(fit.weights.toarray()[0], float(fit.intercepts[0]), remark if stopped else "")


def _by_liblinear(lam: float, task: Task) -> Learned:
    """Learn by LIBLINEAR with C = 1/(2λn)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    peer = LinearSVC(
        loss="hinge",
        C=1 / (2 * lam * task.design.documents),
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


def timed(work: Callable[[], Found], rounds: int = ROUNDS) -> tuple[float, Found]:
    """Return the median seconds of some rounds, one if it is long, and the first result."""
    taken: list[float] = []
    results = []
    while len(taken) < rounds and (not taken or taken[0] < LONG):
        started = time.perf_counter()
        results.append(work())
        taken.append(time.perf_counter() - started)
    return median(taken), results[0]

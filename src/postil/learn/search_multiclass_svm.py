"""A search over a multi-class SVM: one problem, one strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.learn.category_tasks import Progress
from postil.learn.linear_fit import LinearFit
from postil.learn.multiclass_svm import fit_multiclass_svm
from postil.learn.multiclass_svm_method import KIND, MulticlassSvmMethod
from postil.learn.search_grids import of_lambda
from postil.learn.search_methods import SearchedMethod
from postil.learn.search_problems import Measure, SearchedProblems
from postil.learn.search_strongest import WORTH_HAVING
from postil.learn.search_together import TogetherProblems, measure_of_decisions
from postil.learn.single_class import SingleClass
from postil.learn.strength import Strengths, Way

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MulticlassSvmProblems(TogetherProblems):
    """The one problem of some documents that have exactly one class each."""

    method: MulticlassSvmMethod

    usual_measure: ClassVar[str] = "f1"
    kind: ClassVar[str] = KIND
    instead: ClassVar[str] = "hinge"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:  # noqa: ARG003
        """The measure of that name; refused where it wants probabilities."""
        return measure_of_decisions(cls.usual_measure if name is None else name, cls.kind)

    def check(self) -> None:
        """Refuse documents with no class or several."""
        SearchedProblems.check(self)
        SingleClass.of(self.labels, self.emphasis, KIND)

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        return fit_multiclass_svm(
            self.design,
            self.labels,
            self.method,
            selection=self.selection,
            emphasis=self.emphasis,
            strengths=Strengths(way, values),
            threads=self.threads,
            progress=progress,
            quiet=True,
        )

    def strongest(self, way: Way) -> Floats:
        """The same for all classes: λ = ‖g‖²/(4 · 0.01 · L), by the slopes g at zero weights.

        With L the loss there, no weights of terms lower the objective by more than 1 % of it.
        Costs one pass over the non-zeros.
        """
        classes = SingleClass.of(self.labels, self.emphasis, KIND)
        lam = _little_to_gain(self, classes)
        values = np.full(len(self.labels), lam if lam > 0 else 1.0)
        return of_lambda(values, way, classes.total, 0.0)


def _little_to_gain(problems: MulticlassSvmProblems, classes: SingleClass) -> float:
    """At zero weights each document pulls its class C - 1 times, and every other once."""
    count = len(classes.learnable)
    if count < 2:
        return 0.0
    shares = classes.weights / classes.total
    places = np.arange(len(shares))
    own = sp.csr_matrix((shares, (classes.of_document, places)), shape=(count, len(shares)))
    sums = (own @ problems.design.rows).toarray()
    slopes = sums.sum(axis=0) - count * sums
    if problems.selection is not None:
        for at, category in enumerate(classes.learnable.tolist()):
            unused = np.ones(problems.design.terms, dtype=bool)
            unused[problems.selection[category]] = False
            slopes[at, unused] = 0.0
    loss = 2.0 * (count - 1) * float(shares.sum())
    return float((slopes**2).sum()) / (4 * WORTH_HAVING * loss) if loss > 0 else 0.0

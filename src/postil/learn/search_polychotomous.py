"""A search over one model for all classes: one problem, one strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError
from postil.learn.category_tasks import Progress
from postil.learn.linear_fit import LinearFit
from postil.learn.polychotomous import fit_polychotomous
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.polychotomous_strongest import strongest_together
from postil.learn.search_methods import SearchedMethod
from postil.learn.search_problems import Measure, SearchedProblems
from postil.learn.search_softmax import softmax_measure
from postil.learn.search_together import TogetherProblems
from postil.learn.single_class import SingleClass
from postil.learn.strength import Strengths, Way

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PolychotomousProblems(TogetherProblems):
    """The one problem of some documents that have exactly one class each."""

    method: PolychotomousMethod

    usual_measure: ClassVar[str] = "log-likelihood"
    kind: ClassVar[str] = "polychotomous"
    instead: ClassVar[str] = "logistic"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:  # noqa: ARG003
        """The measure of that name; all of them suit all such methods."""
        return softmax_measure(cls.usual_measure if name is None else name)

    def check(self) -> None:
        """Refuse documents with no class or several, and a reference that a fold would lack."""
        SearchedProblems.check(self)
        sizes = SingleClass.of(self.labels, self.emphasis).sizes
        name = self.method.reference
        if name in self.labels.names and sizes[self.labels.names.index(name)] == 1:
            raise InputError(
                f"the reference class {name} has one member, and the fold that holds it out has "
                "none to learn against: take another reference, or none"
            )

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        return fit_polychotomous(
            self.design,
            self.labels,
            self.method,
            selection=self.selection,
            emphasis=self.emphasis,
            strengths=Strengths(way, values),
            priors=self.priors,
            threads=self.threads,
            progress=progress,
            quiet=True,
        )

    def strongest(self, way: Way) -> Floats:
        """The same for all classes: where the first weight of any begins to move."""
        found = strongest_together(
            self.design, self.labels, self.method, self.emphasis, self.selection, self.priors, way
        )
        return np.full(len(self.labels), found)

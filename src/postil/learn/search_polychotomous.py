"""A search over one model for all classes: one problem, one strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.learn.category_tasks import Progress
from postil.learn.linear_fit import LinearFit
from postil.learn.polychotomous import HUNDREDTHS, fit_polychotomous
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.polychotomous_strongest import strongest_together
from postil.learn.report import unfinished
from postil.learn.search_methods import SearchedMethod
from postil.learn.search_problems import Measure, Places, SearchedProblems, Unseen
from postil.learn.search_softmax import HeldOutClasses, softmax_measure
from postil.learn.single_class import SingleClass
from postil.learn.strength import Strengths, Way

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PolychotomousProblems(SearchedProblems):
    """The one problem of some documents that have exactly one class each."""

    method: PolychotomousMethod

    usual_measure: ClassVar[str] = "log-likelihood"

    @classmethod
    def measure(cls, name: str | None, method: SearchedMethod) -> Measure:  # noqa: ARG003
        """The measure of that name; all of them suit all such methods."""
        return softmax_measure(cls.usual_measure if name is None else name)

    @classmethod
    def check_apart(cls, wanted: str) -> None:
        """Refuse it: there is one strength for all classes."""
        raise UsageError(
            f"{wanted} wants a strength for each category, and polychotomous has one model with "
            'one strength for all: leave it out, or learn one-vs-rest (learner = "linear", loss = '
            '"logistic")'
        )

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

    def of(self, chosen: Places) -> PolychotomousProblems:
        """All classes, as they are one problem."""
        if len(chosen) != len(self.labels):
            self.check_apart("a choice of categories")
        return self

    def tallies(
        self,
        measure: str,
        unseen: Unseen,
        way: Way,
        values: Floats,
        progress: Progress | None = None,
    ) -> tuple[Floats, Places]:
        """One fit for each point, from nothing: the solver takes no start.

        Only one fit's weights are held at a time. A fit that ran out of iterations is counted
        once, with the first class.
        """
        tolerance = self.method.solver_options().tolerance
        tally = softmax_measure(measure).tally
        left = np.zeros(values.shape, dtype=np.int64)
        counts = []
        for point, strengths in enumerate(values):
            fit = self._fit(way, strengths, _offset(progress, point, len(values)))
            scores = fit.scores(unseen.rows)
            counts.append(tally(HeldOutClasses(scores, unseen.members, unseen.weights)))
            left[point, :1] = bool(unfinished(fit.reports, tolerance))
        return np.stack(counts), left

    def cold(self, way: Way, values: Floats) -> LinearFit:
        """The fit with one strength for each class, as a training makes it."""
        return self._fit(way, values, None)

    def _fit(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
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


def _offset(progress: Progress | None, point: int, points: int) -> Progress | None:
    if progress is None:
        return None

    def tell(done: int, of: int) -> None:
        progress(point * HUNDREDTHS + HUNDREDTHS * done // max(1, of), points * HUNDREDTHS)

    return tell

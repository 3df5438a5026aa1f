"""A search over one problem for all classes: one strength, whatever learns them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.learn.category_tasks import Progress
from postil.learn.class_task import HUNDREDTHS
from postil.learn.linear_fit import LinearFit
from postil.learn.report import unfinished
from postil.learn.search_problems import Places, SearchedProblems, Unseen
from postil.learn.search_softmax import HeldOutClasses, SoftmaxMeasure, softmax_measure
from postil.learn.strength import Way

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TogetherProblems(SearchedProblems):
    """The one problem of some documents that have exactly one class each.

    ``kind`` is the learner's, ``instead`` the loss of the nearest one-vs-rest.
    """

    kind: ClassVar[str]
    instead: ClassVar[str]

    @classmethod
    def check_apart(cls, wanted: str) -> None:
        """Refuse it: there is one strength for all classes."""
        raise UsageError(
            f"{wanted} wants a strength for each category, and {cls.kind} has one model with "
            f'one strength for all: leave it out, or learn one-vs-rest (learner = "linear", loss = '
            f'"{cls.instead}")'
        )

    def of(self, chosen: Places) -> TogetherProblems:
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
        tally: Callable[[HeldOutClasses], Floats] = softmax_measure(measure).tally
        left = np.zeros(values.shape, dtype=np.int64)
        counts = []
        for point, strengths in enumerate(values):
            fit = self.learned(way, strengths, _offset(progress, point, len(values)))
            scores = fit.scores(unseen.rows)
            counts.append(tally(HeldOutClasses(scores, unseen.members, unseen.weights)))
            left[point, :1] = bool(unfinished(fit.reports, tolerance))
        return np.stack(counts), left

    def cold(self, way: Way, values: Floats) -> LinearFit:
        """The fit with one strength for each class, as a training makes it."""
        return self.learned(way, values, None)

    def learned(self, way: Way, values: Floats, progress: Progress | None) -> LinearFit:
        """The fit with one strength for each class; nobody is warned."""
        raise NotImplementedError


def measure_of_decisions(name: str, kind: str) -> SoftmaxMeasure:
    """The measure of that name, refused where it wants probabilities or thresholds."""
    found = softmax_measure(name)
    able = ("error", "f1")
    if found.name not in able:
        raise UsageError(
            f"the measure {name} needs probabilities, and {kind} gives none: use "
            f"{' or '.join(able)}"
        )
    return found


def _offset(progress: Progress | None, point: int, points: int) -> Progress | None:
    if progress is None:
        return None

    def tell(done: int, of: int) -> None:
        progress(point * HUNDREDTHS + HUNDREDTHS * done // max(1, of), points * HUNDREDTHS)

    return tell

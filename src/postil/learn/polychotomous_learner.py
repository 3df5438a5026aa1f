"""Polychotomous logistic regression as a recipe asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.learner_kinds import AllClasses
from postil.learn.linear_fit import LinearFit
from postil.learn.polychotomous import fit_polychotomous
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors


@dataclass(frozen=True, slots=True)
class PolychotomousLearner(AllClasses[PolychotomousMethod]):
    """All classes in one model; a document has exactly one."""

    method: PolychotomousMethod = field(default_factory=PolychotomousMethod)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Scores of all classes together are probabilities."""
        return ("softmax",)

    def check_takes_priors(self) -> None:
        """It takes those of classes and of single terms."""

    def priors(
        self,
        design: Design,  # noqa: ARG002 - as of all learners
        emphasis: Emphasis | None,  # noqa: ARG002
        given: TermPriors | None,
    ) -> TermPriors | None:
        """What is believed of single terms: what is given."""
        return given

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        emphasis: Emphasis | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn all classes."""
        return fit_polychotomous(
            design,
            labels,
            self.method,
            selection=selection,
            emphasis=emphasis,
            strengths=strengths,
            priors=self.priors(design, emphasis, priors),
            threads=threads,
            progress=progress,
            quiet=quiet,
        )

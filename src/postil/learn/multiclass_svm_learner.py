"""The multi-class SVM as a recipe asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.learner_kinds import AllClasses, WithoutTermPriors
from postil.learn.linear_fit import LinearFit
from postil.learn.multiclass_svm import fit_multiclass_svm
from postil.learn.multiclass_svm_method import MulticlassSvmMethod
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors


@dataclass(frozen=True, slots=True)
class MulticlassSvmLearner(AllClasses[MulticlassSvmMethod], WithoutTermPriors):
    """All classes in one SVM; a document has exactly one."""

    method: MulticlassSvmMethod = field(default_factory=MulticlassSvmMethod)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: its scores are no probabilities."""
        return ()

    def check_takes_priors(self) -> None:
        """Refuse them."""
        raise UsageError(
            "a multi-class SVM takes no priors of single terms: use polychotomous learning"
        )

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
        self.priors(design, emphasis, priors)
        return fit_multiclass_svm(
            design,
            labels,
            self.method,
            selection=selection,
            emphasis=emphasis,
            strengths=strengths,
            threads=threads,
            progress=progress,
            quiet=quiet,
        )

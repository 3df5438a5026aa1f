"""The multi-class SVM as a recipe asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.multiclass_svm import fit_multiclass_svm
from postil.learn.multiclass_svm_method import MulticlassSvmMethod
from postil.learn.search_methods import check_unset
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors


@dataclass(frozen=True, slots=True)
class MulticlassSvmLearner:
    """All classes in one SVM; a document has exactly one."""

    method: MulticlassSvmMethod = field(default_factory=MulticlassSvmMethod)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: its scores are no probabilities."""
        return ()

    @property
    def compares_scores(self) -> bool:
        """A score says something beside those of the other classes alone."""
        return True

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for."""
        return self.method.solver_options().tolerance

    def searched(self) -> MulticlassSvmMethod:
        """The method, unless it says its own strength of regularization."""
        check_unset(self.method.regularization)
        return self.method

    def check_takes_priors(self) -> None:
        """Refuse them."""
        raise UsageError(
            "a multi-class SVM takes no priors of single terms: use polychotomous learning"
        )

    def priors(
        self,
        design: Design,  # noqa: ARG002 - as of all learners
        emphasis: Emphasis | None,  # noqa: ARG002
        given: TermPriors | None,
    ) -> TermPriors | None:
        """Nothing can be believed of single terms."""
        if given is not None:
            self.check_takes_priors()
        return None

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

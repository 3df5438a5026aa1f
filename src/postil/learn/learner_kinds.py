"""What learners of a kind answer alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from postil.learn.search_methods import check_unset

if TYPE_CHECKING:
    from postil.learn.design import Design
    from postil.learn.emphasis import Emphasis
    from postil.learn.multiclass_svm_method import MulticlassSvmMethod
    from postil.learn.polychotomous_method import PolychotomousMethod
    from postil.learn.term_priors import TermPriors

ClassMethod = TypeVar("ClassMethod", "MulticlassSvmMethod", "PolychotomousMethod")


class AllClasses(Generic[ClassMethod]):
    """A learner with one problem for all classes; a document has exactly one."""

    __slots__ = ()
    method: ClassMethod

    @property
    def compares_scores(self) -> bool:
        """A score says something beside those of the other classes alone."""
        return True

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for."""
        return self.method.solver_options().tolerance

    def searched(self) -> ClassMethod:
        """The method, unless it says its own strength of regularization."""
        check_unset(self.method.regularization)
        return self.method


class WithoutTermPriors:
    """A learner that can believe nothing of single terms."""

    __slots__ = ()

    def check_takes_priors(self) -> None:
        """Refuse them, and say why."""
        raise NotImplementedError

    def priors(
        self,
        design: Design,  # noqa: ARG002 - as of all learners
        emphasis: Emphasis | None,  # noqa: ARG002
        given: TermPriors | None,
    ) -> TermPriors | None:
        """None; what is given is refused."""
        if given is not None:
            self.check_takes_priors()
        return None

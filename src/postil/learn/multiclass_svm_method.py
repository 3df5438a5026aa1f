"""The multi-class SVM as a method: its strength, its intercept, its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postil import _native
from postil.learn.conjugate_gradient_options import SmoothedConjugateGradientOptions
from postil.learn.part_options import made_options
from postil.learn.regularization import Regularization
from postil.learn.solvers import InterceptKind, check_intercept

KIND = "multiclass-svm"


@dataclass(frozen=True, slots=True)
class MulticlassSvmMethod:
    """The multi-class SVM of Weston and Watkins (zhang-jin-yang-hauptmann-2003, section 4).

    ::

        (1/n) Σ cᵢ Σ_{k ≠ y(i)} max(0, 2 - (zᵢ,y(i) - zᵢₖ)) + λ Σₖ ‖wₖ‖²        zᵢₖ = wₖ·xᵢ + bₖ

    One problem for all classes; every document has exactly one. It is solved as the limit of
    smooth problems by conjugate gradients, as
    :class:`~postil.learn.conjugate_gradient_options.SmoothedConjugateGradientOptions` says; the
    smooth problem's minimum is (C - 1) ln2/γ above, at most. The other entries are those of
    :class:`~postil.learn.method.Method`.
    """

    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "free"
    constant: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_intercept(self.intercept, self.constant)
        self.solver_options()

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior: it is Gaussian."""
        return 0.0

    def solver_options(self) -> SmoothedConjugateGradientOptions:
        """The solver's options, checked."""
        return made_options(f"learner {KIND}", SmoothedConjugateGradientOptions, self.options)

    def to_native(self) -> _native.MulticlassSvmOptions:
        """What the native core needs to know of it."""
        given = self.solver_options()
        options = _native.MulticlassSvmOptions()
        options.intercept = getattr(_native.Intercept, self.intercept)
        options.constant = self.constant
        options.conjugate = given.to_native()
        options.smoothing = given.smoothing()
        return options

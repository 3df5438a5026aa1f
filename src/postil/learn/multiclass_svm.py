"""The multi-class SVM: all classes in one problem, over one shared matrix.

The multi-class SVM as a method: its strength, its intercept, its options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postil import _native
from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.features.selection import Selection
from postil.learn.all_classes import ClassTask, Told
from postil.learn.fit import LinearFit, warn_of_unfinished
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.options import made_options
from postil.learn.solver_options import SmoothedConjugateGradientOptions
from postil.learn.solvers import InterceptKind, check_intercept
from postil.learn.strength import Regularization, Strengths

MULTICLASS_SVM = "multiclass-svm"


@dataclass(frozen=True, slots=True)
class MulticlassSvmMethod:
    """The multi-class SVM of Weston and Watkins (zhang-jin-yang-hauptmann-2003, section 4).

    ::

        (1/n) Σ cᵢ Σ_{k ≠ y(i)} max(0, 2 - (zᵢ,y(i) - zᵢₖ)) + λ Σₖ ‖wₖ‖²        zᵢₖ = wₖ·xᵢ + bₖ

    One problem for all classes; every document has exactly one. It is solved as the limit of
    smooth problems by conjugate gradients, as
    :class:`~postil.learn.solver_options.SmoothedConjugateGradientOptions` says; the
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
        return made_options(
            f"learner {MULTICLASS_SVM}", SmoothedConjugateGradientOptions, self.options
        )

    def to_native(self) -> _native.MulticlassSvmOptions:
        """What the native core needs to know of it."""
        given = self.solver_options()
        options = _native.MulticlassSvmOptions()
        options.intercept = getattr(_native.Intercept, self.intercept)
        options.constant = self.constant
        options.conjugate = given.to_native()
        options.smoothing = given.smoothing()
        return options


def fit_multiclass_svm(
    design: Design,
    labels: Labels,
    method: MulticlassSvmMethod,
    *,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
    strengths: Strengths | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn all classes together; every document that counts has exactly one.

    ``strengths`` gives each class a strength of its own, in place of the method's. ``progress`` is
    told how many hundredths of the steps are done. All reports are of the one problem, ``shared``,
    as with :func:`~postil.learn.polychotomous.fit_polychotomous`; so are classes without members.
    The certificate is a duality gap of the SVM itself.

    Cost: a step takes two passes over the non-zeros × classes; memory is 24 bytes for each document
    and class, 48 for each term and class, and with free intercepts 16 for each pair of classes.
    The result does not depend on the number of threads.
    """
    task = ClassTask(design, labels, selection, sample_weights or SampleWeights(), MULTICLASS_SVM)
    pairs = task.pairs(strengths, method.regularization, method.share)

    def train(classes: _native.Classes, told: Told | None) -> _native.PolychotomousFit:
        options = method.to_native()
        return _native.train_multiclass_svm(
            design.native, classes, options, thread_count(threads), told
        )

    result = task.run(pairs, progress, train)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result

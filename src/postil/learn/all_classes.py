"""Methods with one problem for all classes, for documents that have exactly one class each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from postil import _native
from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.common.threads import thread_count
from postil.common.types import Floats, Ints
from postil.errors import InputError, UsageError
from postil.learn.fit import LinearFit, unfinished
from postil.learn.job import Job
from postil.learn.method import BaseMethod, check_mix, share_of_prior
from postil.learn.options import filled, find, made_options, option
from postil.learn.priors import PRIORS, Prior
from postil.learn.search.measures import (
    HeldOut,
    SearchMeasure,
    Unseen,
    decision_measure,
    softmax_measure,
)
from postil.learn.search.strongest import strongest_of_classes, strongest_of_pairs
from postil.learn.solver_options import (
    SWEEPS,
    SmoothedConjugateGradientOptions,
    SolverOptions,
)
from postil.learn.solvers import InterceptKind, check_intercept
from postil.learn.strength import Regularization, Way
from postil.learn.tasks import HUNDREDTHS, ClassTask, within_range

POLYCHOTOMOUS, MULTICLASS_SVM = "polychotomous", "multiclass-svm"
NO_REFERENCE = -1

NativeTrain = Callable[[_native.Classes, Callable[[int], None] | None], _native.PolychotomousFit]


class AllClassesMethod(BaseMethod):
    """A method with one problem and one strength for all classes.

    The reports of all classes are of the one problem, ``shared``: iterations, objective,
    certificate and seconds are the same in each; ``nonzeros`` and ``members`` are the class's own.
    A job's ``progress`` counts hundredths of the work.
    """

    learner: ClassVar[str]
    # The loss of the nearest one-vs-rest method, for messages.
    one_vs_rest_loss: ClassVar[str]
    compares_scores: ClassVar[bool] = True

    @property
    def by_category(self) -> bool:
        """False: all categories are learned together."""
        return False

    options: Mapping[str, Any]
    options_class: ClassVar[type[SolverOptions]]

    @cached_property
    def solver_options(self) -> Any:  # noqa: ANN401 - an instance of options_class
        """The options of the solver."""
        return made_options(f"learner {self.learner}", self.options_class, self.options)

    @property
    def tolerance(self) -> float:
        """The bound of the certificate."""
        return float(self.solver_options.tolerance)

    def check_takes_strengths(self, way: str | None = None) -> None:
        """Accept strengths of every way."""

    def check_own_strengths(self, wanted: str) -> None:
        """Raise UsageError: there is one strength for all classes."""
        raise UsageError(
            f"{wanted} needs a strength for each category, and {self.learner} has one model with "
            f'one strength for all: leave it out, or learn one-vs-rest (learner = "linear", loss = '
            f'"{self.one_vs_rest_loss}")'
        )

    def check_folds(self, job: Job) -> None:
        """Raise InputError if a document has no class or several."""
        self.task(job)

    def task(self, job: Job) -> ClassTask:
        """Return the problem of a job; raise InputError if a document has no class or several."""
        return ClassTask(job, self.learner, self.one_vs_rest_loss)

    def _trained(
        self, task: ClassTask, train: NativeTrain, reference: int = NO_REFERENCE
    ) -> LinearFit:
        """Let the native core learn, unless there is nothing to learn."""
        pairs = task.pairs(self.regularization.of_job(task.job), self.share)
        if len(task.learnable) < 2:
            return task.constant_fit(pairs)
        progress = task.job.progress
        native_progress = None
        if progress is not None:
            native_progress = lambda done: progress(done, HUNDREDTHS)  # noqa: E731
        with within_range():
            fit = train(task.native(pairs, self.share, reference), native_progress)
        if progress is not None:
            progress(HUNDREDTHS, HUNDREDTHS)
        return task.linear_fit(fit, pairs)

    def tallies(self, job: Job, measure: SearchMeasure, unseen: Unseen) -> tuple[Floats, Ints]:
        """Learn one fit for each point, and count on documents not learned from.

        The solver takes no warm start. Only one fit's weights are held at a time. A fit that ran
        out of iterations is counted once, with the first class.
        """
        assert job.strengths is not None
        values = job.strengths.values
        left = np.zeros(values.shape, dtype=np.int64)
        counts = []
        for point, strengths in enumerate(values):
            progress = _offset(job.progress, point, len(values))
            at_point = replace(job.strengths, values=strengths)
            fit = self.fit(replace(job, strengths=at_point, progress=progress, quiet=True))
            held = HeldOut(fit.scores(unseen.rows), unseen.members, unseen.weights)
            counts.append(measure.tally(held))
            left[point, :1] = bool(unfinished(fit.reports, self.tolerance))
        return np.stack(counts), left


def _offset(progress: Progress | None, point: int, points: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, of: progress(
        point * HUNDREDTHS + HUNDREDTHS * done // max(1, of), points * HUNDREDTHS
    )


@dataclass(frozen=True, slots=True)
class PolychotomousOptions(SolverOptions):
    """Proximal Newton steps for all classes together; ``iterations`` counts the steps.

    ``passes`` of coordinate descent are made within a step, at most; a working set grows by as
    many weights as it has, or by ``least_set`` for each class. Nothing is random: ``seed`` is not
    used.
    """

    passes: int = option(30, SWEEPS)
    least_set: int = option(64, SWEEPS)


@dataclass(frozen=True)
class PolychotomousMethod(AllClassesMethod):
    """Polychotomous (multinomial) logistic regression (genkin-lewis-madigan-2004, section 7).

    ::

        (1/n) Σ cᵢ [ln Σₖ exp(zᵢₖ) - zᵢ,y(i)] + Σₖ Σⱼ prior(wₖⱼ)        zᵢₖ = wₖ·xᵢ + bₖ

    ``reference`` names a class whose weights stay at 0: the others are log odds against it, and
    determined without any prior. The other parameters are those of
    :class:`~postil.learn.method.Method`.

    Cost: a Newton step takes documents × classes, and the non-zeros of the weights at work for each
    inner pass; memory is 40 bytes for each document and class, 24 for each term and class, and 80
    for each weight that is not 0. The result does not depend on the number of threads.
    """

    prior: str = "gaussian"
    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "penalised"
    constant: float = 1.0
    reference: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    mix: float | None = None

    learner: ClassVar[str] = POLYCHOTOMOUS
    one_vs_rest_loss: ClassVar[str] = "logistic"
    options_class: ClassVar[type[SolverOptions]] = PolychotomousOptions

    def __post_init__(self) -> None:
        prior = self._prior
        if not {"step", "strength"} <= prior.provides:
            able = [p.name for p in PRIORS.values() if {"step", "strength"} <= p.provides]
            raise UsageError(f"polychotomous takes the prior {', '.join(able)}, not {prior.name}")
        check_mix(prior, self.mix)
        check_intercept(self.intercept, self.constant)
        self.solver_options  # noqa: B018 - raises an error if an option is wrong

    @cached_property
    def _prior(self) -> Prior:
        return find("prior", PRIORS, self.prior)

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior."""
        return share_of_prior(self._prior, self.mix)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Softmax: the scores of all classes together are probabilities."""
        return ("softmax",)

    def check_takes_priors(self) -> None:
        """Accept per-term priors."""

    def check_folds(self, job: Job) -> None:
        """Raise InputError if documents have no class or several, or a fold lacks the reference."""
        sizes, name = self.task(job).sizes, self.reference
        if name in job.labels.names and sizes[job.labels.names.index(name)] == 1:
            raise InputError(
                f"the reference class {name} has one member, and the fold that holds it out has "
                "none to learn against: take another reference, or none"
            )

    def search_measure(self, name: str | None) -> SearchMeasure:
        """Return the measure of that name, by default the log-likelihood under softmax."""
        return softmax_measure("log-likelihood" if name is None else name)

    def strongest(self, job: Job, way: Way) -> Floats:
        """Return one strength for all classes: the one at which the first weight moves."""
        return strongest_of_classes(job, self.task(job), self, way)

    def _fit(self, job: Job) -> LinearFit:
        task = self.task(job)
        options, threads = self.to_native(), thread_count(job.threads)
        return self._trained(
            task,
            lambda classes, progress: _native.train_polychotomous(
                job.design.native, classes, options, threads, progress
            ),
            self._reference(task),
        )

    def _reference(self, task: ClassTask) -> int:
        """Return the place of the reference among the classes that are learned."""
        name, names, priors = self.reference, task.job.labels.names, task.job.term_priors
        if name is None:
            return NO_REFERENCE
        if name not in names:
            raise UsageError(f"there is no class {name!r}{advice(name, names)}")
        category = names.index(name)
        if not task.sizes[category]:
            raise InputError(
                f"the reference class {name} has no member, so that nothing can be learned "
                "against it: take another, or none"
            )
        if priors is not None and priors.own.get(category):
            raise UsageError(
                f"the weights of the reference class {name} stay at 0: give it no priors of its own"
            )
        return int(np.searchsorted(task.learnable, category))

    def to_native(self) -> _native.PolychotomousOptions:
        """Return the options of the native core."""
        given = self.solver_options
        return filled(
            _native.PolychotomousOptions(),
            intercept=getattr(_native.Intercept, self.intercept),
            constant=self.constant,
            steps=given.iterations,
            tolerance=given.tolerance,
            passes=given.passes,
            least_set=given.least_set,
        )


@dataclass(frozen=True)
class MulticlassSvmMethod(AllClassesMethod):
    """The multi-class SVM of Weston and Watkins (zhang-jin-yang-hauptmann-2003, section 4).

    ::

        (1/n) Σ cᵢ Σ_{k ≠ y(i)} max(0, 2 - (zᵢ,y(i) - zᵢₖ)) + λ Σₖ ‖wₖ‖²        zᵢₖ = wₖ·xᵢ + bₖ

    It is solved as the limit of smooth problems by conjugate gradients, with the options of
    :class:`~postil.learn.solver_options.SmoothedConjugateGradientOptions`; the smooth problem's
    minimum lies at most (C - 1) ln2/γ above. The certificate is a duality gap of the SVM itself.
    The other parameters are those of :class:`~postil.learn.method.Method`.

    Cost: a step takes two passes over the non-zeros × classes; memory is 24 bytes for each document
    and class, 48 for each term and class, and with free intercepts 16 for each pair of classes.
    The result does not depend on the number of threads.
    """

    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "free"
    constant: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)

    learner: ClassVar[str] = MULTICLASS_SVM
    one_vs_rest_loss: ClassVar[str] = "hinge"
    options_class: ClassVar[type[SolverOptions]] = SmoothedConjugateGradientOptions
    no_term_priors: ClassVar[str] = (
        "a multi-class SVM takes no per-term priors: use polychotomous learning"
    )

    def __post_init__(self) -> None:
        check_intercept(self.intercept, self.constant)
        self.solver_options  # noqa: B018 - raises an error if an option is wrong

    def search_measure(self, name: str | None) -> SearchMeasure:
        """Return the measure of that name, by default F1, if it needs no probabilities."""
        return decision_measure("f1" if name is None else name, self.learner)

    def strongest(self, job: Job, way: Way) -> Floats:
        """Return one strength for all classes, at which weights can gain little."""
        return strongest_of_pairs(job, self.task(job), way)

    def _fit(self, job: Job) -> LinearFit:
        options, threads = self.to_native(), thread_count(job.threads)
        return self._trained(
            self.task(job),
            lambda classes, progress: _native.train_multiclass_svm(
                job.design.native, classes, options, threads, progress
            ),
        )

    def to_native(self) -> _native.MulticlassSvmOptions:
        """Return the options of the native core."""
        return filled(
            _native.MulticlassSvmOptions(),
            intercept=getattr(_native.Intercept, self.intercept),
            constant=self.constant,
            conjugate=self.solver_options.to_native(),
            smoothing=self.solver_options.smoothing(),
        )

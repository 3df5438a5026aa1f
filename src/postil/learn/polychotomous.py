"""Polychotomous logistic regression: all classes in one problem, over one shared matrix.

Polychotomous logistic regression as a method: its prior, its strength, its options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from postil import _native
from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.common.threads import thread_count
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.all_classes import NO_REFERENCE, ClassTask, Told
from postil.learn.fit import LinearFit, warn_of_unfinished
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.method import DEFAULT_MIX
from postil.learn.options import Rule, find, whole
from postil.learn.priors import PRIORS, Prior
from postil.learn.solver_options import MOST_SWEEPS, SolverOptions
from postil.learn.solvers import InterceptKind, check_intercept
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import TermPriors


@dataclass(frozen=True, slots=True)
class PolychotomousOptions(SolverOptions):
    """Proximal Newton steps for all classes together; ``iterations`` counts the steps.

    ``passes`` of coordinate descent are made within a step, at most; a working set grows by as
    many weights as it has, or by ``least_set`` for each class. Nothing is random: ``seed`` is not
    used.
    """

    passes: int = 30
    least_set: int = 64

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "passes": whole(1, MOST_SWEEPS),
            "least_set": whole(1, MOST_SWEEPS),
        }


@dataclass(frozen=True, slots=True)
class PolychotomousMethod:
    """Polychotomous (multinomial) logistic regression (genkin-lewis-madigan-2004, section 7).

    ::

        (1/n) Σ cᵢ [ln Σₖ exp(zᵢₖ) - zᵢ,y(i)] + Σₖ Σⱼ prior(wₖⱼ)        zᵢₖ = wₖ·xᵢ + bₖ

    One problem for all classes; every document has exactly one. ``reference`` names a class whose
    weights stay at 0: the others are log odds against it, and settled without any prior. The other
    entries are those of :class:`~postil.learn.method.Method`.
    """

    prior: str = "gaussian"
    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "penalised"
    constant: float = 1.0
    reference: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    mix: float | None = None

    def __post_init__(self) -> None:
        prior = self._prior()
        if not {"step", "strength"} <= prior.provides:
            able = [p.name for p in PRIORS.values() if {"step", "strength"} <= p.provides]
            raise UsageError(f"polychotomous takes the prior {', '.join(able)}, not {prior.name}")
        if self.mix is not None and prior.mix is not None:
            raise UsageError(f"mix is of the prior elastic-net, and this is {prior.name}")
        if self.mix is not None and not 0 <= self.mix <= 1:
            raise UsageError(f"mix is from 0 (ridge) to 1 (lasso), not {self.mix!r}")
        check_intercept(self.intercept, self.constant)
        self.solver_options()

    def _prior(self) -> Prior:
        return find("prior", PRIORS, self.prior)

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior."""
        own = self._prior().mix
        return own if own is not None else DEFAULT_MIX if self.mix is None else self.mix

    def solver_options(self) -> PolychotomousOptions:
        """The solver's options, checked."""
        known = sorted(each.name for each in fields(PolychotomousOptions))
        for name in self.options:
            if name not in known:
                raise UsageError(f"polychotomous has no option {name!r}{advice(name, known)}")
        return PolychotomousOptions(**self.options)

    def to_native(self) -> _native.PolychotomousOptions:
        """What the native core needs to know of it."""
        given = self.solver_options()
        options = _native.PolychotomousOptions()
        options.intercept = getattr(_native.Intercept, self.intercept)
        options.constant = self.constant
        options.steps = given.iterations
        options.tolerance = given.tolerance
        options.passes = given.passes
        options.least_set = given.least_set
        return options


def fit_polychotomous(
    design: Design,
    labels: Labels,
    method: PolychotomousMethod,
    *,
    selection: Selection | None = None,
    sample_weights: SampleWeights | None = None,
    strengths: Strengths | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn all classes together; every document that counts has exactly one.

    ``strengths`` gives each class a strength of its own, in place of the method's; ``priors`` say
    what is believed of single terms, by all classes or by one. ``progress`` is told how many
    hundredths of the way to the tolerance are done. All reports are of the one problem, ``shared``:
    iterations, objective, certificate and seconds are the same in each; ``nonzeros`` and
    ``members`` are the class's own.

    A class without members is left out, as one of probability 0: it scores -708. If one class has
    all members, it scores 0.

    Cost: a Newton step takes documents × classes, and the non-zeros of the weights at work for each
    inner pass; memory is 40 bytes for each document and class, 24 for each term and class, and 80
    for each weight that is not 0. The result does not depend on the number of threads.
    """
    task = ClassTask(design, labels, selection, sample_weights or SampleWeights(), "polychotomous")
    if priors is not None and priors.terms != design.terms:
        raise UsageError(f"there are {design.terms} terms and priors of {priors.terms}")
    reference = _reference(task, method, priors)
    pairs = task.pairs(strengths, method.regularization, method.share)

    def train(classes: _native.Classes, told: Told | None) -> _native.PolychotomousFit:
        options = method.to_native()
        return _native.train_polychotomous(
            design.native, classes, options, thread_count(threads), told
        )

    result = task.run(pairs, progress, train, priors, method.share, reference)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


def _reference(task: ClassTask, method: PolychotomousMethod, priors: TermPriors | None) -> int:
    """The place of the reference among the classes that are learned."""
    name, names = method.reference, task.labels.names
    if name is None:
        return NO_REFERENCE
    if name not in names:
        raise UsageError(f"there is no class {name!r}{advice(name, names)}")
    category = names.index(name)
    if not task.classes.sizes[category]:
        raise InputError(
            f"the reference class {name} has no member, so that nothing can be learned "
            "against it: take another, or none"
        )
    if priors is not None and priors.own.get(category):
        raise UsageError(
            f"the weights of the reference class {name} stay at 0: give it no priors of its own"
        )
    return int(np.searchsorted(task.classes.learnable, category))

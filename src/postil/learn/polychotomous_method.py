"""Polychotomous logistic regression as a method: its prior, its strength, its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from postil import _native
from postil.errors import UsageError
from postil.learn.method import DEFAULT_MIX
from postil.learn.option_rules import Rule, whole
from postil.learn.parts import find
from postil.learn.priors import PRIORS, Prior
from postil.learn.regularization import Regularization
from postil.learn.solver_options import MOST_SWEEPS, SolverOptions
from postil.learn.solvers import InterceptKind, check_intercept
from postil.text.suggest import advice


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

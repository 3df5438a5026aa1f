"""A method: a loss, a prior and a solver that fit together, with their settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postil import _native
from postil.errors import UsageError
from postil.learn.losses import LOSSES, Loss
from postil.learn.options import PartOptions, find, made_options
from postil.learn.priors import PRIORS, Prior
from postil.learn.solver_options import SolverOptions
from postil.learn.solvers import SOLVERS, InterceptKind, Solver
from postil.learn.strength import Regularization

DEFAULT_MIX = 0.5


@dataclass(frozen=True, slots=True)
class Method:
    """What is minimised, and how.

    ::

        (1/n) Σ cᵢ loss(yᵢ (w·xᵢ + b)) + Σⱼ prior(wⱼ)

    An illegal triple is refused here, before any work. ``intercept`` says whether b, the weight
    of a constant feature of value ``constant``, is regularised like the others, free, or absent.
    ``mix`` is the elastic net's share ρ of the absolute value, and of no other prior. ``options``
    are the solver's; a loss or a prior may have some of its own.
    """

    loss: str = "modified-squared"
    prior: str = "gaussian"
    solver: str = "dual-coordinate"
    regularization: Regularization = field(default_factory=Regularization)
    intercept: InterceptKind = "penalised"
    constant: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)
    mix: float | None = None
    loss_options: Mapping[str, Any] = field(default_factory=dict)
    prior_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = self.parts()
        missing = _missing(*parts)
        if missing:
            raise UsageError(f"{missing}; {_what_works(parts[0], parts[1])}")
        allowed = parts[2].intercepts
        if self.intercept not in allowed:
            raise UsageError(
                f"the solver {self.solver} cannot have intercept={self.intercept!r}: it takes "
                f"{' or '.join(sorted(allowed))}"
            )
        if not (math.isfinite(self.constant) and self.constant > 0):
            raise UsageError(f"constant is a finite number above 0, not {self.constant!r}")
        self._check_mix(parts[1])
        self._check_strength(parts[1])
        self.part_options()

    def _check_mix(self, prior: Prior) -> None:
        if self.mix is None:
            return
        if prior.mix is not None:
            raise UsageError(f"mix is of the prior elastic-net, and this is {prior.name}")
        if not 0 <= self.mix <= 1:
            raise UsageError(f"mix is from 0 (ridge) to 1 (lasso), not {self.mix!r}")

    @property
    def has_strength(self) -> bool:
        """Whether a number says how strongly weights are held back."""
        _, prior, solver = self.parts()
        return "strength" in prior.provides and "objective" in solver.provides

    def check_takes_strengths(self, way: str | None = None) -> None:
        """Refuse to be told, or to look for, a strength that there is not, or not in such a way."""
        _, prior, solver = self.parts()
        if "strength" not in prior.provides:
            raise UsageError(
                f"the prior {self.prior} has no strength: give none, and search for none"
            )
        if "objective" not in solver.provides:
            raise UsageError(
                f"the solver {self.solver} holds weights back by nothing but its steps: give no "
                "strength, and search for none"
            )
        if way == "prior_variance" and "variance" not in prior.provides:
            raise UsageError(f"the prior {self.prior} has no variance: say lam or C")

    def _check_strength(self, prior: Prior) -> None:
        given = self.regularization.given()
        if given and "strength" not in prior.provides:
            raise UsageError(
                f"the prior {prior.name} has nothing to set: leave {' and '.join(given)} out"
            )
        for way in given:
            self.check_takes_strengths(way)

    def parts(self) -> tuple[Loss, Prior, Solver]:
        """The three parts by their names."""
        return (
            find("loss", LOSSES, self.loss),
            find("prior", PRIORS, self.prior),
            find("solver", SOLVERS, self.solver),
        )

    @property
    def share(self) -> float:
        """The share of the absolute value in the prior."""
        own = self.parts()[1].mix
        return own if own is not None else DEFAULT_MIX if self.mix is None else self.mix

    def solver_options(self) -> SolverOptions:
        """The solver's options, checked."""
        return self.parts()[2].make_options(self.options)

    def part_options(self) -> tuple[PartOptions, PartOptions, SolverOptions]:
        """The options of loss, prior and solver, checked."""
        loss, prior, _ = self.parts()
        return (
            made_options(f"loss {loss.name}", loss.options, self.loss_options),
            made_options(f"prior {prior.name}", prior.options, self.prior_options),
            self.solver_options(),
        )

    @property
    def gives_probabilities(self) -> bool:
        """Whether 1/(1 + exp(-score)) is a probability."""
        return "probability" in self.parts()[0].provides

    def to_native(self) -> _native.LearnOptions:
        """What the native core needs to know of it."""
        loss, _, solver = self.parts()
        options = _native.LearnOptions()
        options.loss = loss.native
        options.solver = solver.native
        options.intercept = getattr(_native.Intercept, self.intercept)
        options.constant = self.constant
        for each in self.part_options():
            each.fill(options)
        return options


def _missing(loss: Loss, prior: Prior, solver: Solver) -> str:
    """What a solver needs and does not get, as a sentence; empty if nothing."""
    for kind, part, needs in (
        ("loss", loss, solver.loss_needs),
        ("prior", prior, solver.prior_needs),
    ):
        absent = sorted(needs - part.provides)
        if absent:
            wants = f"a {absent[0]}, which the {kind} {part.name} does not have"
            return f"the solver {solver.name} needs {wants}"
    return ""


def _what_works(loss: Loss, prior: Prior) -> str:
    able = [solver.name for solver in SOLVERS.values() if not _missing(loss, prior, solver)]
    if not able:
        return f"no solver takes the loss {loss.name} with the prior {prior.name}"
    return f"{loss.name} with {prior.name} works with {' or '.join(able)}"

"""Solvers: algorithms, and what they need of a loss and a prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from postil import _native
from postil.errors import UsageError
from postil.learn.conjugate_gradient_options import (
    ConjugateGradientOptions,
    SmoothedConjugateGradientOptions,
)
from postil.learn.part_options import made_options
from postil.learn.parts import Part, registry
from postil.learn.solver_options import (
    DualCoordinateOptions,
    EmOptions,
    NewtonCoordinateOptions,
    PrimalCoordinateOptions,
    SmoOptions,
    SolverOptions,
)

InterceptKind = Literal["none", "penalised", "free"]


def check_intercept(intercept: str, constant: float) -> None:
    """Refuse a kind of intercept that there is not, and a constant feature of no value."""
    if intercept not in get_args(InterceptKind):
        known = " or ".join(get_args(InterceptKind))
        raise UsageError(f"intercept is {known}, not {intercept!r}")
    if not (math.isfinite(constant) and constant > 0):
        raise UsageError(f"constant is a finite number above 0, not {constant!r}")


@dataclass(frozen=True, slots=True)
class Solver(Part):
    """An algorithm: what it needs of the other parts, and its options."""

    loss_needs: frozenset[str]
    prior_needs: frozenset[str]
    intercepts: frozenset[str]
    options: type[SolverOptions]
    native: _native.SolverName

    def make_options(self, given: Mapping[str, Any]) -> SolverOptions:
        """Options from names and values, as a recipe holds them."""
        return made_options(f"solver {self.name}", self.options, given)


SOLVERS: Mapping[str, Solver] = MappingProxyType(
    registry(
        Solver(
            "primal-coordinate",
            "primal coordinate descent with trust region (zhang-oles-2001, algorithms 1-4; "
            "genkin-lewis-madigan-2004, figures 4 and 5)",
            frozenset({"weights", "term priors"}),
            frozenset({"slope", "curvature bound"}),
            frozenset({"step"}),
            frozenset({"none", "penalised", "free"}),
            PrimalCoordinateOptions,
            _native.SolverName.primal_coordinate,
        ),
        Solver(
            "dual-coordinate",
            "dual coordinate descent (zhang-oles-2001, algorithm 5)",
            frozenset({"weights", "duals", "kernels"}),
            frozenset({"conjugate"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised"}),
            DualCoordinateOptions,
            _native.SolverName.dual_coordinate,
        ),
        Solver(
            "newton-coordinate",
            "proximal Newton steps over a working set of terms",
            frozenset({"weights", "term priors"}),
            frozenset({"slope", "curvature"}),
            frozenset({"step"}),
            frozenset({"none", "penalised", "free"}),
            NewtonCoordinateOptions,
            _native.SolverName.newton_coordinate,
        ),
        Solver(
            "smo",
            "sequential minimal optimisation (zhang-oles-2001, eq. 7; Platt 1999)",
            frozenset({"weights", "kernels"}),
            frozenset({"box dual"}),
            frozenset({"ridge"}),
            frozenset({"free"}),
            SmoOptions,
            _native.SolverName.smo,
        ),
        Solver(
            "em",
            "expectation maximisation (genkin-lewis-madigan-2004, section 3.3; Figueiredo 2003)",
            frozenset({"weights"}),
            frozenset({"slope", "curvature"}),
            frozenset({"scale mixture"}),
            frozenset({"none", "penalised", "free"}),
            EmOptions,
            _native.SolverName.em,
        ),
        Solver(
            "conjugate-gradient",
            "nonlinear conjugate gradients, categories in lock step",
            frozenset({"weights", "trace"}),
            frozenset({"slope"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised", "free"}),
            ConjugateGradientOptions,
            _native.SolverName.conjugate_gradient,
        ),
        Solver(
            "smoothed-conjugate-gradient",
            "MLR-CG: the limit of smooth problems (zhang-jin-yang-hauptmann-2003, algorithm 1)",
            frozenset({"weights", "trace", "limit"}),
            frozenset({"smoothing"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised", "free"}),
            SmoothedConjugateGradientOptions,
            _native.SolverName.smoothed_conjugate_gradient,
        ),
    )
)

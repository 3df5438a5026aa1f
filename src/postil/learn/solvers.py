"""Solvers: algorithms, and what they need of a loss and a prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from postil import _native
from postil.errors import UsageError
from postil.learn.options import Part, registry
from postil.learn.solver_options import (
    ConjugateGradientOptions,
    DualCoordinateOptions,
    DualGradientOptions,
    EmOptions,
    MistakeDrivenOptions,
    NewtonCoordinateOptions,
    PrimalCoordinateOptions,
    SmoOptions,
    SmoothedConjugateGradientOptions,
    SolverOptions,
)

InterceptKind = Literal["none", "penalised", "free"]


def check_intercept(intercept: str, constant: float) -> None:
    """Raise UsageError if the kind of intercept or its constant feature is wrong."""
    if intercept not in get_args(InterceptKind):
        known = " or ".join(get_args(InterceptKind))
        raise UsageError(f"intercept must be {known}, not {intercept!r}")
    if not (math.isfinite(constant) and constant > 0):
        raise UsageError(f"constant must be a finite number above 0, not {constant!r}")


@dataclass(frozen=True, slots=True)
class Solver(Part):
    """An algorithm: what it needs of the other parts, what it provides, and its options.

    ``term priors``: each term may have a prior of its own.
    ``duals``: it can start from dual variables by document. ``kernels``: it needs only the products
    of documents. ``objective``: it minimises an objective with a strength. ``updates``: it can
    resume from weights with other documents. ``trace``: it can keep its objective after each step.
    ``limit``: it approaches the minimum as a limit of smooth problems.
    """

    loss_needs: frozenset[str]
    prior_needs: frozenset[str]
    intercepts: frozenset[str]
    options: type[SolverOptions]
    native: _native.SolverName


SOLVERS: Mapping[str, Solver] = MappingProxyType(
    registry(
        Solver(
            "primal-coordinate",
            "primal coordinate descent with trust region (zhang-oles-2001, algorithms 1-4; "
            "genkin-lewis-madigan-2004, figures 4 and 5)",
            frozenset({"objective", "term priors"}),
            frozenset({"slope", "curvature bound"}),
            frozenset({"step"}),
            frozenset({"none", "penalised", "free"}),
            PrimalCoordinateOptions,
            _native.SolverName.primal_coordinate,
        ),
        Solver(
            "dual-coordinate",
            "dual coordinate descent (zhang-oles-2001, algorithm 5)",
            frozenset({"objective", "duals", "kernels"}),
            frozenset({"conjugate"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised"}),
            DualCoordinateOptions,
            _native.SolverName.dual_coordinate,
        ),
        Solver(
            "newton-coordinate",
            "proximal Newton steps over a working set of terms",
            frozenset({"objective", "term priors"}),
            frozenset({"slope", "curvature"}),
            frozenset({"step"}),
            frozenset({"none", "penalised", "free"}),
            NewtonCoordinateOptions,
            _native.SolverName.newton_coordinate,
        ),
        Solver(
            "smo",
            "sequential minimal optimisation (zhang-oles-2001, eq. 7; Platt 1999)",
            frozenset({"objective", "kernels"}),
            frozenset({"box dual"}),
            frozenset({"ridge"}),
            frozenset({"free"}),
            SmoOptions,
            _native.SolverName.smo,
        ),
        Solver(
            "em",
            "expectation maximisation (genkin-lewis-madigan-2004, section 3.3; Figueiredo 2003)",
            frozenset({"objective"}),
            frozenset({"slope", "curvature"}),
            frozenset({"scale mixture"}),
            frozenset({"none", "penalised", "free"}),
            EmOptions,
            _native.SolverName.em,
        ),
        Solver(
            "mistake-driven",
            "Perceptron and Winnow updates (zhang-2000, sections 2.1 and 2.2)",
            frozenset({"duals", "updates"}),
            frozenset({"mistakes"}),
            frozenset({"updates"}),
            frozenset({"none", "penalised"}),
            MistakeDrivenOptions,
            _native.SolverName.mistake_driven,
        ),
        Solver(
            "dual-gradient",
            "updates of dual variables, additive or multiplicative (zhang-2000, section 2)",
            frozenset({"objective", "duals", "updates"}),
            frozenset({"box dual"}),
            frozenset({"updates"}),
            frozenset({"none", "penalised"}),
            DualGradientOptions,
            _native.SolverName.dual_gradient,
        ),
        Solver(
            "conjugate-gradient",
            "nonlinear conjugate gradients, categories in lock step",
            frozenset({"objective", "trace"}),
            frozenset({"slope"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised", "free"}),
            ConjugateGradientOptions,
            _native.SolverName.conjugate_gradient,
        ),
        Solver(
            "smoothed-conjugate-gradient",
            "MLR-CG: the limit of smooth problems (zhang-jin-yang-hauptmann-2003, algorithm 1)",
            frozenset({"objective", "trace", "limit"}),
            frozenset({"smoothing"}),
            frozenset({"ridge"}),
            frozenset({"none", "penalised", "free"}),
            SmoothedConjugateGradientOptions,
            _native.SolverName.smoothed_conjugate_gradient,
        ),
    )
)

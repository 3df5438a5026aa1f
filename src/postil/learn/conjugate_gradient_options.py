"""What conjugate gradients can be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from postil import _native
from postil.learn.option_rules import Rule, number, one_of, whole
from postil.learn.solver_options import MOST_SWEEPS, SolverOptions

Direction: TypeAlias = Literal["hestenes-stiefel", "polak-ribiere", "fletcher-reeves"]
Scaling: TypeAlias = Literal["diagonal", "none"]


@dataclass(frozen=True, slots=True)
class ConjugateGradientOptions(SolverOptions):
    """Nonlinear conjugate gradients; ``iterations`` counts the steps.

    Directions begin anew after ``restart`` steps (0: never) and by Powell's criterion, where the
    gradients of two steps have a product of ``powell`` times the square of the second (0: never
    asked; 0.2 is usual). A line search ends where the slope is ``slope_share`` of what it was.
    ``scaling="diagonal"`` measures each weight by what its curvature is about, which papers do
    not. Nothing is random: ``seed`` is not used.
    """

    direction: Direction = "hestenes-stiefel"
    restart: int = 0
    powell: float = 0.0
    slope_share: float = 0.1
    scaling: Scaling = "diagonal"

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "direction": one_of("hestenes-stiefel", "polak-ribiere", "fletcher-reeves"),
            "restart": whole(0, MOST_SWEEPS),
            "powell": number("from 0 to 1", lambda value: 0 <= value <= 1),
            "slope_share": number("from 1e-6 to 0.9", lambda value: 1e-6 <= value <= 0.9),
            "scaling": one_of("diagonal", "none"),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.conjugate = self.to_native()

    def to_native(self) -> _native.CgOptions:
        """The same for the native core."""
        conjugate = _native.CgOptions()
        conjugate.iterations = self.iterations
        conjugate.tolerance = self.tolerance
        conjugate.direction = getattr(_native.CgDirection, self.direction.replace("-", "_"))
        conjugate.restart = self.restart
        conjugate.powell = self.powell
        conjugate.slope_share = self.slope_share
        conjugate.is_scaled = self.scaling == "diagonal"
        return conjugate


@dataclass(frozen=True, slots=True)
class SmoothedConjugateGradientOptions(ConjugateGradientOptions):
    """The SVM as the limit of smooth problems (zhang-jin-yang-hauptmann-2003, algorithm 1).

    After every ``steps_per_gamma`` steps γ becomes ``gamma_growth`` γ + ``gamma_step``, from
    ``first_gamma`` on. The defaults are the paper's (a ``gamma_growth`` of 1, 200 steps in all, no
    scaling), but that it stops as soon as a duality gap of the SVM certifies the ``tolerance``; 0
    takes all steps. Gaps are looked at where γ changes.
    """

    iterations: int = 200
    scaling: Scaling = "none"
    first_gamma: float = 1.0
    gamma_step: float = 10.0
    gamma_growth: float = 1.0
    steps_per_gamma: int = 10

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **ConjugateGradientOptions.rules(self),
            "first_gamma": number("from 1e-4 to 1e6", lambda value: 1e-4 <= value <= 1e6),
            "gamma_step": number("from 0 to 1e6", lambda value: 0 <= value <= 1e6),
            "gamma_growth": number("from 1 to 100", lambda value: 1 <= value <= 100),
            "steps_per_gamma": whole(1, MOST_SWEEPS),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.conjugate = self.to_native()
        options.smoothing = self.smoothing()

    def smoothing(self) -> _native.SmoothingOptions:
        """How γ grows, for the native core."""
        smoothing = _native.SmoothingOptions()
        smoothing.first_gamma = self.first_gamma
        smoothing.gamma_step = self.gamma_step
        smoothing.gamma_growth = self.gamma_growth
        smoothing.steps_per_gamma = self.steps_per_gamma
        return smoothing

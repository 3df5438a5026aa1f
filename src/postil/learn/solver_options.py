"""What each solver can be told.

What conjugate gradients can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from postil import _native
from postil.learn.options import PartOptions, Rule, number, one_of, whole

MOST_SWEEPS = 2**32 - 1
MOST_PAIRS = 2**63 - 1
MOST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class SolverOptions(PartOptions):
    """What every solver can be told.

    ``tolerance`` is of the certificate: the duality gap over the objective, or the largest
    violation of the optimality conditions over that of zero weights; 0 never asks for it, so that
    only ``iterations`` (and a stopping rule of a paper) end the work.
    """

    tolerance: float = 1e-3
    iterations: int = 1000
    seed: int = 0

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            "tolerance": number("at least 0 and under 1", lambda value: 0 <= value < 1),
            "iterations": whole(1, MOST_SWEEPS),
            "seed": whole(0, MOST_SEED),
        }


@dataclass(frozen=True, slots=True)
class PrimalCoordinateOptions(SolverOptions):
    """Primal coordinate descent (zhang-oles-2001, algorithms 2 to 4).

    The defaults are ours: terms in random order, the constant visited eight times in a sweep
    (all terms lean on it), the trust region that ends as Newton's method, with a floor so that a
    term that rested can wake up, the exact curvature bound. The paper's are
    ``trust_region="doubled"`` (or ``"halved"`` with ``least_reach=0``), ``bound="printed"``,
    ``shuffle=False``, ``constant_visits=1``; ``movement=1e-3`` is its stopping
    rule, ``continuation=50`` its c_k. ``truncation`` is its selection of features inside the
    iterations: a term whose weight is smaller than this after a sweep leaves for good, so that the
    end is no optimum of all terms, and the certificate says how far from one it is.
    """

    trust_region: Literal["doubled", "halved"] = "halved"
    bound: Literal["exact", "printed"] = "exact"
    initial_reach: float = 1.0
    reach_slack: float = 0.1
    movement: float = 0.0
    continuation: int = 0
    shuffle: bool = True
    constant_visits: int = 8
    least_reach: float = 1e-3
    truncation: float = 0.0

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "trust_region": one_of("doubled", "halved"),
            "bound": one_of("exact", "printed"),
            "initial_reach": number("above 0", lambda value: value > 0, finite=False),
            "reach_slack": number("at least 0", lambda value: value >= 0),
            "least_reach": number("at least 0", lambda value: value >= 0),
            "movement": number("at least 0", lambda value: value >= 0),
            "continuation": whole(0, MOST_SWEEPS),
            "constant_visits": whole(1, MOST_SWEEPS),
            "truncation": number("at least 0", lambda value: value >= 0),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        primal = _native.PrimalOptions()
        primal.sweeps = self.iterations
        primal.tolerance = self.tolerance
        primal.seed = self.seed
        primal.trust_region = getattr(_native.TrustRegion, self.trust_region)
        primal.initial_reach = self.initial_reach
        primal.reach_slack = self.reach_slack
        primal.least_reach = self.least_reach
        primal.movement = self.movement
        primal.continuation = self.continuation
        primal.shuffle = self.shuffle
        primal.constant_visits = self.constant_visits
        primal.truncation = self.truncation
        options.primal = primal
        options.printed_bound = self.bound == "printed"


@dataclass(frozen=True, slots=True)
class DualCoordinateOptions(SolverOptions):
    """Dual coordinate descent (zhang-oles-2001, algorithm 5).

    ``rate`` is the paper's η: the share of the hinge's full step that is taken (eq. 18).
    """

    shuffle: bool = True
    shrink: bool = True
    rate: float = 1.0

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "rate": number("above 0 and under 2", lambda value: 0 < value < 2),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        dual = _native.DualOptions()
        dual.passes = self.iterations
        dual.tolerance = self.tolerance
        dual.seed = self.seed
        dual.shuffle = self.shuffle
        dual.shrink = self.shrink
        options.dual = dual
        options.rate = self.rate


@dataclass(frozen=True, slots=True)
class NewtonCoordinateOptions(SolverOptions):
    """Proximal Newton steps over a working set; ``iterations`` counts the steps.

    A step makes at most ``passes`` passes of coordinate descent; one that needs more counts as
    several, so that ``iterations`` bounds the work. A working set grows by as many terms as it
    has, or by ``least_set``.
    """

    passes: int = 50
    least_set: int = 32

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "passes": whole(1, MOST_SWEEPS),
            "least_set": whole(1, MOST_SWEEPS),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        newton = _native.NewtonOptions()
        newton.steps = self.iterations
        newton.tolerance = self.tolerance
        newton.passes = self.passes
        newton.least_set = self.least_set
        options.newton = newton


@dataclass(frozen=True, slots=True)
class EmOptions(SolverOptions):
    """Expectation maximisation under a scale mixture (Figueiredo 2003); a step is an iteration.

    ``start_variance`` is that of the ridge solution to start from where a fit is given none: the
    end is a local optimum, and depends on it. The default is wide for documents of length 1, so
    that the prior decides which weights leave, and not the start. A weight smaller than
    ``least_weight`` is on its way to 0 and leaves for good. An M-step takes Newton steps of at most
    so many ``passes``. The certificate is relative to what the prior pulls a weight with; nothing
    is random.
    """

    start_variance: float = 100.0
    least_weight: float = 1e-6
    passes: int = 20

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "start_variance": number("from 1e-10 to 1e10", lambda value: 1e-10 <= value <= 1e10),
            "least_weight": number("from 1e-10 to 1", lambda value: 1e-10 <= value <= 1),
            "passes": whole(1, MOST_SWEEPS),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        em = _native.EmOptions()
        em.iterations = self.iterations
        em.tolerance = self.tolerance
        em.start_variance = self.start_variance
        em.least_weight = self.least_weight
        em.passes = self.passes
        options.em = em


@dataclass(frozen=True, slots=True)
class SmoOptions(SolverOptions):
    """Sequential minimal optimisation; ``iterations`` counts pairs of documents."""

    iterations: int = 10_000_000
    cache_megabytes: int = 100
    shrink: bool = True

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "iterations": whole(1, MOST_PAIRS),
            "cache_megabytes": whole(0, MOST_SWEEPS),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        smo = _native.SmoOptions()
        smo.steps = self.iterations
        smo.tolerance = self.tolerance
        smo.cache_bytes = self.cache_megabytes << 20
        smo.shrink = self.shrink
        options.smo = smo


@dataclass(frozen=True, slots=True)
class UpdateOptions(SolverOptions):
    """What solvers that move along one document after the other can be told.

    ``iterations`` are passes over the documents; ``rate`` is the paper's η. Without ``shuffle``
    documents come in their order in every pass.
    """

    iterations: int = 100
    shuffle: bool = True

    def _online(self, rate: float) -> _native.OnlineOptions:
        online = _native.OnlineOptions()
        online.passes = self.iterations
        online.tolerance = self.tolerance
        online.rate = rate
        online.shuffle = self.shuffle
        online.seed = self.seed
        return online


@dataclass(frozen=True, slots=True)
class MistakeDrivenOptions(UpdateOptions):
    """Perceptron and Winnow (zhang-2000, sections 2.1 and 2.2).

    A pass without a mistake is the end, and the certificate is the share of documents that the last
    pass misclassified. As no data but separable ones end so, the default ``tolerance`` of 0 asks
    for nothing: a larger one warns where the share is above it.
    """

    tolerance: float = 0.0
    rate: float = 0.1

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            **SolverOptions.rules(self),
            "rate": number("above 0", lambda value: value > 0),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.online = self._online(self.rate)


@dataclass(frozen=True, slots=True)
class DualGradientOptions(UpdateOptions):
    """SVM and large margin Winnows by dual updates (zhang-2000, sections 2.1 and 2.2).

    The paper's ``rate`` is a small number, the same for all documents. Ours, ``"newton"``, is for
    each document the step that maximises the dual's expansion, and gets as near as is asked.
    """

    rate: float | Literal["newton"] = "newton"

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        above = number('above 0, or "newton"', lambda value: value > 0)
        return {
            **SolverOptions.rules(self),
            "rate": Rule(above.words, lambda value: value == "newton" or above.holds(value)),
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.online = self._online(0.0 if self.rate == "newton" else float(self.rate))


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

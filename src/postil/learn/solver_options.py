"""The options of each solver, and how the native core gets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from postil import _native
from postil.learn.options import (
    PartOptions,
    Rule,
    between,
    filled,
    number,
    one_of,
    option,
    whole,
)

SWEEPS = whole(1, 2**32 - 1)
_PAIRS = whole(1, 2**63 - 1)
_COUNT = whole(0, 2**32 - 1)
_SEED = whole(0, 2**64 - 1)
_NOT_NEGATIVE = number("at least 0", lambda value: value >= 0)
_NEWTON_RATE = number('above 0, or "newton"', lambda value: value > 0)


@dataclass(frozen=True, slots=True)
class SolverOptions(PartOptions):
    """Options that every solver has.

    ``tolerance`` bounds the certificate: the duality gap over the objective, or the largest
    violation of the optimality conditions over that of zero weights; with 0, only ``iterations``
    (and a stopping rule of a paper) end the work.
    """

    tolerance: float = option(1e-3, number("at least 0 and under 1", lambda value: 0 <= value < 1))
    iterations: int = option(1000, SWEEPS)
    seed: int = option(0, _SEED)


@dataclass(frozen=True, slots=True)
class PrimalCoordinateOptions(SolverOptions):
    """Options of primal coordinate descent (zhang-oles-2001, algorithms 2 to 4).

    The defaults are ours: terms in random order, the constant visited eight times in a sweep
    (all terms depend on it), the trust region that ends as Newton's method, with a floor so that a
    term that rested can move again, the exact curvature bound. The paper's are
    ``trust_region="doubled"`` (or ``"halved"`` with ``least_reach=0``), ``bound="printed"``,
    ``shuffle=False``, ``constant_visits=1``; ``movement=1e-3`` is its stopping rule, with the
    change of margins over a whole sweep, or, ``movement_of="steps"``, of every step: its words
    allow both. ``continuation=50`` is its sequence c_k of algorithm 2, ``truncation`` its selection
    of features inside the iterations: a term whose weight is smaller than this after a sweep is
    removed for good. The result is then no optimum over all terms, and the certificate shows the
    distance.
    """

    trust_region: Literal["doubled", "halved"] = option("halved", one_of("doubled", "halved"))
    bound: Literal["exact", "printed"] = option("exact", one_of("exact", "printed"))
    initial_reach: float = option(1.0, number("above 0", lambda value: value > 0, finite=False))
    reach_slack: float = option(0.1, _NOT_NEGATIVE)
    movement: float = option(0.0, _NOT_NEGATIVE)
    movement_of: Literal["sweep", "steps"] = option("sweep", one_of("sweep", "steps"))
    continuation: int = option(0, _COUNT)
    shuffle: bool = True
    constant_visits: int = option(8, SWEEPS)
    least_reach: float = option(1e-3, _NOT_NEGATIVE)
    truncation: float = option(0.0, _NOT_NEGATIVE)

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.primal = filled(
            _native.PrimalOptions(),
            sweeps=self.iterations,
            tolerance=self.tolerance,
            seed=self.seed,
            trust_region=getattr(_native.TrustRegion, self.trust_region),
            initial_reach=self.initial_reach,
            reach_slack=self.reach_slack,
            least_reach=self.least_reach,
            movement=self.movement,
            movement_of=getattr(_native.Movement, self.movement_of),
            continuation=self.continuation,
            shuffle=self.shuffle,
            constant_visits=self.constant_visits,
            truncation=self.truncation,
        )
        options.printed_bound = self.bound == "printed"


@dataclass(frozen=True, slots=True)
class DualCoordinateOptions(SolverOptions):
    """Options of dual coordinate descent (zhang-oles-2001, algorithm 5).

    ``rate`` is the paper's η: the share of the hinge's full step that is taken (eq. 18).
    """

    shuffle: bool = True
    shrink: bool = True
    rate: float = option(1.0, number("above 0 and under 2", lambda value: 0 < value < 2))

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.dual = filled(
            _native.DualOptions(),
            passes=self.iterations,
            tolerance=self.tolerance,
            seed=self.seed,
            shuffle=self.shuffle,
            shrink=self.shrink,
        )
        options.rate = self.rate


@dataclass(frozen=True, slots=True)
class NewtonCoordinateOptions(SolverOptions):
    """Options of proximal Newton steps over a working set; ``iterations`` counts the steps.

    A step makes at most ``passes`` passes of coordinate descent; one that needs more counts as
    several, so that ``iterations`` bounds the work. A working set grows by as many terms as it
    has, or by ``least_set``.
    """

    passes: int = option(50, SWEEPS)
    least_set: int = option(32, SWEEPS)

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.newton = filled(
            _native.NewtonOptions(),
            steps=self.iterations,
            tolerance=self.tolerance,
            passes=self.passes,
            least_set=self.least_set,
        )


@dataclass(frozen=True, slots=True)
class EmOptions(SolverOptions):
    """Options of expectation maximisation under a scale mixture (Figueiredo 2003).

    An iteration is a step. Without a warm start, the start is a ridge solution of variance
    ``start_variance``; the end is a local optimum, and depends on it. The default is wide for
    documents of length 1, so that the prior decides which weights leave, and not the start. A
    weight smaller than ``least_weight`` leaves for good. An M-step takes Newton steps of at most
    ``passes`` passes. The certificate is relative to the prior's pull on a weight; nothing is
    random.
    """

    start_variance: float = option(100.0, between(1e-10, 1e10))
    least_weight: float = option(1e-6, between(1e-10, 1))
    passes: int = option(20, SWEEPS)

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.em = filled(
            _native.EmOptions(),
            iterations=self.iterations,
            tolerance=self.tolerance,
            start_variance=self.start_variance,
            least_weight=self.least_weight,
            passes=self.passes,
        )


@dataclass(frozen=True, slots=True)
class SmoOptions(SolverOptions):
    """Options of sequential minimal optimisation; ``iterations`` counts pairs of documents."""

    iterations: int = option(10_000_000, _PAIRS)
    cache_megabytes: int = option(100, _COUNT)
    shrink: bool = True

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.smo = filled(
            _native.SmoOptions(),
            steps=self.iterations,
            tolerance=self.tolerance,
            cache_bytes=self.cache_megabytes << 20,
            shrink=self.shrink,
        )


@dataclass(frozen=True, slots=True)
class UpdateOptions(SolverOptions):
    """Options of solvers that move along one document after the other.

    ``iterations`` are passes over the documents; ``rate`` is the paper's η. Without ``shuffle``
    documents come in their order in every pass.
    """

    iterations: int = option(100, SWEEPS)
    shuffle: bool = True

    def _online(self, rate: float) -> _native.OnlineOptions:
        return filled(
            _native.OnlineOptions(),
            passes=self.iterations,
            tolerance=self.tolerance,
            rate=rate,
            shuffle=self.shuffle,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class MistakeDrivenOptions(UpdateOptions):
    """Options of Perceptron and Winnow (zhang-2000, sections 2.1 and 2.2).

    A pass without a mistake is the end, and the certificate is the share of documents that the last
    pass misclassified. As only separable data end so, the default ``tolerance`` is 0, which asks
    for nothing; a larger one warns if the share is above it.
    """

    tolerance: float = option(0.0, number("at least 0 and under 1", lambda value: 0 <= value < 1))
    rate: float = option(0.1, number("above 0", lambda value: value > 0))

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.online = self._online(self.rate)


@dataclass(frozen=True, slots=True)
class DualGradientOptions(UpdateOptions):
    """Options of SVM and large margin Winnows by dual updates (zhang-2000, sections 2.1 and 2.2).

    The paper's ``rate`` is a small number, the same for all documents. Ours, ``"newton"``, is for
    each document the step that maximises the dual's expansion, and reaches any tolerance.
    """

    rate: float | Literal["newton"] = option(
        "newton",
        Rule(_NEWTON_RATE.words, lambda value: value == "newton" or _NEWTON_RATE.holds(value)),
    )

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.online = self._online(0.0 if self.rate == "newton" else float(self.rate))


_SCALINGS = one_of("diagonal", "none")


@dataclass(frozen=True, slots=True)
class ConjugateGradientOptions(SolverOptions):
    """Options of nonlinear conjugate gradients; ``iterations`` counts the steps.

    Directions start anew after ``restart`` steps (0: never) and by Powell's criterion, if the
    gradients of two steps have a product of ``powell`` times the square of the second (0: never;
    0.2 is usual). A line search ends where the slope is ``slope_share`` of its first value.
    ``scaling="diagonal"``, which papers do not have, scales each weight by its approximate
    curvature. Nothing is random: ``seed`` is not used.
    """

    direction: Literal["hestenes-stiefel", "polak-ribiere", "fletcher-reeves"] = option(
        "hestenes-stiefel", one_of("hestenes-stiefel", "polak-ribiere", "fletcher-reeves")
    )
    restart: int = option(0, _COUNT)
    powell: float = option(0.0, between(0, 1))
    slope_share: float = option(0.1, between(1e-6, 0.9))
    scaling: Literal["diagonal", "none"] = option("diagonal", _SCALINGS)

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.conjugate = self.to_native()

    def to_native(self) -> _native.CgOptions:
        """Return the options of the native core."""
        return filled(
            _native.CgOptions(),
            iterations=self.iterations,
            tolerance=self.tolerance,
            direction=getattr(_native.CgDirection, self.direction.replace("-", "_")),
            restart=self.restart,
            powell=self.powell,
            slope_share=self.slope_share,
            is_scaled=self.scaling == "diagonal",
        )


@dataclass(frozen=True, slots=True)
class SmoothedConjugateGradientOptions(ConjugateGradientOptions):
    """Options of MLR-CG: the SVM as a limit of smooth problems (zhang-jin-yang-hauptmann-2003).

    After every ``steps_per_gamma`` steps γ becomes ``gamma_growth`` γ + ``gamma_step``, from
    ``first_gamma`` on. The defaults are the paper's (a ``gamma_growth`` of 1, 200 steps in all, no
    scaling), except that it stops as soon as a duality gap of the SVM certifies the ``tolerance``;
    0 takes all steps. Gaps are computed where γ changes.
    """

    iterations: int = option(200, SWEEPS)
    scaling: Literal["diagonal", "none"] = option("none", _SCALINGS)
    first_gamma: float = option(1.0, between(1e-4, 1e6))
    gamma_step: float = option(10.0, between(0, 1e6))
    gamma_growth: float = option(1.0, between(1, 100))
    steps_per_gamma: int = option(10, SWEEPS)

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this solver."""
        options.conjugate = self.to_native()
        options.smoothing = self.smoothing()

    def smoothing(self) -> _native.SmoothingOptions:
        """Return the growth of γ for the native core."""
        return filled(
            _native.SmoothingOptions(),
            first_gamma=self.first_gamma,
            gamma_step=self.gamma_step,
            gamma_growth=self.gamma_growth,
            steps_per_gamma=self.steps_per_gamma,
        )

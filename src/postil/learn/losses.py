"""Losses: functions f of the margin z = y (w·x + b), and what each provides to a solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from postil import _native
from postil.learn.options import Part, PartOptions, between, option, registry


@dataclass(frozen=True, slots=True)
class Loss(Part):
    """A loss: its formula for people, its name in the native core, and what it provides.

    ``slope``: it has a first derivative everywhere. ``curvature``: it has a second one, at all
    but a few margins, that Newton's method can use; that of the smoothed hinge is almost 0 except
    around a margin of 1. ``curvature bound``: the second derivative can be bounded within a step.
    ``conjugate``: its Legendre transform is known, and with it the best dual variable of one
    document. ``box dual``: that transform is linear on an interval. ``smoothing``: it is the limit
    of smooth losses. ``likelihood``: it is -ln P of the membership. ``probability``:
    1/(1 + exp(-score)) estimates the probability of membership. ``normal probability``: Φ(score)
    does. ``mistakes``: its slope is 0 except for documents that are misclassified.
    """

    formula: str
    native: _native.LossName
    options: type[PartOptions] = PartOptions


@dataclass(frozen=True, slots=True)
class SmoothedHingeOptions(PartOptions):
    """Options of the smoothed hinge: ``gamma`` is γ; the loss is at most ln2/γ above the hinge."""

    gamma: float = option(200.0, between(1e-4, 1e6))

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this loss."""
        options.gamma = self.gamma


_SMOOTH_LIKELIHOOD = frozenset({"slope", "curvature", "curvature bound", "conjugate", "likelihood"})

LOSSES: Mapping[str, Loss] = MappingProxyType(
    registry(
        Loss(
            "squared",
            "least squares (zhang-oles-2001, eq. 4)",
            frozenset({"slope", "curvature", "curvature bound", "conjugate"}),
            "(1 - z)²",
            _native.LossName.squared,
        ),
        Loss(
            "modified-squared",
            "modified least squares, also squared hinge (zhang-oles-2001, eq. 11)",
            frozenset({"slope", "curvature", "curvature bound", "conjugate"}),
            "max(0, 1 - z)²",
            _native.LossName.modified_squared,
        ),
        Loss(
            "hinge",
            "support vector machine (zhang-oles-2001, eq. 9)",
            frozenset({"conjugate", "box dual", "smoothing"}),
            "max(0, 1 - z)",
            _native.LossName.hinge,
        ),
        Loss(
            "logistic",
            "logistic regression (zhang-oles-2001, eq. 6)",
            _SMOOTH_LIKELIHOOD | {"probability"},
            "ln(1 + exp(-z))",
            _native.LossName.logistic,
        ),
        Loss(
            "probit",
            "probit regression, Φ the normal distribution (genkin-lewis-madigan-2004, section 3.3)",
            _SMOOTH_LIKELIHOOD | {"normal probability"},
            "-ln Φ(z)",
            _native.LossName.probit,
        ),
        Loss(
            "perceptron",
            "the margin of mistakes (zhang-2000, section 2.1)",
            frozenset({"mistakes"}),
            "max(0, -z)",
            _native.LossName.perceptron,
        ),
        Loss(
            "smoothed-hinge",
            "support vector machine made smooth, γ given by the option gamma "
            "(zhang-jin-yang-hauptmann-2003, eq. 1)",
            frozenset({"slope", "curvature bound", "conjugate"}),
            "ln(1 + exp(-γ (z - 1))) / γ",
            _native.LossName.smoothed_hinge,
            SmoothedHingeOptions,
        ),
    )
)

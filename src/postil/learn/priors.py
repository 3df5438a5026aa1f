"""Priors (penalties): what a weight costs, added to the average loss.

What each prior can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from postil import _native
from postil.learn.options import Part, PartOptions, Rule, number, one_of, registry


@dataclass(frozen=True, slots=True)
class EntropyOptions(PartOptions):
    """Where a Winnow's weights start, and which signs they may have (zhang-2000, section 2.2).

    ``balanced`` weights are differences of two that start at ``mu``, those of x and of -x;
    ``positive`` ones start at ``mu`` themselves, and a score has to reach the ``threshold``, as
    all of them are above 0 where vectors are.
    """

    mu: float = 0.01
    signs: Literal["balanced", "positive"] = "balanced"
    threshold: float = 0.0

    kind: ClassVar[_native.Entropy] = _native.Entropy.unnormalised

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        return {
            "mu": number("from 1e-100 to 1e100", lambda value: 1e-100 <= value <= 1e100),
            "signs": one_of("balanced", "positive"),
            "threshold": number("a finite number", lambda value: True),  # noqa: ARG005
        }

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this prior."""
        options.entropy = self.native()

    def native(self) -> _native.EntropyPrior:
        """The prior of the native core."""
        prior = _native.EntropyPrior()
        prior.kind = self.kind
        prior.mu = self.mu
        prior.positive = self.signs == "positive"
        prior.threshold = self.threshold
        return prior


@dataclass(frozen=True, slots=True)
class NormalisedEntropyOptions(EntropyOptions):
    """The same with weights, both of a pair, that add up to ``total``, the paper's W.

    Without it they add up to what they start with: ``mu`` for each.
    """

    total: float | None = None

    kind: ClassVar[_native.Entropy] = _native.Entropy.normalised

    def rules(self) -> dict[str, Rule]:
        """What each option may be."""
        above = number("above 0, or none", lambda value: value > 0)
        return {
            **EntropyOptions.rules(self),
            "total": Rule(above.words, lambda value: value is None or above.holds(value)),
        }

    def native(self) -> _native.EntropyPrior:
        """The prior of the native core."""
        prior = EntropyOptions.native(self)
        prior.total = self.total or 0.0
        return prior


@dataclass(frozen=True, slots=True)
class Prior(Part):
    """A prior: its formula for people, and what solvers may ask of it.

    ``step``: the best change of one weight under a quadratic bound of the loss is known.
    ``ridge``: it is λ‖w‖², so that weights are a sum of documents and the dual is simple.
    ``strength``: a number says how strongly it holds weights back. ``scale mixture``: given the
    weights, it is a Gaussian prior with a variance for each of them. ``variance``: its strength can
    be said as one. ``updates``: weights follow from a sum of documents, so that a document moves
    them by its own terms.

    ``mix`` is the share of the absolute value: 0 for a square, 1 for none; ``None`` where the
    user says it.
    """

    formula: str
    mix: float | None
    options: type[PartOptions] = PartOptions


PRIORS: Mapping[str, Prior] = MappingProxyType(
    registry(
        Prior(
            "gaussian",
            "ridge (zhang-oles-2001, eq. 4; genkin-lewis-madigan-2004, eq. 3)",
            frozenset({"step", "strength", "variance", "ridge", "updates"}),
            "λ w²",
            0.0,
        ),
        Prior(
            "laplace",
            "lasso (genkin-lewis-madigan-2004, eq. 6)",
            frozenset({"step", "strength", "variance"}),
            "λ |w|",
            1.0,
        ),
        Prior(
            "elastic-net",
            "between lasso and ridge",
            frozenset({"step", "strength", "variance"}),
            "λ (ρ |w| + (1 - ρ) w²)",
            None,
        ),
        Prior(
            "jeffreys",
            "hyperparameter-free, of local optima (genkin-lewis-madigan-2004, section 3.3)",
            frozenset({"scale mixture"}),
            "ln(|w|) / n",
            0.0,
        ),
        Prior(
            "entropy",
            "Winnow's: relative entropy beside a start μ (zhang-2000, section 2.2)",
            frozenset({"strength", "updates"}),
            "λ Σ± (w ln(w/μ) - w + μ)",
            1.0,
            EntropyOptions,
        ),
        Prior(
            "normalised-entropy",
            "normalised Winnow's: all weights add up to W (zhang-2000, section 2.2)",
            frozenset({"strength", "updates"}),
            "λ Σ± w ln(w/μ)",
            1.0,
            NormalisedEntropyOptions,
        ),
    )
)

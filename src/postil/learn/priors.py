"""Priors (penalties): the cost of a weight, added to the average loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from postil import _native
from postil.learn.options import Part, PartOptions, Rule, between, number, one_of, option, registry

_ABOVE = number("above 0, or none", lambda value: value > 0)


@dataclass(frozen=True, slots=True)
class EntropyOptions(PartOptions):
    """The start and the signs of a Winnow's weights (zhang-2000, section 2.2).

    ``balanced`` weights are differences of two weights that start at ``mu``, those of x and of -x.
    ``positive`` weights start at ``mu`` themselves; as scores of vectors above 0 are then above 0,
    a score has to reach the ``threshold``.
    """

    mu: float = option(0.01, between(1e-100, 1e100))
    signs: Literal["balanced", "positive"] = option("balanced", one_of("balanced", "positive"))
    threshold: float = option(0.0, number("a finite number", lambda _: True))

    kind: ClassVar[_native.Entropy] = _native.Entropy.unnormalised

    def fill(self, options: _native.LearnOptions) -> None:
        """Set the native options of this prior."""
        options.entropy = self.native()

    def native(self) -> _native.EntropyPrior:
        """Return the prior of the native core."""
        prior = _native.EntropyPrior()
        prior.kind = self.kind
        prior.mu = self.mu
        prior.positive = self.signs == "positive"
        prior.threshold = self.threshold
        return prior


@dataclass(frozen=True, slots=True)
class NormalisedEntropyOptions(EntropyOptions):
    """Options of weights that add up to ``total``, the paper's W, both of a pair counted.

    The default total is that of the start: ``mu`` for each weight.
    """

    total: float | None = option(
        None, Rule(_ABOVE.words, lambda value: value is None or _ABOVE.holds(value))
    )

    kind: ClassVar[_native.Entropy] = _native.Entropy.normalised

    def native(self) -> _native.EntropyPrior:
        """Return the prior of the native core."""
        prior = EntropyOptions.native(self)
        prior.total = self.total or 0.0
        return prior


@dataclass(frozen=True, slots=True)
class Prior(Part):
    """A prior: its formula for people, and what it provides to a solver.

    ``step``: the best change of one weight under a quadratic bound of the loss is known.
    ``ridge``: it is λ‖w‖², so that weights are a sum of documents and the dual is simple.
    ``strength``: a number sets how strong it is. ``scale mixture``: given the weights, it is a
    Gaussian prior with a variance for each of them. ``variance``: its strength can be given as one.
    ``updates``: weights follow from a sum of documents, so that a document moves them by its own
    terms.

    ``mix`` is the share of the absolute value: 0 for a square alone, 1 for an absolute value alone,
    ``None`` if the user gives it.
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
            "no strength to choose, several local optima (genkin-lewis-madigan-2004, section 3.3)",
            frozenset({"scale mixture"}),
            "ln(|w|) / n",
            0.0,
        ),
        Prior(
            "entropy",
            "Winnow's: relative entropy with respect to a start μ (zhang-2000, section 2.2)",
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

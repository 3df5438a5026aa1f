"""Priors (penalties): what a weight costs, added to the average loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from postil.learn.part_options import PartOptions
from postil.learn.parts import Part, registry
from postil.learn.prior_options import EntropyOptions, NormalisedEntropyOptions


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

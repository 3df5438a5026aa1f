"""Resuming with other documents: from weights back to the exponents that a solver moves.

Solvers that provide ``updates`` move exponents θ = θ₀ + Σ aᵢ yᵢ xᵢ along one document after the
other (zhang-2000, section 2), and weights are a function of them:

==================  ======================================
additive            w = θ
balanced factors    w = unit (exp θ - exp -θ)
positive factors    w = unit exp θ
==================  ======================================

So θ follows from the weights. The share aᵢ that each old document has in it is not known: it stays
as it is, and new documents add their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.method import BaseMethod, Method
from postil.learn.priors import EntropyOptions
from postil.learn.strength import Strengths

# A positive weight that was too small for a file; its exponent is as low as can be known.
LEAST = float(np.finfo(np.float32).smallest_subnormal)


def resumable(method: BaseMethod) -> Method | None:
    """Return the method if it can resume from weights with other documents, else None."""
    return method if isinstance(method, Method) and method.can_resume else None


def has_units(method: Method) -> bool:
    """Return whether weights are learned by factors."""
    return isinstance(method.part_options[1], EntropyOptions)


def usable_units(units: Floats | None) -> Floats | None:
    """Return the units, or None if one of them has left the range of numbers."""
    if units is None or not (np.isfinite(units) & (units > 0)).all():
        return None
    return units


def exponents(method: Method, weights: ArrayLike, intercept: float, unit: float | None) -> Floats:
    """Return θ of each term of one category, the constant's last; linear in the terms.

    ``weights`` are by term, and ``unit`` is that of the category if weights have one.
    """
    options = method.part_options[1]
    threshold = options.threshold if isinstance(options, EntropyOptions) else 0.0
    has_constant = method.intercept != "none"
    constant = (intercept + threshold) / method.constant if has_constant else 0.0
    values = np.append(np.asarray(weights, dtype=np.float64), constant)
    if not isinstance(options, EntropyOptions):
        return values
    if unit is None:
        raise UsageError("weights learned by factors need a unit to resume from, and have none")
    if options.signs == "balanced":
        return np.arcsinh(values / (2.0 * unit))
    found: Floats = np.log(np.maximum(values, LEAST) / unit)
    if not has_constant:
        found[-1] = 0.0
    return found


def depends_on_number(method: Method) -> bool:
    """Return whether the method's strength is another C for another number of documents."""
    given = method.regularization
    return method.has_strength and (given.lam is not None or given.is_norm_based)


def document_strengths(method: Method, lambdas: ArrayLike, documents: float) -> Strengths | None:
    """Return the C of each λ of a fit to that many documents, to use with other documents.

    C = (1 + ρ)/(2λn) with the share ρ of the absolute value, 0 for Gaussian and 1 for entropy
    priors (:class:`Strengths`). None if the solver regularizes by its steps alone.
    """
    if not method.has_strength:
        return None
    values: Any = np.asarray(lambdas, dtype=np.float64)
    return Strengths("C", (1.0 + method.share) / (2.0 * documents * values))

"""The strength of regularization: one number for each category, given in one of three ways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from postil.common.types import Floats
from postil.errors import UsageError
from postil.learn.job import Job

Way = Literal["lam", "C", "prior_variance"]

# Beyond these the objective leaves double precision.
LEAST_LAMBDA, MOST_LAMBDA = 1e-100, 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """A strength for each category, or, points × categories, a path of them.

    With the share ρ of the absolute value in the prior (0 for Gaussian, 1 for Laplace, between
    them the elastic net's mix) and n documents, the prior of a weight w of mean 0 is a|w| + b w²:

    ==================  ==========================  =========================
    way                 a                           b
    ==================  ==========================  =========================
    ``lam`` = λ         ρ λ                         (1-ρ) λ
    ``C``               ρ / (nC)                    (1-ρ) / (2nC)
    ``prior_variance``  ρ √2/(nσ), σ² the variance  (1-ρ) / (2nσ²)
    ==================  ==========================  =========================

    λ is zhang-oles-2001's, C is LIBLINEAR's, the variance is genkin-lewis-madigan-2004's, whose
    Laplace hyperparameter √2/σ is 1/C.
    """

    way: Way
    values: Floats

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        object.__setattr__(self, "values", values)
        if not (np.isfinite(values) & (values > 0)).all():
            raise UsageError(f"{self.way} must be a finite number above 0 for each category")

    def pairs(self, documents: float, mix: float) -> Floats:
        """Return the strengths a and b for that many documents, on a last axis."""
        # Without documents there is nothing to weigh against: any strength will do.
        n = documents or 1.0
        values = self.values
        with np.errstate(over="ignore", under="ignore"):
            if self.way == "lam":
                absolute, squared = values, values
            elif self.way == "C":
                absolute, squared = 1.0 / (n * values), 1.0 / (2.0 * n * values)
            else:
                absolute, squared = np.sqrt(2.0 / values) / n, 1.0 / (2.0 * n * values)
            pairs = np.stack([mix * absolute, (1.0 - mix) * squared], axis=-1)
        lambdas = pairs.sum(axis=-1)
        if lambdas.size and not ((lambdas >= LEAST_LAMBDA) & (lambdas <= MOST_LAMBDA)).all():
            least, most = f"{lambdas.min():g}", f"{lambdas.max():g}"
            span = least if least == most else f"{least} to {most}"
            raise UsageError(
                f"λ must be from {LEAST_LAMBDA:g} to {MOST_LAMBDA:g}, not {span} (C is 1/(2λn) for "
                "a Gaussian and 1/(λn) for a Laplace prior, for n documents)"
            )
        return np.ascontiguousarray(pairs)


DEFAULT_C = 1.0
NORM_BASED: Literal["norm"] = "norm"


@dataclass(frozen=True, slots=True)
class Regularization:
    """At most one of λ, C and the prior variance; see :class:`Strengths` for their meaning.

    ``prior_variance="norm"`` is genkin-lewis-madigan-2004's norm-based value (eq. 29), which
    depends on the documents and on the terms of each category.
    """

    lam: float | None = None
    C: float | None = None
    prior_variance: float | Literal["norm"] | None = None

    def __post_init__(self) -> None:
        given = self.given()
        if len(given) > 1:
            raise UsageError(
                f"{' and '.join(given)} set the same strength in different ways: give one of them"
            )
        for name, value in given.items():
            if self.is_norm_based:
                continue
            if isinstance(value, str) or not (math.isfinite(value) and value > 0):
                also = f", or {NORM_BASED!r}" if name == "prior_variance" else ""
                raise UsageError(f"{name} must be a finite number above 0{also}, not {value!r}")

    def given(self) -> dict[str, float | str]:
        """Return the values that were given, by name."""
        values = {"lam": self.lam, "C": self.C, "prior_variance": self.prior_variance}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def is_norm_based(self) -> bool:
        """True if the strength depends on the documents."""
        return self.prior_variance == NORM_BASED

    def strengths(self, categories: int) -> Strengths:
        """Return the given strength for each category; a norm-based one needs ``of_job``."""
        (way, value), *_ = [*self.given().items(), ("C", DEFAULT_C)]
        return Strengths(cast("Way", way), np.full(categories, float(value)))

    def of_job(self, job: Job) -> Strengths:
        """Return the strengths of a job's categories: the job's own, or else those given here."""
        if job.strengths is not None:
            return job.strengths
        return norm_based(job) if self.is_norm_based else self.strengths(len(job.labels))


def norm_based(job: Job) -> Strengths:
    """Return the prior variances σ² = d/u that genkin-lewis-madigan-2004 calls norm-based (eq. 29).

    d is the number of a category's terms, the constant included; u is the mean squared norm of the
    documents in these terms. The paper's vectors have a constant feature, and it does not say
    whether u includes it; here u leaves it out, because with it the printed numbers for 5 selected
    terms are far away. A category without such terms has σ² = d. Cost: one pass over the non-zeros,
    and one over the selected terms.
    """
    design, documents = job.design, job.document_weights()
    columns = design.columns.copy()
    columns.data = np.square(columns.data, dtype=np.float64)
    squares = np.asarray(documents @ columns).ravel() / max(documents.sum(), 1e-300)
    if job.selection is None:
        pairs = [(design.terms, float(squares.sum()))] * len(job.labels)
    else:
        pairs = [(len(terms), float(squares[terms].sum())) for terms in job.selection]
    variances = [(terms + 1) / (norm if norm > 0 else 1.0) for terms, norm in pairs]
    return Strengths("prior_variance", np.array(variances, dtype=np.float64))

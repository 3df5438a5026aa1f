"""What learning gives: the weights of all categories.

What a fit says of itself.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.learn.combining import Combination
from postil.vectors.matrices import check_indices

StopReason = Literal["certified", "movement", "iterations", "precision", "constant"]
CertificateKind = Literal["duality gap", "KKT residual", "share of mistakes", "slope left", "exact"]


# A relative certificate that no user needs to go below.
AS_NEAR_AS_CAN_BE = 1e-6


# What only some fits say.
SELDOM = ("shared", "smoothing", "start", "tried")


class NotConvergedWarning(UserWarning):
    """A fit stopped before its certificate was as small as asked."""


@dataclass(frozen=True, slots=True)
class FitReport:
    """How one category was learned.

    The certificate is relative: the duality gap over the objective; the largest violation of the
    optimality conditions, each in units of its own weight's slope; where nothing is minimised, the
    share of documents that were mistakes in the last pass; where there are many local optima, the
    slope that is left over that at the start. ``stopped`` is why it ended: certified to the
    tolerance, a paper's rule on movement, out of iterations, at the limit of double precision, or
    constant: the category had no member, or nothing but members, so that there was nothing to
    learn; ``note`` says which. ``shared`` says that iterations, objective, certificate and seconds
    are those of one problem for all categories, not to be added up. ``smoothing`` is how much a
    smooth problem's minimum may lie above that of the one it stands for, where that was solved.
    ``tried`` is what each of several starts came to, and ``start`` the one that was kept.
    """

    category: str
    members: int
    lam: float
    iterations: int
    objective: float
    certificate: float
    kind: CertificateKind
    stopped: StopReason
    seconds: float
    nonzeros: int
    note: str = ""
    shared: bool = False
    smoothing: float = 0.0
    start: str = ""
    tried: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file; those that most fits have not only where they are so."""
        left_out = {name for name in SELDOM if not getattr(self, name)}
        return {name: value for name, value in asdict(self).items() if name not in left_out}


def warn_of_unfinished(
    reports: Sequence[FitReport],
    tolerance: float,
    warning: type[NotConvergedWarning] = NotConvergedWarning,
) -> None:
    """One warning for all categories that did not get as near as was asked."""
    left = unfinished(reports, tolerance)
    if not left:
        return
    every = "category" if len(reports) == 1 else "categories"
    said = f"{len(left)} of {len(reports)} {every} {ended_and_way_out(left, tolerance)}"
    warnings.warn(said, warning, stacklevel=3)


def unfinished(reports: Sequence[FitReport], tolerance: float) -> list[FitReport]:
    """Those that ended before the certificate asked for; a tolerance of 0 asks for none.

    Where double precision ends, ``AS_NEAR_AS_CAN_BE`` is enough.
    """
    if tolerance <= 0:
        return []
    least = {"iterations": tolerance, "precision": max(tolerance, AS_NEAR_AS_CAN_BE)}
    return [r for r in reports if r.certificate > least.get(r.stopped, math.inf)]


def ended_and_way_out(left: Sequence[FitReport], tolerance: float) -> str:
    """How unfinished fits ended, the worst of them, and what can be done."""
    why, way_out = "ran out of iterations", "allow more iterations"
    if all(report.stopped == "precision" for report in left):
        why, way_out = "came to the end of double precision", "regularize more"
    return f"{why}; {the_worst(left)}: {way_out}, or a tolerance above {tolerance:g}"


def the_worst(reports: Sequence[FitReport]) -> str:
    """The largest certificate, in words."""
    worst = max(reports, key=lambda report: report.certificate)
    return (
        f"the worst, {worst.category}, has a {worst.kind} of {worst.certificate:.1e} after "
        f"{worst.iterations}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """Weights of all categories, and how they came to be.

    ``weights`` is categories × terms; a category's score for a document x is
    ``weights[c] @ x + intercepts[c]``. ``starts``, where they were to be kept, let a fit with
    another λ begin where this one ended. ``variances``, of the entries of ``weights``, and
    ``intercept_variances`` are there where the posterior was asked for
    (:mod:`postil.learn.posterior`). ``units``, one for each category, are those of weights learned
    by factors: w = unit (exp θ - exp -θ), or unit exp θ where weights are positive. Where there is
    a ``combination``, rows of ``weights`` and ``intercepts`` are its rows, and it makes the scores
    of categories of theirs.
    """

    names: tuple[str, ...]
    weights: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]
    starts: tuple[Floats, ...] = ()
    variances: sp.csr_matrix[Any] | None = None
    intercept_variances: Floats | None = None
    units: Floats | None = None
    combination: Combination | None = None

    def scores(self, matrix: Any) -> Floats:  # noqa: ANN401 - any scipy sparse matrix
        """Scores of documents: documents × categories."""
        check_indices(matrix, "documents")
        linear: Floats = np.asarray((matrix @ self.weights.T).todense()) + self.intercepts
        return linear if self.combination is None else self.combination.combined(linear)

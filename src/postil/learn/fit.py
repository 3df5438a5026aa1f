"""The result of a fit: the weights of all categories, and a report of each."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.learn.combining import Combination, combined_in_blocks
from postil.vectors.matrices import check_indices

StopReason = Literal["certified", "movement", "iterations", "precision", "constant"]
CertificateKind = Literal["duality gap", "KKT residual", "share of mistakes", "slope left", "exact"]


# A relative certificate that no user needs to go below.
AS_NEAR_AS_CAN_BE = 1e-6


# Entries that only some reports have.
SELDOM = ("shared", "smoothing", "start", "tried")


class NotConvergedWarning(UserWarning):
    """A fit stopped before its certificate was as small as asked."""


@dataclass(frozen=True, slots=True)
class FitReport:
    """The report of one category's fit.

    ``certificate`` is relative: the duality gap over the objective; the largest violation of the
    optimality conditions, each in units of its own weight's slope; where nothing is minimised, the
    share of documents that were mistakes in the last pass; where there are many local optima, the
    slope that is left over that at the start. ``stopped`` is the reason why the fit ended:
    certified to the tolerance, a paper's rule on movement, out of iterations, at the limit of
    double precision, or constant, because the category has no member or nothing but members
    (``note`` says which). If ``shared``, then iterations, objective, certificate and seconds are
    those of one problem for all categories. ``smoothing`` bounds how far the minimum of a smooth
    problem lies above that of the problem it approximates. ``tried`` holds the figure that each of
    several starts reached, and ``start`` is the one that was kept.
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
        """Return plain values for a file; rare entries only where they are set."""
        left_out = {name for name in SELDOM if not getattr(self, name)}
        return {name: value for name, value in asdict(self).items() if name not in left_out}


def warn_of_unfinished(
    reports: Sequence[FitReport],
    tolerance: float,
    warning: type[NotConvergedWarning] = NotConvergedWarning,
) -> None:
    """Warn once of all categories that did not reach the tolerance."""
    left = unfinished(reports, tolerance)
    if not left:
        return
    every = "category" if len(reports) == 1 else "categories"
    said = f"{len(left)} of {len(reports)} {every} {ended_and_way_out(left, tolerance)}"
    warnings.warn(said, warning, stacklevel=3)


def unfinished(reports: Sequence[FitReport], tolerance: float) -> list[FitReport]:
    """Return the reports of fits that ended above the tolerance; a tolerance of 0 asks for none.

    At the limit of double precision, ``AS_NEAR_AS_CAN_BE`` is enough.
    """
    if tolerance <= 0:
        return []
    least = {"iterations": tolerance, "precision": max(tolerance, AS_NEAR_AS_CAN_BE)}
    return [r for r in reports if r.certificate > least.get(r.stopped, math.inf)]


def ended_and_way_out(left: Sequence[FitReport], tolerance: float) -> str:
    """Return how unfinished fits ended, the worst of them, and what to do."""
    why, way_out = "ran out of iterations", "allow more iterations"
    if all(report.stopped == "precision" for report in left):
        why, way_out = "came to the end of double precision", "regularize more"
    return f"{why}; {the_worst(left)}: {way_out}, or a tolerance above {tolerance:g}"


def the_worst(reports: Sequence[FitReport]) -> str:
    """Return the largest certificate in words."""
    worst = max(reports, key=lambda report: report.certificate)
    return (
        f"the worst, {worst.category}, has a {worst.kind} of {worst.certificate:.1e} after "
        f"{worst.iterations}"
    )


class Unfinished:
    """Counts the unfinished fits of a training run, to warn once of them all."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._counts: dict[str, tuple[int, int]] = {}
        self._left: list[FitReport] = []
        self._notes: list[str] = []

    def add(self, what: str, reports: Sequence[FitReport]) -> None:
        """Add the fits of all categories; ``what`` is the kind of fits that they are."""
        left = unfinished(reports, self._tolerance)
        count, total = self._counts.get(what, (0, 0))
        self._counts[what] = (count + len(left), total + len(reports))
        self._left += left

    def add_note(self, note: str) -> None:
        """Add a sentence about other unfinished fits, unless it is empty."""
        self._notes += [note] if note else []

    def warn(self) -> None:
        """Warn once if any fit is unfinished, at the line that called the caller."""
        sentences = ([self._sentence()] if self._left else []) + self._notes
        if sentences:
            warnings.warn("; ".join(sentences), NotConvergedWarning, stacklevel=4)

    def _sentence(self) -> str:
        counts = [
            f"{count} of {total} fit{'' if total == 1 else 's'} {what}"
            for what, (count, total) in self._counts.items()
            if count
        ]
        return f"{' and '.join(counts)} {ended_and_way_out(self._left, self._tolerance)}"


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """The weights of all categories: categories × terms, with an intercept each.

    The score of a category is ``weights[c] @ x + intercepts[c]``. If there is a ``combination``,
    the rows of ``weights`` and ``intercepts`` are its rows, and it computes the categories' scores
    from theirs. ``starts`` are warm starts for a fit with another λ, if the job asked for them.
    ``variances`` (of the entries of ``weights``) and ``intercept_variances`` are there if the
    method asks for the posterior (:mod:`postil.learn.posterior`). ``units``, one for each category,
    are those of weights learned by factors: w = unit (exp θ - exp -θ), or unit exp θ where weights
    are positive.
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
        """Return the scores of documents: documents × categories."""
        check_indices(matrix, "documents")
        if self.combination is None:
            return self._linear(matrix)
        rows = matrix.tocsr()
        return combined_in_blocks(
            self.combination, rows.shape[0], lambda part: self._linear(rows[part])
        )

    def _linear(self, matrix: Any) -> Floats:  # noqa: ANN401
        scores: Floats = np.asarray((matrix @ self.weights.T).todense()) + self.intercepts
        return scores


def joined(fits: Sequence[LinearFit]) -> LinearFit:
    """Return the fits of different categories as one; none of them has a combination."""
    if len(fits) == 1:
        return fits[0]
    units = [each.units for each in fits if each.units is not None]
    variances = [each.variances for each in fits if each.variances is not None]
    uncertain = [e.intercept_variances for e in fits if e.intercept_variances is not None]
    return LinearFit(
        tuple(name for each in fits for name in each.names),
        sp.vstack([each.weights for each in fits], format="csr"),
        np.concatenate([each.intercepts for each in fits]),
        tuple(report for each in fits for report in each.reports),
        tuple(start for each in fits for start in each.starts),
        variances=sp.vstack(variances, format="csr") if variances else None,
        intercept_variances=np.concatenate(uncertain) if uncertain else None,
        units=np.concatenate(units) if units else None,
    )

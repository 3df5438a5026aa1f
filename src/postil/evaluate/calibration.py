"""Measures of calibration: how well probabilities agree with what happened.

Of the documents that get probability q, a share of q should be members. The Brier score and the log
loss compare them one by one; the expected and the maximum calibration error compare the mean
probability with the share of members in each bin, and depend on the bins (docs/measuring.md). All
are undefined where there is no document; smaller is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from postil.common.types import Flags, Floats, Ints
from postil.decide.scores import Sparse
from postil.errors import UsageError
from postil.evaluate.counts import (
    UNDEFINED,
    checked_indicator,
    checked_probabilities,
    named,
    plain,
    ratio,
)
from postil.evaluate.curves import columns_of

BINS = 10
LOG_FLOOR = float(np.finfo(np.float64).eps)


def equal_widths(probabilities: Floats, bins: int) -> Floats:  # noqa: ARG001
    """Return the edges of bins of one width over [0, 1]."""
    return np.linspace(0, 1, bins + 1)


def equal_masses(probabilities: Floats, bins: int) -> Floats:
    """Return edges at the quantiles, so that bins hold about as many documents each.

    Equal probabilities share a bin, so the bins may be fewer and fuller than requested.
    """
    inner = np.linspace(0, 1, bins + 1)[1:-1]
    quantiles = np.quantile(probabilities, inner) if len(probabilities) else inner
    return np.unique(np.concatenate([[0.0], quantiles, [1.0]]))


BINNINGS: dict[str, Callable[[Floats, int], Floats]] = {
    "width": equal_widths,
    "mass": equal_masses,
}


@dataclass(frozen=True)
class Calibration:
    """The probabilities of one category, or of all together, beside what happened.

    Bin b reaches from ``edges[b]``, included, to ``edges[b + 1]``, excluded but for the last.
    ``probability`` and ``observed`` (mean probability and share of members of a bin) are
    undefined where a bin is empty.
    """

    edges: Floats
    cases: Ints
    probability: Floats
    observed: Floats
    brier: float
    """``(1/n) Σ (qᵢ - yᵢ)²``"""
    log_loss: float
    """``-(1/n) Σ yᵢ ln qᵢ + (1 - yᵢ) ln(1 - qᵢ)``, q at least 2.2e-16 from 0 and 1"""

    @property
    def expected_error(self) -> float:
        """``Σ_b n_b/n |ȳ_b - q̄_b|``: the mean gap, bins weighted by what they hold."""
        gaps = np.abs(self.observed - self.probability)
        weighted = np.where(self.cases > 0, gaps * self.cases, 0.0)
        return float(ratio(weighted.sum(), self.cases.sum()))

    @property
    def maximum_error(self) -> float:
        """``max_b |ȳ_b - q̄_b|`` over bins that are not empty."""
        gaps = np.abs(self.observed - self.probability)[self.cases > 0]
        return float(gaps.max()) if len(gaps) else UNDEFINED

    def measures(self) -> dict[str, float]:
        """Return the four measures by name."""
        return {
            "brier": self.brier,
            "log_loss": self.log_loss,
            "expected_calibration_error": self.expected_error,
            "maximum_calibration_error": self.maximum_error,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return measures and bins as plain values for JSON."""
        names = ("from", "to", "cases", "probability", "observed")
        columns = (self.edges[:-1], self.edges[1:], self.cases, self.probability, self.observed)
        bins = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        described: dict[str, Any] = plain({**self.measures(), "bins": bins})
        return described


def calibration_of(
    probabilities: Floats, members: Flags, bins: int = BINS, binning: str = "width"
) -> Calibration:
    """Compare a list of probabilities with memberships; costs its length (``mass``: a sort)."""
    from scipy.special import xlog1py, xlogy

    if bins < 1:
        raise UsageError(f"the number of reliability bins must be at least 1, got {bins}")
    edges = named(BINNINGS, binning, "binning")(probabilities, bins)
    count = len(edges) - 1
    places = np.searchsorted(edges[1:-1], probabilities, side="right")
    cases = np.bincount(places, minlength=count).astype(np.int64)
    squares = (probabilities - members) ** 2
    safe, outcomes = np.clip(probabilities, LOG_FLOOR, 1 - LOG_FLOOR), members.astype(np.float64)
    surprise = -(xlogy(outcomes, safe) + xlog1py(1 - outcomes, -safe))
    return Calibration(
        edges,
        cases,
        probability=ratio(np.bincount(places, probabilities, count), cases),
        observed=ratio(np.bincount(places, members, count), cases),
        brier=float(ratio(squares.sum(), len(probabilities))),
        log_loss=float(ratio(surprise.sum(), len(probabilities))),
    )


def calibration_of_run(
    truth: Sparse,
    probabilities: Floats,
    bins: int = BINS,
    binning: str = "width",
    known: Flags | None = None,
) -> tuple[Calibration, tuple[Calibration, ...]]:
    """Measure all pairs of document and category together, and each category by itself.

    Costs documents × categories. ``known`` is False for the pairs that are left out.
    """
    indicator = checked_indicator(truth, "truth")
    checked = checked_probabilities(probabilities, indicator.shape)
    kept = np.ones(checked.shape, dtype=np.bool_) if known is None else known
    pooled = calibration_of(checked[kept], indicator.toarray()[kept], bins, binning)
    return pooled, tuple(
        calibration_of(column[rows], members[rows], bins, binning)
        for column, members, rows in zip(checked.T, columns_of(indicator), kept.T, strict=True)
    )

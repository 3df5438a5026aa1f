"""Measures of calibration: how well probabilities agree with what happened.

Of the documents that get probability q, a share of q should be members. Probabilities are put
into bins, and in each bin the mean probability q̄ is compared with the observed share ȳ of members:

- expected calibration error: ``Σ_b n_b/n |ȳ_b - q̄_b|``;
- maximum calibration error: ``max_b |ȳ_b - q̄_b|`` over bins that are not empty.

Both depend on the bins; two scores do not:

- Brier score: ``(1/n) Σ (qᵢ - yᵢ)²``;
- log loss: ``-(1/n) Σ yᵢ ln qᵢ + (1 - yᵢ) ln(1 - qᵢ)``, q kept away from 0 and 1 by the rounding
  unit of a double (2.2e-16), so that one certain mistake costs 36 and not infinitely much.

All are undefined where there is no document; smaller is better.
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
    plain_fields,
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
    log_loss: float

    @property
    def gaps(self) -> Floats:
        """``|ȳ_b - q̄_b|``: undefined where a bin is empty."""
        return np.abs(self.observed - self.probability)

    @property
    def expected_error(self) -> float:
        """The mean gap, bins weighted by what they hold."""
        weighted = np.where(self.cases > 0, self.gaps * self.cases, 0.0)
        return float(ratio(weighted.sum(), self.cases.sum()))

    @property
    def maximum_error(self) -> float:
        """The widest gap."""
        gaps = self.gaps[self.cases > 0]
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
        bins = [
            {"from": low, "to": high, "cases": cases, "probability": mean, "observed": share}
            for low, high, cases, mean, share in zip(
                self.edges[:-1],
                self.edges[1:],
                self.cases,
                self.probability,
                self.observed,
                strict=True,
            )
        ]
        return plain_fields({**self.measures(), "bins": bins})


def calibration_of(
    probabilities: Floats, members: Flags, bins: int = BINS, binning: str = "width"
) -> Calibration:
    """Compare a list of probabilities with memberships; costs its length (``mass``: a sort)."""
    edges = _edges(probabilities, bins, binning)
    places = np.searchsorted(edges[1:-1], probabilities, side="right")
    cases = np.bincount(places, minlength=len(edges) - 1).astype(np.int64)
    return Calibration(
        edges,
        cases,
        ratio(np.bincount(places, probabilities, len(edges) - 1), cases),
        ratio(np.bincount(places, members, len(edges) - 1), cases),
        brier_score(probabilities, members),
        log_loss(probabilities, members),
    )


def calibration_of_categories(
    truth: Sparse, probabilities: Floats, bins: int = BINS, binning: str = "width"
) -> list[Calibration]:
    """Measure each category by itself; costs documents × categories."""
    indicator = checked_indicator(truth, "truth")
    checked = checked_probabilities(probabilities, indicator.shape)
    return [
        calibration_of(checked[:, category], members, bins, binning)
        for category, members in enumerate(columns_of(indicator))
    ]


def pooled_calibration(
    truth: Sparse, probabilities: Floats, bins: int = BINS, binning: str = "width"
) -> Calibration:
    """Measure all pairs of document and category together; costs documents × categories."""
    indicator = checked_indicator(truth, "truth")
    checked = checked_probabilities(probabilities, indicator.shape)
    return calibration_of(checked.ravel(), indicator.toarray().ravel(), bins, binning)


def brier_score(probabilities: Floats, members: Flags) -> float:
    """Return ``(1/n) Σ (qᵢ - yᵢ)²``."""
    return float(ratio(((probabilities - members) ** 2).sum(), len(probabilities)))


def log_loss(probabilities: Floats, members: Flags) -> float:
    """Return ``-(1/n) Σ yᵢ ln qᵢ + (1 - yᵢ) ln(1 - qᵢ)``, q at least 2.2e-16 from 0 and 1."""
    from scipy.special import xlog1py, xlogy

    safe = np.clip(probabilities, LOG_FLOOR, 1 - LOG_FLOOR)
    outcomes = members.astype(np.float64)
    surprise = -(xlogy(outcomes, safe) + xlog1py(1 - outcomes, -safe))
    return float(ratio(surprise.sum(), len(probabilities)))


def _edges(probabilities: Floats, bins: int, binning: str) -> Floats:
    if binning not in BINNINGS:
        raise UsageError(f"no binning is called {binning!r}; allowed: {', '.join(BINNINGS)}")
    if bins < 1:
        raise UsageError(f"the number of reliability bins must be at least 1, got {bins}")
    return BINNINGS[binning](probabilities, bins)

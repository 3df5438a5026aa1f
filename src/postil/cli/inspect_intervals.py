"""Intervals of weights, for `postil inspect`: the weight and what the documents leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postil.model.model import Model

USUAL_LEVEL = 0.95
NO_INTERVAL = "-"


def level_for(model: Model, wanted: float | None) -> float | None:
    """The level of intervals; None where the model has none to show and nobody asked."""
    from postil.errors import UsageError

    if wanted is not None and not 0 < wanted < 1:
        raise UsageError(f"--interval is a level between 0 and 1, such as 0.95, not {wanted:g}")
    if model.variances is not None:
        return USUAL_LEVEL if wanted is None else wanted
    if wanted is None:
        return None
    raise UsageError(
        "the model keeps no variances of its weights, and has no intervals to show: train it with "
        'posterior = true and loss = "logistic" in the [learn] table of its recipe'
    )


def add_intervals(facts: dict[str, Any], level: float) -> None:
    """Give a category's terms and its intercept their intervals, and say which hold 0.

    An interval is the weight and z deviations each way, z such that a Gaussian is in there with
    the probability ``level``: 1.96 for 0.95. What has no variance, because nothing was learned of
    it (a weight kept at its mode, an intercept that there is not), has None.
    """
    from scipy.special import ndtri

    z = float(ndtri((1.0 + level) / 2.0))
    for term in (*facts["up"], *facts["down"]):
        interval = _interval(term["weight"], z * term["deviation"])
        term["interval"] = interval
        term["holds_zero"] = interval is not None and interval[0] <= 0.0 <= interval[1]
    facts["intercept_interval"] = _interval(facts["intercept"], z * facts["intercept_deviation"])


def _interval(middle: float, reach: float) -> list[float] | None:
    return [middle - reach, middle + reach] if reach > 0 else None


def interval_text(interval: list[float] | None) -> str:
    """An interval in a table."""
    if interval is None:
        return NO_INTERVAL
    low, high = interval
    return f"{low:+.4f} to {high:+.4f}"

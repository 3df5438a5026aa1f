"""Intervals of weights, for `postil inspect`: the weight and what the documents leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postil.model.model import Model

USUAL_LEVEL = 0.95


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
    the probability ``level``: 1.96 for 0.95.
    """
    from scipy.special import ndtri

    z = float(ndtri((1.0 + level) / 2.0))
    for term in (*facts["up"], *facts["down"]):
        reach = z * term["deviation"]
        low, high = term["weight"] - reach, term["weight"] + reach
        term["interval"] = [low, high]
        term["holds_zero"] = low <= 0.0 <= high
    middle, reach = facts["intercept"], z * facts["intercept_deviation"]
    facts["intercept_interval"] = [middle - reach, middle + reach]


def interval_text(interval: list[float]) -> str:
    """An interval in a table."""
    low, high = interval
    return f"{low:+.4f} to {high:+.4f}"

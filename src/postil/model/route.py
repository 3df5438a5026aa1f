"""The route of a model: the least probability of a label that it gives by itself.

Documents without such a label are referred to a person. A model that was trained for a route keeps
what the route gives as the entry ``route`` of its method.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from postil.common.numbers import probability_text
from postil.errors import UsageError
from postil.model.model import Model


def least_probability(model: Model, wanted: float | None = None) -> float | None:
    """Return the least probability of a label; None if every label counts.

    It is infinite if no probability keeps the precision that the route of the model asks for.

    Parameters
    ----------
    model : Model
        The model.
    wanted : float, optional
        A probability in place of that of the model's route; 0 for none.
    """
    route = model.method.get("route")
    if wanted is None and isinstance(route, Mapping):
        found = route.get("min_probability")
        return float(found) if isinstance(found, int | float) else math.inf
    if not wanted:
        return None
    if model.calibration is None:
        raise UsageError(
            "a minimum probability needs probabilities, and the model has none; train it with "
            "--calibration auto"
        )
    return wanted


def route_sentence(route: Mapping[str, Any]) -> str:
    """Return in a line what a route gives, by the facts that a model keeps of it."""
    floor, sure = _percent(route["floor"]), _percent(route["confidence"])
    if route["min_probability"] is None:
        highest = route["highest"]
        able = "no other floor holds either"
        if highest:
            able = f'--route "precision>={highest:g}" would hold'
        return (
            f"refers all documents: at no probability does a precision of {floor} hold with {sure} "
            f"confidence out of fold; {able}, and --min-probability sets a probability without "
            "that promise"
        )
    return (
        f"gives a label from probability {probability_text(route['min_probability'])} on: "
        f"precision {_percent(route['precision'], 1)} (at least {floor} with {sure} confidence) on "
        f"{_percent(route['coverage'], 1)} of the documents, out of fold; the others are referred"
    )


def _percent(share: float, decimals: int | None = None) -> str:
    """Return a share in %, with as many decimals as it needs or as are given."""
    shown = f"{100 * share:.6g}" if decimals is None else f"{100 * share:.{decimals}f}"
    return f"{shown} %"

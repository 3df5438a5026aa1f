"""Weights against the strength of regularization, drawn by matplotlib, which is an extra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from postil.errors import MissingExtraError
from postil.learn.path import name_of
from postil.learn.strength import Way

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from postil.learn.path import CategoryPath


AXES: dict[Way, str] = {
    "lam": "λ, the strength of regularization",
    "C": "C, the weight of errors",
    "prior_variance": "prior variance",
}
COLUMNS: dict[Way, str] = {"lam": "lambdas", "C": "costs", "prior_variance": "variances"}


@dataclass(frozen=True, slots=True)
class WeightCurve:
    """The weight of one term along a path, by rising strength number."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def weight_curves(
    path: CategoryPath, terms: Sequence[str] | None, over: Way, top: int
) -> list[WeightCurve]:
    """The terms of largest weight anywhere on the path, the largest first.

    Cost: one pass over the weights that are not 0, and the drawn columns.
    """
    size = abs(path.weights).max(axis=0).toarray().ravel()
    order = np.argsort(-size, kind="stable")[:top]
    chosen = order[size[order] > 0]
    along = getattr(path, COLUMNS[over])
    rising = np.argsort(along, kind="stable")
    columns = path.weights[:, chosen].toarray()[rising]
    x = tuple(along[rising].tolist())
    return [
        WeightCurve(name_of(int(term), terms), x, tuple(columns[:, at].tolist()))
        for at, term in enumerate(chosen)
    ]


def plot_path(
    path: CategoryPath, axes: Axes | None, terms: Sequence[str] | None, over: Way, top: int
) -> Axes:
    """Draw the curves on given axes, or on new ones."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("drawing a path", "matplotlib", "plots") from error
    if axes is None:
        axes = Figure(layout="constrained").subplots()
    for curve in weight_curves(path, terms, over, top):
        axes.plot(curve.x, curve.y, label=curve.name)
    axes.set_xscale("log")
    axes.set_xlabel(AXES[over])
    axes.set_ylabel("weight")
    axes.set_title(path.name)
    if axes.get_lines():
        axes.legend()
    return axes

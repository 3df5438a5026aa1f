"""The plot of how time grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import digits

FILE = "growth.svg"
COLOURS: Mapping[str, str] = {
    "scikit-learn": "#8a8f98",
    "LIBLINEAR": "#8a8f98",
    "postil": "#1f6feb",
}
STYLE: dict[Any, Any] = {
    # The same numbers give the same file: no random ids, no fonts of this computer.
    "svg.hashsalt": "postil",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e6ea",
}


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds of each contender against one growing quantity."""

    axis: str
    sizes: Sequence[int]
    seconds: Mapping[str, Sequence[float]]
    slopes: Mapping[str, float]


def plot(curves: Sequence[Curve], folder: Path, file: str = FILE) -> Path:
    """Write the curves side by side as an SVG file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(11, 3.6), layout="constrained")
        panels = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        for panel, curve in zip(panels, curves, strict=True):
            _draw(panel, curve)
        panels[0].set_ylabel("seconds, 1 thread")
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / file
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    return path


def _draw(panel: Any, curve: Curve) -> None:
    for name, seconds in curve.seconds.items():
        label = f"{name}, slope {digits(curve.slopes[name])}"
        panel.loglog(curve.sizes, seconds, marker="o", color=COLOURS[name], label=label)
    panel.set_xlabel(curve.axis)
    panel.set_xticks(curve.sizes, [_short(size) for size in curve.sizes])
    panel.minorticks_off()
    panel.legend(frameon=False, fontsize="small")


def _short(size: int) -> str:
    return f"{size / 1000:.3g}k" if size >= 1000 else str(size)

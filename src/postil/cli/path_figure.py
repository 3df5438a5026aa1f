"""A regularization path as a figure, in the style of all figures (figures 2 and 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.learn.path import CategoryPath
    from postil.papers.paper import Stroke


def check_drawable() -> None:
    """Refuse early where matplotlib is not installed."""
    from postil.papers.plots.drawing import require_plots

    require_plots()


def drawn(path: CategoryPath, terms: Sequence[str], top: int, ending: str) -> bytes:
    """The curves of the largest weights as an .svg or a .png file."""
    from postil.learn.path_plot import AXES, weight_curves
    from postil.papers.plots.drawing import png_bytes, svg_bytes
    from postil.papers.plots.figure import Axis, Figure, Line, Panel

    curves = weight_curves(path, terms, path.way, top)
    lines = tuple(
        Line(curve.name, curve.x, curve.y, stroke=_stroke(at), marked=False)
        for at, curve in enumerate(curves)
    )
    figure = Figure(
        "path",
        f"The regularization path of {path.name}",
        Axis(AXES[path.way], "log"),
        Axis("weight"),
        (Panel(lines),),
        legend=bool(lines),
    )
    return (svg_bytes if ending == ".svg" else png_bytes)(figure)


def _stroke(position: int) -> Stroke:
    """Another stroke each time the colours come round."""
    from postil.papers.plots.style import COLOURS, STROKES

    strokes = tuple(STROKES)
    return strokes[position // len(COLOURS) % len(strokes)]

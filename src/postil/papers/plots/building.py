"""Figures from a paper's facts and our data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from postil.papers.paper import AxisFacts, PaperFigure
from postil.papers.plots.data import Curve, Histogram
from postil.papers.plots.figure import Axis, Bars, Figure, Level, Line, Panel


def line_figure(
    facts: PaperFigure,
    ours: Mapping[str, Curve],
    paper: Mapping[str, Curve] | None = None,
    levels: Sequence[Level] = (),
) -> Figure:
    """Our curves joined and filled, the paper's known points open and not joined."""
    strokes = {series.name: series.line for series in facts.series}
    lines = [
        Line(name, curve.x, curve.y, "ours", strokes.get(name, "solid"))
        for name, curve in ours.items()
    ]
    points = [
        Line(name, curve.x, curve.y, "paper", joined=False) for name, curve in (paper or {}).items()
    ]
    panel = Panel((*lines, *points, *levels))
    return Figure(facts.id, facts.title, _axis(facts.x), _axis(facts.y), (panel,))


def histogram_figure(facts: PaperFigure, histograms: Mapping[str, Histogram]) -> Figure:
    """A panel for each histogram, all over the same axes."""
    panels = [
        Panel((Bars(name, histogram.edges, histogram.counts),), name)
        for name, histogram in histograms.items()
    ]
    x, y = _axis(facts.x), _axis(facts.y)
    return Figure(facts.id, facts.title, x, y, tuple(panels), legend=False)


def _axis(facts: AxisFacts) -> Axis:
    return Axis(facts.label, facts.scale, facts.values)

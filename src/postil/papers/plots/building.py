"""Figures from a paper's facts and our data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from postil.papers.paper import AxisFacts, PaperFigure
from postil.papers.plots.data import Curve, Histogram
from postil.papers.plots.figure import Axis, Bars, Figure, Level, Line, Panel, Place
from postil.papers.plots.style import stroke


def line_figure(
    facts: PaperFigure,
    ours: Mapping[str, Curve],
    paper: Mapping[str, Curve] | None = None,
    levels: Sequence[Level] = (),
    places: Sequence[Place] = (),
    *,
    marked: bool = True,
) -> Figure:
    """Our curves joined and filled, the paper's known points open and not joined.

    Curves through many points are better not ``marked``.
    """
    strokes = {series.name: series.line for series in facts.series}
    lines = [
        Line(name, curve.x, curve.y, "ours", strokes.get(name, stroke(place)), marked=marked)
        for place, (name, curve) in enumerate(ours.items())
    ]
    points = [
        Line(name, curve.x, curve.y, "paper", joined=False) for name, curve in (paper or {}).items()
    ]
    panel = Panel((*lines, *points, *levels, *places))
    return Figure(facts.id, facts.title, _axis(facts.x), _axis(facts.y), (panel,))


def histogram_figure(facts: PaperFigure, histograms: Mapping[str, Histogram]) -> Figure:
    """A panel for each histogram, all over the same axes."""
    panels = [
        Panel((Bars(name, histogram.edges, histogram.counts),), name)
        for name, histogram in histograms.items()
    ]
    x, y = _axis(facts.x), _axis(facts.y)
    return Figure(facts.id, facts.title, x, y, tuple(panels), legend=False)


def scatter_figure(facts: PaperFigure, clouds: Mapping[str, Curve]) -> Figure:
    """Points that nothing joins, a colour for each cloud."""
    marks = [Line(name, cloud.x, cloud.y, joined=False) for name, cloud in clouds.items()]
    x, y = _axis(facts.x), _axis(facts.y)
    return Figure(facts.id, facts.title, x, y, (Panel(tuple(marks)),), legend=len(clouds) > 1)


def parallel_figure(
    facts: PaperFigure, along: Sequence[str], groups: Mapping[str, Sequence[Sequence[float]]]
) -> Figure:
    """Parallel coordinates: a panel for each group, in it a thin line for each of its members.

    ``along`` names the coordinates from left to right; a member has a number for each.
    """
    places = tuple(float(place) for place in range(len(along)))
    panels = [
        Panel(
            tuple(Line(name, places, tuple(each), marked=False, thin=True) for each in members),
            name,
        )
        for name, members in groups.items()
    ]
    x = Axis(facts.x.label, ticks=places, names=tuple(along))
    return Figure(facts.id, facts.title, x, _axis(facts.y), tuple(panels), legend=False)


def _axis(facts: AxisFacts) -> Axis:
    return Axis(facts.label, facts.scale, facts.values)

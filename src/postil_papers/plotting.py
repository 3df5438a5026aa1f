"""Figures from a paper's facts and our data.

Numbers on their way to a figure: curves and histograms, from cells and into cells.

Figures as part of a page: they take the page's text colour and need no file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from postil.common.escaping import visible
from postil.errors import UsageError
from postil.plots.drawing import stroke, svg_bytes
from postil.plots.figure import Axis, Bars, Figure, Level, Line, Origin, Panel, Place
from postil_papers.cells import CellKey
from postil_papers.paper import AxisFacts, PaperFigure, axis_column
from postil_papers.reproduction import Table

DIGITS = 9  # of a bin's middle: enough to tell bins apart, too few to show rounding


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one series by rising x."""

    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many numbers fall into neighbouring bins of one width."""

    edges: tuple[float, ...]
    counts: tuple[float, ...]


def curves_of(table: Table, origin: Origin) -> dict[str, Curve]:
    """Take the curves of a figure's cells: those whose columns are places on the axis.

    Rows without any number are left out. Costs the number of cells, sorted.
    """
    points: dict[str, list[tuple[float, float]]] = {}
    for cell in table.cells:
        place = _place(cell.key.column)
        value = cell.paper if origin == "paper" else cell.ours
        if place is not None and value is not None:
            points.setdefault(cell.key.row, []).append((place, value))
    return {
        row: Curve(tuple(x for x, _ in sorted(found)), tuple(y for _, y in sorted(found)))
        for row, found in points.items()
    }


def members_of(table: Table, columns: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Take our numbers of each row in these columns; rows that lack one are left out."""
    found = {(cell.key.row, cell.key.column): cell.ours for cell in table.cells}
    rows = {row: [found.get((row, column)) for column in columns] for row in table.rows}
    return {
        row: tuple(value for value in values if value is not None)
        for row, values in rows.items()
        if None not in values
    }


def histograms_of(table: Table) -> dict[str, Histogram]:
    """Take our histograms from cells whose columns are the middles of bins of one width."""
    return {row: _histogram(row, curve) for row, curve in curves_of(table, "ours").items()}


def bin_edges(samples: Mapping[str, ArrayLike], width: float) -> tuple[float, ...]:
    """Edges at multiples of ``width`` that hold every number of all samples; two bins at least.

    Costs the numbers of the samples.
    """
    if not width > 0:
        raise UsageError(f"the width of a bin must be above 0, got {width}")
    values = np.concatenate([np.ravel(np.asarray(sample, float)) for sample in samples.values()])
    if values.size == 0 or not np.isfinite(values).all():
        raise UsageError("a histogram needs at least one number, and finite numbers only")
    first = int(np.floor(values.min() / width))
    # One middle alone would not tell how wide its bin is.
    last = max(int(np.floor(values.max() / width)) + 1, first + 2)
    return tuple((np.arange(first, last + 1) * width).tolist())


def histogram_cells(
    table: str, samples: Mapping[str, ArrayLike], width: float
) -> dict[tuple[str, str, str], float]:
    """Count each sample into common bins: a row for each sample, a column for each bin's middle.

    A number on an edge belongs to the bin on its right.
    """
    edges = bin_edges(samples, width)
    first = round(edges[0] / width)
    cells: dict[tuple[str, str, str], float] = {}
    for name, sample in samples.items():
        bins = np.floor(np.ravel(np.asarray(sample, float)) / width).astype(np.int64) - first
        counts = np.bincount(bins, minlength=len(edges) - 1)
        for position, count in enumerate(counts.tolist()):
            middle = round((first + position + 0.5) * width, DIGITS)
            cells[CellKey(table, name, axis_column(middle))] = float(count)
    return cells


def _histogram(row: str, curve: Curve) -> Histogram:
    middles = np.asarray(curve.x)
    widths = np.diff(middles)
    if not len(widths) or not np.allclose(widths, widths[0], atol=10.0**-DIGITS * 4):
        raise UsageError(
            f"row {row!r}: a histogram needs two bins or more of one width, with their middles as "
            f"columns; got {list(curve.x)}"
        )
    half = float(widths.mean()) / 2
    edges = np.append(middles - half, middles[-1] + half)
    return Histogram(tuple(np.round(edges, DIGITS).tolist()), curve.y)


def _place(column: str) -> float | None:
    try:
        return float(column)
    except ValueError:
        return None


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


_PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_ROOT = re.compile(r"<svg[^>]*>")
_VIEW = re.compile(r'viewBox="[^"]*"')
_HEAD = re.compile(r"<(title|metadata)>.*?</\1>\s*", re.DOTALL)
_NAMES = re.compile(r'(\bid="|href="#|url\(#)')
_GROUND = re.compile(r'<g id="patch_1">.*?</g>\s*', re.DOTALL)
BLACK = "#000000"


def inline_svg(figure: Figure) -> str:
    """Draw a figure for the inside of an HTML page.

    The ground is left out, what is black takes the colour of the text around, and names carry
    the figure's id, so that several figures fit on one page.
    """
    text = _PROLOG.sub("", svg_bytes(figure).decode("utf-8"))
    view = _VIEW.search(text)
    root = (
        f'<svg role="img" aria-label="{escape(visible(figure.title))}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'fill="currentColor" {view.group() if view else ""}>'
    )
    text = _ROOT.sub(lambda _: root, text, count=1)
    text = _GROUND.sub("", _HEAD.sub("", text), count=1)
    text = _NAMES.sub(lambda found: f"{found.group()}{escape(figure.id)}-", text)
    return text.replace(BLACK, "currentColor").strip()

"""Figures of a paper drawn from our cells: curves, histograms, formulas, and SVG for a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from postil.common.escaping import visible
from postil.common.types import Floats
from postil.errors import UsageError
from postil.plots.drawing import stroke, svg_bytes
from postil.plots.figure import Axis, Bars, Figure, Level, Line, Origin, Panel, Place
from postil_papers.experiment import CellKey, CellValues, Experiment, Fill, experiment
from postil_papers.paper import PaperFigure, axis_column
from postil_papers.reproduction import Table

Shape: TypeAlias = Callable[[Floats], Floats]

POINTS = 241  # of a curve that is computed
DIGITS = 9  # of a bin's middle: enough to tell bins apart, too few to show rounding


class Curve(NamedTuple):
    """The points of one series by rising x."""

    x: tuple[float, ...]
    y: tuple[float, ...]


def curves_of(table: Table, origin: Origin) -> dict[str, Curve]:
    """Return the curves of a figure's cells: those whose columns are places on the axis.

    Rows without any number are left out.
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
    """Return our numbers of each row in these columns; rows that lack one are left out."""
    found = {(cell.key.row, cell.key.column): cell.ours for cell in table.cells}
    rows = {row: [found.get((row, column)) for column in columns] for row in table.rows}
    return {
        row: tuple(value for value in values if value is not None)
        for row, values in rows.items()
        if None not in values
    }


def histograms_of(table: Table) -> dict[str, Bars]:
    """Return our histograms from cells whose columns are the middles of bins of one width."""
    found = {}
    for row, curve in curves_of(table, "ours").items():
        middles = np.asarray(curve.x)
        widths = np.diff(middles)
        if not len(widths) or not np.allclose(widths, widths[0], atol=10.0**-DIGITS * 4):
            raise UsageError(
                f"row {row!r}: a histogram needs two bins or more of one width, with their middles "
                f"as columns; got {list(curve.x)}"
            )
        half = float(widths.mean()) / 2
        edges = np.append(middles - half, middles[-1] + half)
        found[row] = Bars(row, tuple(np.round(edges, DIGITS).tolist()), curve.y)
    return found


def bin_edges(samples: Mapping[str, ArrayLike], width: float) -> tuple[float, ...]:
    """Return edges at multiples of ``width`` around all numbers; two bins at least."""
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


def _place(column: str) -> float | None:
    try:
        return float(column)
    except ValueError:
        return None


Draw = Callable[[Table], Figure | None]


def draw_lines(
    table: Table, *, levels: Sequence[Level] = (), places: Sequence[Place] = (), marked: bool = True
) -> Figure | None:
    """Draw our curves joined and filled, the paper's known points open and not joined.

    Curves through many points are better not ``marked``. Return ``None`` without any curve.
    """
    facts, ours = facts_of(table), curves_of(table, "ours")
    strokes = {series.name: series.line for series in facts.series}
    lines = [
        Line(name, curve.x, curve.y, "ours", strokes.get(name, stroke(place)), marked=marked)
        for place, (name, curve) in enumerate(ours.items())
    ]
    points = [
        Line(name, curve.x, curve.y, "paper", joined=False)
        for name, curve in curves_of(table, "paper").items()
    ]
    marks: tuple[Line | Level | Place, ...] = (*lines, *points, *levels, *places)
    return figure_of(facts, Panel(marks)) if ours else None


def draw_histograms(table: Table) -> Figure | None:
    """Draw a panel for each histogram, all over the same axes."""
    panels = [Panel((bars,), name) for name, bars in histograms_of(table).items()]
    return figure_of(facts_of(table), *panels, legend=False)


def draw_formulas(shapes: Mapping[str, Shape], reach: float, table: Table) -> Figure | None:
    """Draw functions of one variable from ``-reach`` to ``reach``, with the paper's strokes."""
    facts = facts_of(table)
    places = np.linspace(-reach, reach, POINTS)
    strokes = {series.name: series.line for series in facts.series}
    x = tuple(places.tolist())
    lines = (
        Line(name, x, tuple(shape(places).tolist()), stroke=strokes[name], marked=False)
        for name, shape in shapes.items()
    )
    return figure_of(facts, Panel(tuple(lines)))


def facts_of(table: Table) -> PaperFigure:
    """Return the printed facts of a figure."""
    return cast("PaperFigure", table.exhibit)


def figure_of(
    facts: PaperFigure, *panels: Panel, x: Axis | None = None, legend: bool = True
) -> Figure | None:
    """Return a figure over the axes that the paper prints, or ``None`` without any panel."""
    if not panels:
        return None
    printed, y = (Axis(axis.label, axis.scale, axis.values) for axis in (facts.x, facts.y))
    return Figure(facts.id, facts.title, x or printed, y, panels, legend=legend)


def formula_experiment(
    name: str, figure: str, shapes: Mapping[str, Shape], places: Sequence[float]
) -> Experiment:
    """Return an experiment that evaluates functions at some places; it reads no documents."""

    def evaluated() -> CellValues:
        return {
            (figure, name, axis_column(place)): float(value)
            for name, shape in shapes.items()
            for place, value in zip(places, shape(np.array(places)), strict=True)
        }

    fill = Fill(figure, tuple(shapes), tuple(map(axis_column, places)))
    return experiment(name, evaluated, fill)


def hinge(z: Floats) -> Floats:
    """``max(0, 1 - z)``, the loss of the SVM."""
    return np.maximum(0.0, 1 - z)


def smoothed_hinge(gamma: float, z: Floats) -> Floats:
    """``ln(1 + exp(γ(1 - z)))/γ``, which tends to the hinge as γ grows, without overflow."""
    return np.logaddexp(0.0, gamma * (1 - z)) / gamma


_PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_ROOT = re.compile(r"<svg[^>]*>")
_VIEW = re.compile(r'viewBox="[^"]*"')
_HEAD = re.compile(r"<(title|metadata)>.*?</\1>\s*", re.DOTALL)
_NAMES = re.compile(r'(\bid="|href="#|url\(#)')
_GROUND = re.compile(r'<g id="patch_1">.*?</g>\s*', re.DOTALL)
BLACK = "#000000"


def inline_svg(figure: Figure) -> str:
    """Return a figure as SVG for the inside of an HTML page.

    It has no background, black takes the colour of the surrounding text, and names carry the
    figure's id, so that several figures fit on one page.
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

"""Numbers on their way to a figure: curves and histograms, from cells and into cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from postil.errors import UsageError
from postil.papers.cells import CellKey
from postil.papers.paper import axis_column
from postil.papers.plots.figure import Origin
from postil.papers.reproduction import Table

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

"""The contents of a figure: panels with lines, bars, levels and places over two axes.

The contents do not depend on matplotlib. A series is known by its name, and the same name has the
same colour in the whole figure; its ``origin`` tells the paper's data (open marks) from ours
(filled marks).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Literal, TypeAlias

from postil.errors import UsageError

Origin = Literal["paper", "ours"]
Stroke = Literal["solid", "dashed", "dotted"]
Scale = Literal["linear", "log"]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis; by default matplotlib chooses the ``ticks``, and each shows its number.

    Ticks with ``names`` stand for things, as on the axis of parallel coordinates.
    """

    label: str
    scale: Scale = "linear"
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.names and len(self.names) != len(self.ticks):
            raise UsageError(
                f"axis {self.label!r}: needs a name for each tick, got {len(self.names)} for "
                f"{len(self.ticks)}"
            )


@dataclass(frozen=True, slots=True)
class Line:
    """Points in order, joined by a line, marked, or both; ``thin`` for one of many lines."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    origin: Origin = "ours"
    stroke: Stroke = "solid"
    joined: bool = True
    marked: bool = True
    thin: bool = False

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise UsageError(
                f"line {self.name!r}: needs as many x as y, got {len(self.x)} and {len(self.y)}"
            )


@dataclass(frozen=True, slots=True)
class Bars:
    """A histogram: ``heights[i]`` between ``edges[i]`` and ``edges[i + 1]``."""

    name: str
    edges: tuple[float, ...]
    heights: tuple[float, ...]
    origin: Origin = "ours"

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.heights) + 1:
            raise UsageError(
                f"bars {self.name!r}: needs one edge more than heights, got {len(self.edges)} and "
                f"{len(self.heights)}"
            )
        if any(after <= before for before, after in zip(self.edges, self.edges[1:], strict=False)):
            raise UsageError(f"bars {self.name!r}: edges must rise, got {list(self.edges)}")


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line through the whole panel, with words on it."""

    name: str
    y: float
    words: str
    origin: Origin = "ours"


@dataclass(frozen=True, slots=True)
class Place:
    """A vertical line through the whole panel, with words on it; it belongs to no series."""

    x: float
    words: str

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.words


Series: TypeAlias = Line | Bars | Level
Mark: TypeAlias = Series | Place


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes; the panels of a figure share theirs."""

    marks: tuple[Mark, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: panels side by side, and the names of the series under them."""

    id: str
    title: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]
    legend: bool = True

    def __post_init__(self) -> None:
        if not self.panels:
            raise UsageError(f"{self.id}: a figure needs a panel")
        for mark in self.marks():
            xs, ys = _coordinates(mark)
            _check(f"{self.id}, {mark.name!r}, horizontally", xs, self.x.scale)
            _check(f"{self.id}, {mark.name!r}, vertically", ys, self.y.scale)

    def marks(self) -> Iterator[Mark]:
        """Yield all marks, panel by panel."""
        for panel in self.panels:
            yield from panel.marks

    def series(self) -> Iterator[Series]:
        """Yield all marks except places."""
        for mark in self.marks():
            if not isinstance(mark, Place):
                yield mark

    def names(self) -> list[str]:
        """Return the names of all series, each once, in order."""
        return list(dict.fromkeys(mark.name for mark in self.series()))

    def origins(self) -> list[Origin]:
        """Return the origins of the data shown."""
        return list(dict.fromkeys(mark.origin for mark in self.series()))


def _coordinates(mark: Mark) -> tuple[Iterable[float], Iterable[float]]:
    match mark:
        case Line():
            return mark.x, mark.y
        case Bars():
            return mark.edges, mark.heights
        case Level():
            return (), (mark.y,)
        case Place():
            return (mark.x,), ()


def _check(name: str, numbers: Iterable[float], scale: Scale) -> None:
    for number in numbers:
        if not isfinite(number):
            raise UsageError(f"{name}: {number} cannot be drawn; leave the point out")
        if scale == "log" and number <= 0:
            raise UsageError(f"{name}: a log axis holds numbers above 0, got {number}")

"""Line charts as SVG within an HTML page, in the colours of the page.

Unlike the figures of :mod:`postil.plots.drawing`, which are files, these charts need no optional
dependency. Colours are CSS classes (``chart.css``), so that a chart is readable light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from postil.common.pages import render_page
from postil.errors import UsageError
from postil.plots.figure import Axis, Figure, Line

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 480, 320
LEFT, RIGHT, TOP, BOTTOM = 54, 26, 12, 50
TICKS = 5
STEPS = (1.0, 2.0, 5.0, 10.0)


def line_chart(figure: Figure) -> Markup:
    """Return a figure of one panel of lines as SVG, with the names of the lines below it.

    The axes reach over all points and ticks. An axis without ticks gets about five round ones.
    """
    from markupsafe import Markup

    if len(figure.panels) != 1 or not all(isinstance(mark, Line) for mark in figure.marks()):
        raise UsageError(f"{figure.id}: a chart in a page has one panel and nothing but lines")
    lines = [mark for mark in figure.marks() if isinstance(mark, Line)]
    x_ticks, across = _scaled(figure.x, (x for line in lines for x in line.x), LEFT, WIDTH - RIGHT)
    y_ticks, up = _scaled(figure.y, (y for line in lines for y in line.y), HEIGHT - BOTTOM, TOP)
    names = figure.names()
    drawn = [
        {
            "series": names.index(line.name),
            "line": line,
            "points": [(across(x), up(y)) for x, y in zip(line.x, line.y, strict=True)],
        }
        for line in lines
    ]
    page = render_page(
        "chart.html",
        figure=figure,
        size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "top": TOP},
        bottom=HEIGHT - BOTTOM,
        x_ticks=_labelled(figure.x, x_ticks, across),
        y_ticks=_labelled(figure.y, y_ticks, up),
        drawn=drawn,
        key=[next(each for each in drawn if each["series"] == n) for n in range(len(names))],
    )
    return Markup(page)


def _scaled(
    axis: Axis, values: Iterable[float], start: float, end: float
) -> tuple[tuple[float, ...], Callable[[float], float]]:
    """Return the ticks of an axis, and the function from its numbers to places."""
    numbers = list(values)
    ticks = axis.ticks or round_ticks(min(numbers, default=0.0), max(numbers, default=1.0))
    place: Callable[[float], float] = math.log10 if axis.scale == "log" else float
    low, high = place(min([*ticks, *numbers])), place(max([*ticks, *numbers]))
    span = (high - low) or 1.0
    return ticks, lambda number: round(start + (place(number) - low) / span * (end - start), 1)


def round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return about five round numbers from at or below ``low`` to at or above ``high``."""
    span = (high - low) or max(abs(high), 1.0)
    power = 10.0 ** math.floor(math.log10(span / TICKS))
    step = power * next(each for each in STEPS if each * power * TICKS >= span * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(step * number, 12) for number in range(first, max(last, first + 1) + 1))


def _labelled(
    axis: Axis, ticks: Iterable[float], place: Callable[[float], float]
) -> list[tuple[float, str]]:
    names = axis.names or [f"{tick:,g}" for tick in ticks]
    return [(place(tick), name) for tick, name in zip(ticks, names, strict=True)]

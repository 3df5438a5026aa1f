"""Figures drawn with matplotlib: the same figure gives the same bytes.

Figures are readable in print, on light and dark pages, and without colours. matplotlib is an
optional dependency and is loaded when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from math import isclose, log10
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from postil.common.escaping import visible
from postil.errors import MissingExtraError
from postil.plots.figure import Axis, Bars, Figure, Level, Line, Mark, Place, Stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as DrawnAxis
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D


# Okabe and Ito's colours, which stay apart for colour-blind eyes; yellow is too light for lines.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7f87")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
NEUTRAL: Final = "#7a7f87"
STROKES: Final[dict[Stroke, Literal["-", "--", ":"]]] = {
    "solid": "-",
    "dashed": "--",
    "dotted": ":",
}

PANEL_SIZE: Final = (6.4, 4.4)  # inches
SIDE_BY_SIDE: Final = (4.6, 4.0)
PNG_DOTS: Final = 160  # per inch
THIN: Final[dict[str, Any]] = {"linewidth": 0.8, "alpha": 0.55}  # of a line that is one of many
WORDS: Final[dict[str, Any]] = {"textcoords": "offset points", "fontsize": "small"}

SETTINGS: Final[dict[Any, Any]] = {
    # Text stays text: small files, words that can be found and follow the page's colour.
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    # matplotlib ships the first of these, so that layouts are the same everywhere.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    # Names come from outside: a dollar sign is a dollar sign.
    "text.parse_math": False,
    "grid.color": NEUTRAL,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "axes.facecolor": "none",
    "savefig.facecolor": "auto",
}


def look(position: int) -> tuple[str, str]:
    """Return colour and marker of a series by its position; they repeat out of step."""
    lap, colour = divmod(position, len(COLOURS))
    return COLOURS[colour], MARKERS[(colour + lap) % len(MARKERS)]


def stroke(position: int) -> Stroke:
    """Return the stroke of a series by its position; it changes where colours repeat."""
    strokes = tuple(STROKES)
    return strokes[position // len(COLOURS) % len(strokes)]


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Looks: TypeAlias = dict[str, tuple[str, str]]  # name of a series → colour and marker


def require_plots() -> None:
    """Raise MissingExtraError if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("drawing figures", "matplotlib", "plots") from error


def svg_bytes(figure: Figure) -> bytes:
    """Draw a figure as an SVG file on a white ground, without dates or random names."""
    left_out = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    return _saved(figure, format="svg", metadata={"Title": visible(figure.title), **left_out})


def png_bytes(figure: Figure) -> bytes:
    """Draw a figure as a PNG file on a white ground."""
    metadata = {"Title": visible(figure.title), "Software": None}
    return _saved(figure, format="png", dpi=PNG_DOTS, metadata=metadata)


def _saved(figure: Figure, **options: Any) -> bytes:  # noqa: ANN401 - those of savefig
    require_plots()
    import matplotlib as mpl

    # Names within an SVG are hashes with this salt; without one they are random.
    settings = {**SETTINGS, "svg.hashsalt": f"postil {figure.id}"}
    with mpl.rc_context({**mpl.rcParamsDefault, **settings}):
        buffer = BytesIO()
        _canvas(figure).savefig(buffer, **options)
        return buffer.getvalue()


def _canvas(figure: Figure) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    count = len(figure.panels)
    width, height = PANEL_SIZE if count == 1 else SIDE_BY_SIDE
    canvas = Canvas(figsize=(width * count, height), layout="constrained")
    looks = {name: look(position) for position, name in enumerate(figure.names())}
    panels = canvas.subplots(1, count, sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(panels, figure.panels, strict=True):
        for mark in panel.marks:
            _DRAWERS[type(mark)](axes, mark, looks)
        axes.set_title(visible(panel.title))
        axes.set_xlabel(visible(figure.x.label))
        _set_scale(axes.xaxis, axes.set_xscale, figure.x)
        _set_scale(axes.yaxis, axes.set_yscale, figure.y)
    panels[0].set_ylabel(visible(figure.y.label))
    canvas.suptitle(visible(figure.title), fontsize=11)
    if figure.legend:
        canvas.legend(handles=_legend(figure, looks), loc="outside lower center", ncols=3)
    return canvas


def _draw_line(axes: Axes, line: Line, looks: Looks) -> None:
    colour, marker = looks[line.name]
    ours = line.origin == "ours"
    axes.plot(
        line.x,
        line.y,
        color=colour,
        linestyle=STROKES[line.stroke] if line.joined else "none",
        marker=marker if line.marked else "none",
        markerfacecolor=colour if ours else "none",
        markersize=6 if ours else 9,
        zorder=3 if ours else 4,
        **(THIN if line.thin else {}),
    )


def _draw_bars(axes: Axes, bars: Bars, looks: Looks) -> None:
    colour, _ = looks[bars.name]
    filled = bars.origin == "ours"
    axes.stairs(bars.heights, bars.edges, color=colour, fill=filled, alpha=0.85 if filled else 1)


def _draw_level(axes: Axes, level: Level, looks: Looks) -> None:
    colour, _ = looks[level.name]
    mine = level.origin == "ours"
    axes.axhline(level.y, color=colour, linestyle="-." if mine else "--", linewidth=1.2)
    # Each origin has its side of the panel, so that levels that nearly agree do not overlap.
    side, alignment = (0.01, "left") if mine else (0.99, "right")
    place: dict[str, Any] = {
        "xycoords": axes.get_yaxis_transform(),
        "xytext": (0, 2),
        "ha": alignment,
    }
    axes.annotate(visible(level.words), (side, level.y), **place, **WORDS)


def _draw_place(axes: Axes, place: Place, _: Looks) -> None:
    axes.axvline(place.x, color=NEUTRAL, linestyle="--", linewidth=1.2)
    top: dict[str, Any] = {"xycoords": axes.get_xaxis_transform(), "xytext": (3, 0), "va": "top"}
    axes.annotate(visible(place.words), (place.x, 0.99), **top, **WORDS)


_DRAWERS: dict[type[Mark], Callable[[Any, Any, Looks], None]] = {
    Line: _draw_line,
    Bars: _draw_bars,
    Level: _draw_level,
    Place: _draw_place,
}


def _set_scale(axis: DrawnAxis, set_scale: Callable[[str], None], wanted: Axis) -> None:
    set_scale(wanted.scale)
    if wanted.ticks:
        names = wanted.names or [f"{tick:g}" for tick in wanted.ticks]
        axis.set_ticks(wanted.ticks, labels=list(map(visible, names)))
        axis.set_ticks([], minor=True)
        axis.set_tick_params(labelsize="small")
    elif wanted.scale == "log":
        axis.set_major_formatter(_power)
        axis.set_minor_formatter(lambda _value, _position: "")


def _power(value: float, _: float) -> str:
    exponent = round(log10(value))
    power = "10" + str(exponent).translate(_SUPERSCRIPTS)
    return power if isclose(value, 10.0**exponent) else f"{value:g}"


def _legend(figure: Figure, looks: Looks) -> list[Line2D]:
    """Return a sample of each name, and of the two origins where both are shown."""
    from matplotlib.lines import Line2D

    lines = {mark.name: mark for mark in figure.marks() if isinstance(mark, Line)}
    marked = {mark.name for mark in figure.marks() if isinstance(mark, Line) and mark.marked}
    sample = partial(Line2D, [], [])
    samples = [
        sample(
            color=colour,
            marker=marker if name in marked else "none",
            linestyle=STROKES[lines[name].stroke if name in lines else "solid"],
            label=visible(name),
        )
        for name, (colour, marker) in looks.items()
    ]
    if len(figure.origins()) > 1:
        circle = partial(sample, color=NEUTRAL, marker="o", linestyle="none")
        samples += [
            circle(markerfacecolor=NEUTRAL, label="filled: ours"),
            circle(markerfacecolor="none", label="open: the paper"),
        ]
    return samples

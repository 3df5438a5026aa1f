"""How figures look: readable in print, on light and on dark pages, without colours too."""

from __future__ import annotations

from typing import Any, Final, Literal

from postil.papers.paper import Stroke

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
PNG_DOTS: Final = 160  # an inch

SETTINGS: Final[dict[Any, Any]] = {
    # Text stays text: small files, words that can be found and follow the page's colour.
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    # matplotlib carries the first of these, so that layouts are the same everywhere.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    # Names are anybody's: a dollar sign is a dollar sign.
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

THIN: Final = 0.8  # the width of a line that is one of many
FAINT: Final = 0.55  # and how much of it is seen


def look(position: int) -> tuple[str, str]:
    """Colour and marker of a series by its place; they come round out of step."""
    lap, colour = divmod(position, len(COLOURS))
    return COLOURS[colour], MARKERS[(colour + lap) % len(MARKERS)]


def stroke(position: int) -> Stroke:
    """Stroke of a series by its place: another one where colours come round."""
    strokes = tuple(STROKES)
    return strokes[position // len(COLOURS) % len(strokes)]


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_label(exponent: int) -> str:
    """A power of ten as a tick shows it: ``10⁻⁴``."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)

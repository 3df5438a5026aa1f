"""Numbers as they are shown: as the paper prints them, and on the log scale as powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isclose, log10

from postil.papers.paper import Scale, Source

ABOUT = "≈"
MARKS: Mapping[Source | None, str] = {"stated": ABOUT}


def number_text(value: float, scale: Scale, decimals: int) -> str:
    """Show a number: ``86.9``, or ``1e-3`` on the log scale."""
    return _NUMBERS[scale](value, decimals)


def difference_text(value: float, scale: Scale, decimals: int) -> str:
    """Show a difference with its sign, and no sign where nothing is left after rounding.

    On the log scale a difference counts powers of ten, with one decimal where it is not whole.
    """
    places = decimals if scale == "linear" else int(not isclose(value, round(value), abs_tol=1e-9))
    shown = f"{value:+.{places}f}"
    return shown if shown.strip("+-0.") else shown[1:]


def with_deviation(text: str, deviation: float | None, decimals: int) -> str:
    """Add a standard deviation: ``89.7 ±0.5``."""
    return text if deviation is None else f"{text} ±{deviation:.{decimals}f}"


def paper_text(value: float, source: Source | None, scale: Scale, decimals: int) -> str:
    """Show a number of the paper; what its text rounds keeps its digits: ``≈85``."""
    if source == "stated" and scale == "linear":
        return f"{ABOUT}{value:g}"
    return MARKS.get(source, "") + number_text(value, scale, decimals)


def _linear(value: float, decimals: int) -> str:
    shown = f"{value:.{decimals}f}"
    return shown if shown.strip("-0.") else shown.lstrip("-")


def _power(value: float, _: int) -> str:
    exponent = round(log10(value))
    if isclose(value, 10.0**exponent):
        return f"1e{exponent}" if exponent else "1"
    mantissa, _sign, power = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(power)}"


_NUMBERS: Mapping[Scale, Callable[[float, int], str]] = {"linear": _linear, "log": _power}

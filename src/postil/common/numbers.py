"""Numbers as people read them."""

from __future__ import annotations

DIGITS = 3
MOST_DIGITS = 17


def probability_text(probability: float) -> str:
    """Return a probability with three digits, or as many as tell it from 1."""
    digits = DIGITS
    while probability < 1 and digits < MOST_DIGITS and float(f"{probability:.{digits}g}") >= 1:
        digits += 1
    return f"{probability:.{digits}g}"

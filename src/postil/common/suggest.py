"""Suggestions for unknown names: the nearest allowed ones, and all that are allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

SUGGESTIONS = 3
# Names that other programs use, with postil's: no likeness of letters finds these.
CALLED_ELSEWHERE = {
    "double-exponential": "laplace",
    "l1": "laplace",
    "l2": "gaussian",
    "lasso": "laplace",
    "normal": "gaussian",
    "ridge": "gaussian",
}


def near_names(received: str, allowed: Iterable[str]) -> list[str]:
    """Return at most three allowed names that are most like the received one, best first.

    A name that other programs use for an allowed one returns that one alone.
    """
    by_lower = {name.lower(): name for name in allowed}
    same = CALLED_ELSEWHERE.get(received.lower())
    if same in by_lower:
        return [by_lower[same]]
    near = get_close_matches(received.lower(), by_lower, n=SUGGESTIONS)
    return [by_lower[name] for name in near]


def advise(near: Iterable[str], allowed: Iterable[str]) -> str:
    """Return the end of a message: ``"; did you mean 'lower'? Allowed: lower, casefold"``."""
    names = list(near)
    meant = f"; did you mean {' or '.join(map(repr, names))}?" if names else "."
    return f"{meant} Allowed: {', '.join(allowed) or 'nothing'}"


def advice(received: str, allowed: Iterable[str]) -> str:
    """Return the end of a message about a name that is not allowed."""
    names = list(allowed)
    return advise(near_names(received, names), names)

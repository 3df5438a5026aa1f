"""What looks wrong about the labels of training documents, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from postil.decide import DecisionRule
from postil.decide.decision import State

SEPARATORS = (",", ";", "|")
SHOWN = 3


class LabelsWarning(UserWarning):
    """Labels are perhaps not what was meant."""


def label_notes(names: Sequence[str]) -> list[str]:
    """Labels that seem to be several in one, and such that differ by next to nothing.

    Costs the characters of the distinct labels.
    """
    return [*_separator_notes(names), *_likeness_notes(names)]


def rare_note(rule: DecisionRule, sizes: NDArray[np.int64], folds: int) -> str:
    """How many categories have too few documents for their threshold to be tuned, if any."""
    rare = int(((rule.states == State.FALLBACK) & (sizes < folds)).sum())
    if not rare:
        return ""
    are = "1 category has" if rare == 1 else f"{rare} categories have"
    return (
        f"{are} fewer than {folds} documents, too few to tune a threshold on, so that the fallback "
        "decides; postil inspect names them"
    )


def _separator_notes(names: Sequence[str]) -> Iterator[str]:
    known = set(names)
    for separator in SEPARATORS:
        held = {name: pieces for name in names if len(pieces := _pieces(name, separator)) > 1}
        used = Counter(piece for pieces in held.values() for piece in set(pieces))
        combined = [
            name
            for name, pieces in held.items()
            # One piece alone may repeat by chance, as the second in "Lund, town" does.
            if not known.isdisjoint(pieces) or all(used[piece] > 1 for piece in pieces)
        ]
        sure = any(known.issuperset(held[name]) for name in combined)
        if len(combined) > 1 or sure:
            count = "1 label holds" if len(held) == 1 else f"{len(held)} labels hold"
            yield (
                f"{count} {separator!r}, as {combined[0]!r}; did you mean "
                f"--label-separator {separator!r}?"
            )


def _pieces(name: str, separator: str) -> list[str]:
    return [piece for part in name.split(separator) if (piece := part.strip())]


def _likeness_notes(names: Sequence[str]) -> Iterator[str]:
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name.strip().casefold(), []).append(name)
    groups = [" and ".join(map(repr, group)) for group in alike.values() if len(group) > 1]
    if groups:
        more = f"; … and {len(groups) - SHOWN} more" if len(groups) > SHOWN else ""
        yield (
            "labels that differ only by case or by space around them are categories of their own: "
            f"{'; '.join(groups[:SHOWN])}{more}"
        )

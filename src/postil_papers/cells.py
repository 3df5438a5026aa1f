"""One number of a reproduction: the paper's, ours, and how far apart they are.

One text for one value: JSON that does not depend on the order of keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite, log10
from typing import Literal, NamedTuple, TypeAlias

from postil.errors import UsageError
from postil.plots.figure import Scale
from postil_papers.paper import Source

Verdict = Literal["within", "explained", "beyond"]

# Differences of printed decimals are not exact in binary: 85.4 - 86.9 is a little over -1.5.
ROUNDING = 1e-9


class CellKey(NamedTuple):
    """Where a cell stands: ``("table2", "F1", "SVM")``."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A number an experiment found, with its standard deviation and a remark where it has them."""

    value: float
    deviation: float | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell: what the paper has, what we have, and what is to be said about it.

    ``paper`` is ``None`` where only we have a number, ``ours`` where no experiment ran or where
    it failed; ``error`` then says how. ``tolerance`` is ``None`` where nothing is judged. A
    ``note`` explains a deviation, for good; a ``remark`` is what the experiment had to say.
    """

    key: CellKey
    paper: float | None = None
    paper_deviation: float | None = None
    source: Source | None = None
    where: str = ""
    ours: float | None = None
    ours_deviation: float | None = None
    scale: Scale = "linear"
    tolerance: float | None = None
    note: str = ""
    remark: str = ""
    error: str = ""

    @property
    def difference(self) -> float | None:
        """``ours - paper``; on the log scale ``log10(ours) - log10(paper)``."""
        if self.paper is None or self.ours is None:
            return None
        if self.scale == "log":
            return log10(self.ours) - log10(self.paper)
        return self.ours - self.paper

    @property
    def verdict(self) -> Verdict | None:
        """Whether the difference is within the tolerance, or else explained by a note."""
        if self.difference is None or self.tolerance is None:
            return None
        if abs(self.difference) <= self.tolerance + ROUNDING:
            return "within"
        return "explained" if self.note else "beyond"


Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def canonical_json(value: Json) -> str:
    """Write a value as JSON in ASCII: keys sorted, no spaces, numbers by their shortest text.

    Equal values give equal texts, different ones different texts: a tuple counts as a list, and
    1, 1.0 and true are three things. What JSON cannot hold is refused, with its place: NaN and
    infinities, keys that are not texts, other types. Costs the size of the value, sorting keys.
    """
    return json.dumps(
        _checked(value, "value"),
        ensure_ascii=True,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def digest(value: Json) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def _checked(value: object, place: str) -> object:
    """Rebuild the value of plain dicts and lists; json would turn a key 1 into "1" silently."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise UsageError(f"{place}: {value} cannot be kept as JSON; give a finite number")
        return value
    if isinstance(value, Mapping):
        return {
            _key(key, place): _checked(item, f"{place}[{key!r}]") for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_checked(item, f"{place}[{index}]") for index, item in enumerate(value)]
    raise UsageError(
        f"{place}: {type(value).__name__} cannot be kept as JSON; give texts, numbers, true, "
        "false, null, lists and mappings"
    )


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{place}: the key {key!r} is not a text; write it as one")
    return key

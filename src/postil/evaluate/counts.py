"""The four counts everything about decisions is made of.

The one rule for 0/0.

A ratio whose denominator is 0 is **undefined**: precision where nothing was accepted, recall
where a category has no member, F1 where neither happened, every ranking measure of a category
without members, everything where there is no document. Undefined stays undefined: NaN inside,
``–`` in print, ``null`` in JSON. It is never turned into a number where it stands.

Only an average over categories has to say what it does with undefined values, by one of
``RULES``:

- ``zero`` (the default) counts them as 0;
- ``one`` counts them as 1, as genkin-lewis-madigan-2004 (section 5.4) does for F1;
- ``skip`` leaves them out.

Whatever the rule, an average of nothing but undefined values is undefined, and every average
carries the number of undefined values it met.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from postil.common.types import Floats, Ints
from postil.errors import UsageError
from postil.evaluate.inputs import checked_pair
from postil.features.inputs import Csr, Indices, Sparse


@dataclass(frozen=True)
class Counts:
    """True and false positives and negatives, one of each per category (the last axis).

    ``cases`` is how many decisions each entry counts: the documents, for a category. Arrays may
    have further axes in front, such as the resamples of a bootstrap.
    """

    true_positives: Ints
    false_positives: Ints
    false_negatives: Ints
    cases: int

    @property
    def true_negatives(self) -> Ints:
        """Cases that were rightly rejected."""
        return self.cases - self.members - self.false_positives

    @property
    def members(self) -> Ints:
        """Cases that belong to the category."""
        return self.true_positives + self.false_negatives

    @property
    def accepted(self) -> Ints:
        """Cases that were decided to belong to the category."""
        return self.true_positives + self.false_positives

    @property
    def errors(self) -> Ints:
        """Cases decided wrongly."""
        return self.false_positives + self.false_negatives

    def pooled(self) -> Counts:
        """Add the categories up: the counts of a micro-average."""
        return Counts(
            np.asarray(self.true_positives.sum(axis=-1)),
            np.asarray(self.false_positives.sum(axis=-1)),
            np.asarray(self.false_negatives.sum(axis=-1)),
            self.cases * self.true_positives.shape[-1],
        )

    def of(self, categories: Indices) -> Counts:
        """Keep some categories."""
        return Counts(
            self.true_positives[..., categories],
            self.false_positives[..., categories],
            self.false_negatives[..., categories],
            self.cases,
        )


def count(truth: Sparse, decisions: Sparse) -> Counts:
    """Count per category; costs the non-zeros of both matrices and the categories."""
    members, decided = checked_pair(truth, decisions)
    both = per_category(intersection(members, decided))
    return Counts(
        both, per_category(decided) - both, per_category(members) - both, int(members.shape[0])
    )


def intersection(left: Csr, right: Csr) -> Csr:
    """Entries that are True in both."""
    return left.multiply(right).tocsr()


def difference(left: Csr, right: Csr) -> Csr:
    """Entries that are True on exactly one side."""
    return cast("Csr", left != right)


def per_category(indicator: Csr) -> Ints:
    """Count the True entries of each column."""
    columns = np.bincount(indicator.indices, minlength=indicator.shape[1])
    return columns.astype(np.int64)


def per_document(indicator: Csr) -> Ints:
    """Count the True entries of each row."""
    return np.diff(indicator.indptr).astype(np.int64)


UNDEFINED = math.nan
MARK = "–"


@dataclass(frozen=True)
class Rule:
    """What an average puts in the place of an undefined value; ``None`` leaves it out."""

    name: str
    summary: str
    filling: float | None


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("zero", "undefined values count as 0", 0.0),
        Rule("one", "undefined values count as 1 (genkin-lewis-madigan-2004)", 1.0),
        Rule("skip", "undefined values are left out", None),
    )
}


def rule_named(name: str) -> Rule:
    """Look up an averaging rule."""
    if name not in RULES:
        raise UsageError(
            f"no rule for undefined values is called {name!r}; there are: {', '.join(RULES)}"
        )
    return RULES[name]


def ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    """``above / below``, undefined where ``below`` is 0."""
    numerator, denominator = np.asarray(above, np.float64), np.asarray(below, np.float64)
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    result: Floats = np.full(shape, UNDEFINED)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def plain_fields(fields: Mapping[str, object]) -> dict[str, Any]:
    """Turn named values into what JSON holds."""
    return {name: plain(value) for name, value in fields.items()}


def plain(value: object) -> object:
    """Turn a value into what JSON holds: what is not finite becomes ``None``, arrays lists."""
    if isinstance(value, Mapping):
        return plain_fields(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def shown(value: float | None, digits: int = 1, scale: float = 100.0) -> str:
    """A number as a person reads it, in percent unless told otherwise; ``–`` if undefined."""
    if value is None or not math.isfinite(value):
        return MARK
    return f"{value * scale:.{digits}f}"

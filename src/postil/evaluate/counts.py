"""The four counts that every measure of decisions is made of, and the rule for 0/0.

A ratio whose denominator is 0 is **undefined**: NaN inside, ``–`` in print and ``null`` in JSON.
Only an average over categories replaces undefined values, by one of ``RULES``; an average of
nothing but undefined values is undefined under every rule, and every average carries the number of
undefined values it met.

``truth`` and ``decisions`` are sparse indicators (documents × categories) everywhere, ``scores``
and ``probabilities`` dense arrays of the same shape; they are checked here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Flags, Floats, Indices, Ints
from postil.decide.scores import Csr, Sparse, check_sparse
from postil.errors import InputError, UsageError

UNDEFINED = math.nan
MARK = "–"
T = TypeVar("T")


class Rule(NamedTuple):
    """The value with which an average replaces an undefined one; ``None`` leaves it out."""

    meaning: str
    filling: float | None


RULES = {
    "zero": Rule("undefined values count as 0", 0.0),
    "one": Rule("undefined values count as 1 (genkin-lewis-madigan-2004)", 1.0),
    "skip": Rule("undefined values are left out", None),
}


def named(table: Mapping[str, T], name: str, kind: str) -> T:
    """Return the entry of that name, or raise UsageError with the names of the kind's table."""
    if name not in table:
        raise UsageError(f"no {kind} is called {name!r}; allowed: {', '.join(table)}")
    return table[name]


def rule_named(name: str) -> Rule:
    """Return the averaging rule of that name."""
    return named(RULES, name, "rule for undefined values")


@dataclass(frozen=True)
class Counts:
    """True and false positives and negatives, one of each per category (the last axis).

    ``cases`` is the number of decisions that each entry counts: the documents, for a category.
    Arrays may have further axes in front, such as the resamples of a bootstrap. Where documents are
    weighted, all are sums of weights.
    """

    true_positives: Ints
    false_positives: Ints
    false_negatives: Ints
    cases: float | Ints

    @property
    def true_negatives(self) -> Ints:
        """Cases that were rightly rejected."""
        return cast("Ints", self.cases - self.members - self.false_positives)

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
            np.asarray(np.broadcast_to(self.cases, self.true_positives.shape).sum(axis=-1)),
        )

    def of(self, categories: Indices) -> Counts:
        """Return the counts of some categories."""
        return Counts(
            self.true_positives[..., categories],
            self.false_positives[..., categories],
            self.false_negatives[..., categories],
            self.cases
            if np.ndim(self.cases) == 0
            else np.broadcast_to(self.cases, self.true_positives.shape)[..., categories],
        )


class Counted(NamedTuple):
    """Weights of documents and known memberships, where some do not count like others.

    Parameters
    ----------
    weights : array of float, optional
        The weights of documents.
    known : array of bool, optional
        True for each membership that is known, documents × categories. The others do not count, and
        no decision on them is among those of the run.
    """

    weights: Floats | None = None
    known: Flags | None = None

    def sums(self, indicator: Csr, times: Ints) -> Ints:
        """Sum the True entries of each category in each resample: resamples × categories.

        ``times`` is the number of times that each document is drawn, documents × resamples.
        """
        if self.weights is None:
            return np.asarray(indicator.T.astype(np.int64) @ times, np.int64).T
        return np.asarray(indicator.T.astype(np.float64) @ (self.weights[:, None] * times)).T

    def cases(self, documents: int, times: Ints | None = None) -> float | Ints:
        """Return the sum of the documents that count, in each resample and category."""
        if self.weights is None and self.known is None:
            return documents
        each = np.ones(documents) if self.weights is None else self.weights
        drawn = each[:, None] * (np.ones((documents, 1)) if times is None else times)
        sums = drawn.sum(axis=0)[:, None] if self.known is None else drawn.T @ self.known
        if self.weights is None:
            sums = np.rint(sums).astype(np.int64)
        if times is None and self.known is None:
            return float(sums[0, 0])
        return cast("Ints", sums[0] if times is None else sums)


EVERYTHING = Counted()


def count(truth: Sparse, decisions: Sparse, counted: Counted = EVERYTHING) -> Counts:
    """Count each category; costs the non-zeros of both matrices and the categories."""
    members, decided = checked_pair(truth, decisions)
    documents = int(members.shape[0])
    once = np.ones((documents, 1), dtype=np.int64)
    both, accepted, belonging = (
        counted.sums(each, once)[0] for each in (intersection(members, decided), decided, members)
    )
    return Counts(both, accepted - both, belonging - both, counted.cases(documents))


def intersection(left: Csr, right: Csr) -> Csr:
    """Return the entries that are True in both."""
    return left.multiply(right).tocsr()


def difference(left: Csr, right: Csr) -> Csr:
    """Return the entries that are True on exactly one side."""
    return cast("Csr", left != right)


def per_category(indicator: Csr) -> Ints:
    """Count the True entries of each column."""
    columns = np.bincount(indicator.indices, minlength=indicator.shape[1])
    return columns.astype(np.int64)


def per_document(indicator: Csr) -> Ints:
    """Count the True entries of each row."""
    return np.diff(indicator.indptr).astype(np.int64)


def ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    """Return ``above / below``, undefined where ``below`` is 0."""
    numerator, denominator = np.asarray(above, np.float64), np.asarray(below, np.float64)
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    result: Floats = np.full(shape, UNDEFINED)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a value as JSON holds it: arrays become lists, and NaN and infinity ``None``.

    A dataclass becomes a mapping of its fields.
    """
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def shown(value: float | None, digits: int = 1, scale: float = 100.0) -> str:
    """Write a number for a reader, in percent by default; ``–`` if undefined."""
    if value is None or not math.isfinite(value):
        return MARK
    return f"{value * scale:.{digits}f}"


def checked_indicator(matrix: Sparse, name: str) -> Csr:
    """Return an indicator as CSR of booleans that stores every True once and no False.

    Entries are 0 and 1, or False and True. Costs the number of stored entries.
    """
    import scipy.sparse as sp

    check_sparse(matrix, name)
    csr: Csr = sp.csr_matrix(matrix, copy=True)
    if not np.isin(csr.data, (0, 1)).all():
        raise UsageError(f"{name} must hold 0 and 1 (member or not): turn ±1 into ({name} > 0)")
    csr.data = csr.data.astype(np.bool_)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr


def checked_pair(truth: Sparse, decisions: Sparse, name: str = "decisions") -> tuple[Csr, Csr]:
    """Return two indicators of one shape."""
    members, decided = checked_indicator(truth, "truth"), checked_indicator(decisions, name)
    if members.shape != decided.shape:
        raise UsageError(
            f"truth is {_size(members.shape)} and {name} are {_size(decided.shape)} (documents × "
            "categories): both need the same rows and columns in the same order"
        )
    return members, decided


def checked_scores(scores: ArrayLike, shape: tuple[int, int], name: str = "scores") -> Floats:
    """Return scores as a float64 array of the given shape; infinite ones pass, NaN does not."""
    array = np.asarray(scores, dtype=np.float64)
    if array.shape != shape:
        raise UsageError(
            f"{name} are {_size(array.shape)} and truth is {_size(shape)} (documents × "
            "categories): both need the same rows and columns in the same order"
        )
    _check_all(array, ~np.isnan(array), name, "a number that can be ranked")
    return array


def checked_probabilities(probabilities: ArrayLike, shape: tuple[int, int]) -> Floats:
    """Return probabilities as a float64 array of the given shape, each from 0 to 1."""
    array = checked_scores(probabilities, shape, "probabilities")
    inside = (array >= 0) & (array <= 1)
    _check_all(array, inside, "probabilities", "a value from 0 to 1; calibrate the scores first")
    return array


def checked_names(categories: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    """Return a name for each column; without names a column is named by its number."""
    if categories is None:
        return tuple(str(column) for column in range(columns))
    if len(categories) != columns:
        raise UsageError(
            f"categories: {len(categories)} names for {columns} columns of truth: give one name "
            "for each column, in column order"
        )
    return tuple(categories)


def checked_per_category(values: ArrayLike, columns: int, name: str) -> NDArray[Any]:
    """Return an array of one value for each category."""
    array = np.asarray(values)
    if array.shape != (columns,):
        raise UsageError(
            f"{name} has shape {array.shape} for {columns} categories: give one value for each "
            "category, in column order"
        )
    return array


def _check_all(array: Floats, allowed: Flags, name: str, rule: str) -> None:
    if not allowed.all():
        row, column = (int(place[0]) for place in np.nonzero(~allowed))
        raise InputError(
            f"{name}, document {row}, category {column}: received {array[row, column]}, but each "
            f"must be {rule}"
        )


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))

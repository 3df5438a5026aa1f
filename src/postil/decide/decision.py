"""A fitted decision rule: scores in, memberships out.

A rule compares scores with a threshold for each category, or gives each category to a share of the
documents at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.types import Flags, Floats
from postil.decide.scores import Csr, checked_scores, frozen
from postil.errors import InputError, UsageError

States = NDArray[np.uint8]


class State(IntEnum):
    """The origin of a category's threshold; the numbers are those of the model file."""

    FITTED = 0
    """The rule itself."""
    NO_MEMBERS = 1
    """No training document is in the category: it is never given."""
    ALL_MEMBERS = 2
    """Every training document is in the category: it is always given."""
    FALLBACK = 3
    """The fallback: the category's scores are too poor to tune on."""
    UNTUNED = 4
    """The category came with an update, without scores to tune on: its threshold is 0."""


SENTENCES = {
    State.NO_MEMBERS: "no training document has it, so it is never given",
    State.ALL_MEMBERS: "every training document has it, so it is always given",
    State.FALLBACK: "its out-of-fold scores are too poor to tune on, so the fallback decides",
    State.UNTUNED: "it came with an update, so its threshold is 0 and was not tuned",
}


def best_of_rows(values: Floats, places: int) -> Flags:
    """Flag the ``places`` largest values of each row; of equal ones those in the lower columns.

    Linear in the values. Infinite values are allowed, NaN is not.
    """
    width = values.shape[1]
    if places <= 0 or places >= width:
        return np.full(values.shape, places > 0, dtype=np.bool_)
    spare = width - places
    last = np.partition(values, spare, axis=1)[:, spare, np.newaxis]
    sure = values > last
    tied = values == last
    left = places - sure.sum(axis=1, keepdims=True)
    chosen: Flags = sure | (tied & (np.cumsum(tied, axis=1) <= left))
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """Gives a document the categories whose threshold its score reaches.

    Each document is decided by itself. A threshold of +inf is never reached, -inf always.
    """

    kind: ClassVar[str] = "thresholds"
    whole_batch: ClassVar[bool] = False
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values, np.float64))
        if self.values.ndim != 1 or np.isnan(self.values).any():
            raise InputError("thresholds must be one number per category, none of them NaN")

    @property
    def never(self) -> Flags:
        """The categories that no document is given: those with a threshold of +inf."""
        return np.isposinf(self.values)

    def accept(self, scores: Floats) -> Flags:
        """Flag ``score >= threshold``; linear in the scores."""
        return scores >= self.values

    def excess(self, scores: Floats) -> Floats:
        """Return ``score - threshold``, by which the categories of a document are ordered."""
        with np.errstate(over="ignore"):
            return scores - self.values


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Gives each category to the documents that score highest for it: a share of the batch.

    Of n documents ``⌊share·n + 1/2⌋`` get it, of equal scores the earlier documents. A decision
    depends on the other documents, so that all of them have to be decided together.
    """

    kind: ClassVar[str] = "shares"
    whole_batch: ClassVar[bool] = True
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values, np.float64))
        inside = (self.values >= 0) & (self.values <= 1)
        if self.values.ndim != 1 or not inside.all():
            raise InputError("shares must be one number from 0 to 1 per category")

    @property
    def never(self) -> Flags:
        """The categories that no document is given: those with a share of 0."""
        return np.equal(self.values, 0)

    def accept(self, scores: Floats) -> Flags:
        """Flag the highest scores of each category; linear in the scores."""
        accepted = np.zeros(scores.shape, dtype=np.bool_)
        quotas = np.floor(self.values * len(scores) + 0.5).astype(np.int64)
        for category in np.flatnonzero(quotas > 0).tolist():
            column = scores[np.newaxis, :, category]
            accepted[:, category] = best_of_rows(column, int(quotas[category]))[0]
        return accepted

    def excess(self, scores: Floats) -> Floats:
        """Return the scores themselves, by which the categories of a document are ordered."""
        return scores


Acceptance: TypeAlias = Thresholds | Shares
ACCEPTANCES: dict[str, type[Acceptance]] = {
    acceptance.kind: acceptance for acceptance in (Thresholds, Shares)
}


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRule:
    """A decision rule that ``fit_rule`` has fitted; it cannot be changed.

    A document gets the categories that ``acceptance`` accepts; then of those the best
    ``at_most``, and the best of all others until it has ``at_least``. The best category exceeds its
    threshold by most (with shares: scores highest); of equals, the one in the lower column is
    better. A category that is never given does not fill a place either, so a document has fewer
    than ``at_least`` where all others are used up.
    """

    spec: str
    acceptance: Acceptance
    states: States
    at_least: int = 0
    at_most: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", frozen(self.states, np.uint8))
        if self.states.shape != self.acceptance.values.shape:
            raise InputError("a decision rule must have one state for each category")
        if (self.states > max(State)).any():
            raise InputError(f"a category's state must be a number from 0 to {max(State).value}")
        most = self.at_least if self.at_most is None else self.at_most
        if not 0 <= self.at_least <= most or self.at_most == 0:
            raise UsageError(
                "at_least must be 0 or more, and at_most 1 or more and no less than at_least; got "
                f"at_least={self.at_least!r} and at_most={self.at_most!r}"
            )

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.states)

    @property
    def thresholds(self) -> Floats | None:
        """The threshold of each category, or None where shares of a batch decide."""
        return None if self.acceptance.whole_batch else self.acceptance.values

    @property
    def whole_batch(self) -> bool:
        """True if all documents have to be decided in one call."""
        return self.acceptance.whole_batch

    def decide(self, scores: ArrayLike) -> Csr:
        """Decide on every document and category; ``scores`` are documents × categories.

        Linear in the scores; memory beyond them is a byte for each, and the decisions.
        """
        import scipy.sparse as sp

        from postil.vectors.matrices import index_type

        # SciPy's own conversion of a dense array is slow for a single document.
        accepted = self.accept(scores)
        columns = np.nonzero(accepted)[1]
        starts = np.zeros(len(accepted) + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(accepted, axis=1), out=starts[1:])
        index = index_type(len(columns))
        arrays = np.ones(len(columns), np.bool_), columns.astype(index), starts.astype(index)
        decisions: Csr = sp.csr_matrix(arrays, shape=accepted.shape)
        decisions.has_canonical_format = True
        return decisions

    def accept(self, scores: ArrayLike, allowed: Flags | None = None) -> Flags:
        """Decide as :meth:`decide` does, and return a dense array: faster for few documents.

        Parameters
        ----------
        scores:
            Documents × categories.
        allowed:
            True for each category that may be given; all may, by default. The best of these fill
            the places of a document.
        """
        values = checked_scores(scores, categories=self.categories)
        accepted = self.acceptance.accept(values)
        if allowed is not None:
            accepted &= allowed
        counts = np.count_nonzero(accepted, axis=1)
        if self.at_most is not None:
            rows = np.flatnonzero(counts > self.at_most)
            rank = np.where(accepted[rows], self.acceptance.excess(values[rows]), -np.inf)
            accepted[rows] = best_of_rows(rank, self.at_most)
        if self.at_least > 0:
            rows = np.flatnonzero(counts < self.at_least)
            never = self.acceptance.never
            if allowed is not None:
                never = never | ~allowed
            rank = np.where(never, -np.inf, self.acceptance.excess(values[rows]))
            rank[accepted[rows]] = np.inf
            accepted[rows] = best_of_rows(rank, self.at_least) & ~never
        return accepted

    def in_state(self, state: State) -> tuple[int, ...]:
        """Return the columns of the categories in a state."""
        return tuple(np.flatnonzero(self.states == state).tolist())

    def untuned(self, categories: int) -> Flags:
        """Flag those of ``categories`` that the rule was not tuned for.

        They are the constant categories, and those beyond the rule's own.
        """
        unknown = np.ones(categories, dtype=np.bool_)
        unknown[: self.categories] = np.isin(self.states, (State.NO_MEMBERS, State.ALL_MEMBERS))
        return unknown

    def notes(self, names: Sequence[str]) -> tuple[str, ...]:
        """Write a sentence for each category whose threshold the rule itself did not set."""
        if len(names) != self.categories:
            raise UsageError(f"received {len(names)} names for {self.categories} categories")
        return tuple(
            f"{names[column]}: {sentence}"
            for state, sentence in SENTENCES.items()
            for column in self.in_state(state)
        )

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Take the rule apart for a file: settings that JSON can hold, and arrays."""
        settings = {
            "kind": self.acceptance.kind,
            "spec": self.spec,
            "at_least": self.at_least,
            "at_most": self.at_most,
        }
        return settings, {"values": self.acceptance.values, "states": self.states}

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> DecisionRule:
        """Restore a rule from the result of :meth:`to_parts`, or raise InputError."""
        kind, at_least, at_most = map(settings.get, ("kind", "at_least", "at_most"))
        if not isinstance(kind, str) or kind not in ACCEPTANCES:
            raise InputError(f"the stored decision rule is of an unknown kind, {kind!r}")
        if not isinstance(at_least, int) or not isinstance(at_most, int | None):
            raise InputError(
                "the stored decision rule is damaged: at_least and at_most must be counts"
            )
        acceptance = ACCEPTANCES[kind](stored_array(arrays, "values", np.float64))
        states = stored_array(arrays, "states", np.uint8)
        try:
            return cls(str(settings.get("spec")), acceptance, states, at_least, at_most)
        except UsageError as error:
            raise InputError(f"the stored decision rule is damaged: {error}") from error


def stored_array(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    dtype: type[np.generic],
    length: int | None = None,
) -> NDArray[Any]:
    """Return the one-dimensional array ``name`` of a file, after a check of type and length."""
    array = arrays.get(name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        got = "nothing" if array is None else f"{array.ndim} dimensions of {array.dtype}"
        raise InputError(
            f"stored decisions are damaged: {name!r} should be a row of {dtype.__name__}, got {got}"
        )
    if length is not None and len(array) != length:
        raise InputError(
            f"stored decisions are damaged: {name!r} should have {length} entries, has {len(array)}"
        )
    return array

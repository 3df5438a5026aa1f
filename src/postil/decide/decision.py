"""A fitted decision rule: scores in, memberships out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from postil.decide.acceptance import ACCEPTANCES, Acceptance
from postil.decide.inputs import Csr, Flags, Floats, checked_scores, checked_width, frozen
from postil.decide.parts import stored
from postil.decide.ranking import best_of_rows
from postil.decide.states import SENTENCES, State
from postil.decide.tuning import States
from postil.errors import InputError, UsageError
from postil.vectors.matrices import index_type


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRule:
    """What ``fit_rule`` made of a spec; it cannot be changed.

    A document gets the categories that ``acceptance`` accepts; then of those the best
    ``at_most``, and the best of all others until it has ``at_least``. Best is what exceeds its
    threshold by most (with shares: what scores highest), of equals the category in the lower
    column. A category that is never given does not fill a place either, so a document has fewer
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
            raise InputError("a decision rule has one state for each category")
        if (self.states > max(State)).any():
            raise InputError(f"a category's state is a number from 0 to {max(State).value}")
        most = self.at_least if self.at_most is None else self.at_most
        if not 0 <= self.at_least <= most or self.at_most == 0:
            raise UsageError(
                "a document gets at least 0 categories or more, and at most 1 or more and no "
                f"fewer than that; got at_least={self.at_least!r} and at_most={self.at_most!r}"
            )

    @property
    def categories(self) -> int:
        """How many categories are decided on."""
        return len(self.states)

    @property
    def thresholds(self) -> Floats | None:
        """The threshold of each category, or None where shares of a batch decide."""
        return None if self.acceptance.whole_batch else self.acceptance.values

    @property
    def whole_batch(self) -> bool:
        """Whether all documents have to be decided in one call."""
        return self.acceptance.whole_batch

    def decide(self, scores: ArrayLike) -> Csr:
        """Decide on every document and category; ``scores`` are documents × categories.

        Linear in the scores; memory beyond them is a byte for each, and the decisions.
        """
        return _sparse(self.accept(scores))

    def accept(self, scores: ArrayLike) -> Flags:
        """Do what :meth:`decide` does, and return a dense array: quicker for few documents."""
        values = checked_width(checked_scores(scores), self.categories, "the decision rule")
        accepted = self.acceptance.accept(values)
        counts = np.count_nonzero(accepted, axis=1)
        if self.at_most is not None:
            self._trim(accepted, values, np.flatnonzero(counts > self.at_most), self.at_most)
        if self.at_least > 0:
            self._fill(accepted, values, np.flatnonzero(counts < self.at_least))
        return accepted

    def _trim(self, accepted: Flags, values: Floats, rows: NDArray[np.intp], at_most: int) -> None:
        """Keep the best of what the rows have."""
        had = accepted[rows]
        rank = np.where(had, self.acceptance.excess(values[rows]), -np.inf)
        accepted[rows] = best_of_rows(rank, at_most)

    def _fill(self, accepted: Flags, values: Floats, rows: NDArray[np.intp]) -> None:
        """Add the best of what the rows do not have."""
        had, never = accepted[rows], self.acceptance.never
        rank = np.where(never, -np.inf, self.acceptance.excess(values[rows]))
        rank[had] = np.inf
        accepted[rows] = best_of_rows(rank, self.at_least) & ~never

    def in_state(self, state: State) -> tuple[int, ...]:
        """List the columns of the categories in a state."""
        return tuple(np.flatnonzero(self.states == state).tolist())

    def notes(self, names: Sequence[str]) -> tuple[str, ...]:
        """Write a sentence for each category that did not get what the rule gives the others."""
        if len(names) != self.categories:
            raise UsageError(f"{len(names)} names for {self.categories} categories")
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
        """Restore what :meth:`to_parts` gave; parts that are no rule are refused."""
        kind, at_least, at_most = map(settings.get, ("kind", "at_least", "at_most"))
        if not isinstance(kind, str) or kind not in ACCEPTANCES:
            raise InputError(f"the stored decision rule is of an unknown kind, {kind!r}")
        if not isinstance(at_least, int) or not isinstance(at_most, int | None):
            raise InputError("the stored decision rule is damaged: at_least and at_most are counts")
        acceptance = ACCEPTANCES[kind](stored(arrays, "values", np.float64))
        states = stored(arrays, "states", np.uint8)
        try:
            return cls(str(settings.get("spec")), acceptance, states, at_least, at_most)
        except UsageError as error:
            raise InputError(f"the stored decision rule is damaged: {error}") from error


def _sparse(accepted: Flags) -> Csr:
    # SciPy takes a detour of its own from a dense array, long for a single document.
    columns = np.nonzero(accepted)[1]
    starts = np.zeros(len(accepted) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(accepted, axis=1), out=starts[1:])
    index = index_type(len(columns))
    arrays = np.ones(len(columns), np.bool_), columns.astype(index), starts.astype(index)
    decisions = sp.csr_matrix(arrays, shape=accepted.shape)
    decisions.has_canonical_format = True
    return decisions

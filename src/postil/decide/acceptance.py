"""What a fitted rule compares scores with: a threshold, or a share of the documents at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from postil.decide.inputs import Flags, Floats, frozen
from postil.decide.ranking import best_of_rows
from postil.errors import InputError


class Acceptance(Protocol):
    """One number per category, and how scores pass it."""

    kind: ClassVar[str]
    whole_batch: ClassVar[bool]

    @property
    def values(self) -> Floats:
        """The number of each category."""
        ...

    @property
    def never(self) -> Flags:
        """Say which categories are given to no document, however it scores."""
        ...

    def accept(self, scores: Floats) -> Flags:
        """Flag the scores that pass."""
        ...

    def excess(self, scores: Floats) -> Floats:
        """Order the categories of a document: by how much it favours each."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """A document is given the categories whose threshold its score reaches.

    Each document is decided for itself. A threshold of +inf is never reached, -inf always.
    """

    kind: ClassVar[str] = "thresholds"
    whole_batch: ClassVar[bool] = False
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values, np.float64))
        if self.values.ndim != 1 or np.isnan(self.values).any():
            raise InputError("thresholds are one number per category, none of them NaN")

    @property
    def never(self) -> Flags:
        """Categories with a threshold of +inf."""
        return np.isposinf(self.values)

    def accept(self, scores: Floats) -> Flags:
        """Flag ``score >= threshold``; linear in the scores."""
        return scores >= self.values

    def excess(self, scores: Floats) -> Floats:
        """``score - threshold``: how far beyond what its category asks for."""
        with np.errstate(over="ignore"):
            return scores - self.values


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Each category goes to the documents that score highest for it: a share of the batch.

    Of n documents ``⌊share·n + 1/2⌋`` get it, of equal scores the earlier documents. So a
    decision depends on the other documents: all of them have to be decided together.
    """

    kind: ClassVar[str] = "shares"
    whole_batch: ClassVar[bool] = True
    values: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values, np.float64))
        inside = (self.values >= 0) & (self.values <= 1)
        if self.values.ndim != 1 or not inside.all():
            raise InputError("shares are one number from 0 to 1 per category")

    @property
    def never(self) -> Flags:
        """Categories with a share of 0."""
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
        """Take the scores themselves."""
        return scores


ACCEPTANCES: dict[str, type[Thresholds] | type[Shares]] = {
    acceptance.kind: acceptance for acceptance in (Thresholds, Shares)
}

"""Arrays that come back from a file are looked at before they are believed.

How each category came by its threshold, so that a report can name the unusual ones.

Calibrations that the learner's own loss gives: nothing is fitted, and nothing kept.

The native calibration of a model fitted with logistic loss.

The native calibration of a model fitted with the probit loss.

The native calibration of a polychotomous model.

Probabilities that know how uncertain a score is (MacKay 1992, "The evidence framework").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr

from postil.common.types import Floats
from postil.decide.evidence import Needs, TrainingSet
from postil.decide.inputs import checked_scores, checked_width
from postil.errors import InputError, UsageError

if TYPE_CHECKING:
    from postil.decide.calibration import Calibration


def stored(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    dtype: type[np.generic],
    length: int | None = None,
) -> NDArray[Any]:
    """Take the one-dimensional array ``name``, of this type and, if said, this length."""
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


class State(IntEnum):
    """What a rule could do for one category; the numbers are those of the model file."""

    FITTED = 0
    """The rule's own answer."""
    NO_MEMBERS = 1
    """No training document is in the category: it is never given."""
    ALL_MEMBERS = 2
    """Every training document is in the category: it is always given."""
    FALLBACK = 3
    """Its scores tell too little to tune on: the fallback took over."""
    UNTUNED = 4
    """It came with an update, and there was nothing to tune on: its threshold is 0."""


SENTENCES = {
    State.NO_MEMBERS: "no training document has it, so it is never given",
    State.ALL_MEMBERS: "every training document has it, so it is always given",
    State.FALLBACK: "its out-of-fold scores are too poor to tune on, so the fallback decides",
    State.UNTUNED: "it came with an update, so its threshold is 0 and was not tuned",
}


@dataclass(frozen=True, slots=True)
class Unfitted:
    """A function of the scores that no document changes; ``link`` says which."""

    kind: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    def link(self, scores: Floats) -> Floats:
        """Probabilities of checked scores, documents × categories."""
        raise NotImplementedError

    @classmethod
    def fit(cls, training: TrainingSet) -> Self:
        """Nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Turn scores, documents × categories, into probabilities; linear in the scores."""
        return self.link(self.checked(scores))

    def checked(self, scores: ArrayLike) -> Floats:
        """Scores of as many categories as there are."""
        return checked_width(checked_scores(scores), self.categories, "the calibration")

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """There is nothing to keep."""
        return {}

    def renewed(self, categories: int, shares: Mapping[int, float]) -> Self:  # noqa: ARG002
        """For so many categories: any score has its probability."""
        return type(self)(categories)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Self:  # noqa: ARG003
        """Restore from the number of categories alone."""
        return cls(categories)


@dataclass(frozen=True, slots=True)
class Logistic(Unfitted):
    """``1 / (1 + exp(-score))``: the score of a logistic model is the logarithm of the odds."""

    kind: ClassVar[str] = "logistic"
    help: ClassVar[str] = "1/(1+exp(-score)), native for logistic loss"

    def link(self, scores: Floats) -> Floats:
        """The share that the odds stand for."""
        probabilities: Floats = expit(scores)
        return probabilities


@dataclass(frozen=True, slots=True)
class Probit(Unfitted):
    """``Φ(score)``, the normal distribution function: what a probit model means by its score."""

    kind: ClassVar[str] = "probit"
    help: ClassVar[str] = "Φ(score), native for probit loss"

    def link(self, scores: Floats) -> Floats:
        """The share of a normal distribution under the score."""
        probabilities: Floats = ndtr(scores)
        return probabilities


@dataclass(frozen=True, slots=True)
class Softmax(Unfitted):
    """``exp(scoreₖ) / Σ exp(score)``: a document has exactly one category, and they sum to 1.

    Unlike the other calibrations this one looks at all categories of a document together.
    """

    kind: ClassVar[str] = "softmax"
    help: ClassVar[str] = "exp(score) over their sum, native for polychotomous learning"

    def link(self, scores: Floats) -> Floats:
        """Shares of a document's categories."""
        highest = scores.max(axis=1, keepdims=True, initial=-np.inf)
        with np.errstate(over="ignore", under="ignore"):
            powers: Floats = np.exp(scores - highest)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    def log_probabilities(self, scores: ArrayLike) -> Floats:
        """Scores that may be compared between documents, which those of one document may be."""
        values = self.checked(scores)
        return values - np.logaddexp.reduce(values, axis=1, keepdims=True)


@dataclass(frozen=True, slots=True)
class Moderated(Logistic):
    """``1 / (1 + exp(-s))`` of moderated scores s, which :func:`moderated_scores` makes."""

    kind: ClassVar[str] = "moderated"
    help: ClassVar[str] = "as logistic, drawn to 1/2 where the weights of a text are uncertain"


def needs_variances(calibration: Calibration | None) -> bool:
    """Whether a calibration is asked with moderated scores."""
    return calibration is not None and calibration.kind == Moderated.kind


def moderated_scores(scores: ArrayLike, variances: ArrayLike | None) -> Floats:
    """Scores drawn to 0 by how uncertain they are; both are documents × categories.

    Where a score is a Gaussian of mean s and variance v, the mean of 1/(1 + exp(-score)) is near
    1/(1 + exp(-κ s)), κ = 1/√(1 + π v/8) (MacKay 1992). The sign stays, the order may change.
    """
    if variances is None:
        raise UsageError(
            "moderated probabilities need the variances of the scores: ask the predictor for them"
        )
    values = checked_scores(scores)
    spread = checked_scores(variances, "variances of scores")
    if spread.shape != values.shape or (spread < 0).any():
        raise UsageError(
            f"variances of scores are numbers of 0 or more, one for each of "
            f"{' × '.join(map(str, values.shape))} scores"
        )
    moderated: Floats = values / np.sqrt(1.0 + np.pi / 8.0 * spread)
    return moderated

"""Calibrations turn scores into probabilities: the registry, and those that need no fitting.

A calibration is a rising function of the score for each category, or one of all categories
together. The learner's own loss gives some of them (logistic, probit, softmax); those that are
fitted to out-of-fold scores are in ``postil.decide.fitted_calibration`` and
``postil.decide.shared_calibration``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil.common.suggest import advice
from postil.common.types import Floats, Ints
from postil.decide.decision import DecisionRule, State
from postil.decide.fitted_calibration import Isotonic, Platt
from postil.decide.scores import Needs, Scores, Sparse, TrainingSet, checked_scores
from postil.decide.shared_calibration import Hierarchical, Joint
from postil.errors import InputError, SpecError, UsageError


@dataclass(frozen=True, slots=True)
class _Unfitted:
    """A function of the scores that no document changes; ``_link`` computes it."""

    kind: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[Needs] = Needs.NOTHING
    categories: int

    def _link(self, scores: Floats) -> Floats:
        raise NotImplementedError

    @classmethod
    def fit(cls, training: TrainingSet) -> Self:
        """Return the calibration of as many categories; nothing is fitted."""
        return cls(training.categories)

    def probabilities(self, scores: ArrayLike) -> Floats:
        """Return probabilities of scores, documents × categories; linear in the scores."""
        return self._link(checked_scores(scores, categories=self.categories))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return no arrays: there is nothing to keep."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], categories: int) -> Self:  # noqa: ARG003
        """Restore a calibration from the number of categories."""
        return cls(categories)

    def resized(self, categories: int, shares: Mapping[int, float]) -> Self:  # noqa: ARG002
        """Return the calibration of more categories."""
        return type(self)(categories)


@dataclass(frozen=True, slots=True)
class Logistic(_Unfitted):
    """``1 / (1 + exp(-score))``: the score of a logistic model is the logarithm of the odds."""

    kind: ClassVar[str] = "logistic"
    help: ClassVar[str] = "1/(1+exp(-score)), native for logistic loss"

    def _link(self, scores: Floats) -> Floats:
        from scipy.special import expit

        probabilities: Floats = expit(scores)
        return probabilities


@dataclass(frozen=True, slots=True)
class Probit(_Unfitted):
    """``Φ(score)``, the normal distribution function, which a probit model is fitted with."""

    kind: ClassVar[str] = "probit"
    help: ClassVar[str] = "Φ(score), native for probit loss"

    def _link(self, scores: Floats) -> Floats:
        from scipy.special import ndtr

        probabilities: Floats = ndtr(scores)
        return probabilities


@dataclass(frozen=True, slots=True)
class Softmax(_Unfitted):
    """``exp(scoreₖ) / Σ exp(score)``: a document has exactly one category, and they sum to 1.

    Unlike the other calibrations this one looks at all categories of a document together.
    """

    kind: ClassVar[str] = "softmax"
    help: ClassVar[str] = "exp(score) over their sum, native for polychotomous learning"

    def _link(self, scores: Floats) -> Floats:
        highest = scores.max(axis=1, keepdims=True, initial=-np.inf)
        with np.errstate(over="ignore", under="ignore"):
            powers: Floats = np.exp(scores - highest)
        powers /= powers.sum(axis=1, keepdims=True)
        return powers

    def log_probabilities(self, scores: ArrayLike) -> Floats:
        """Return scores that can be compared between documents; raw scores cannot."""
        values = checked_scores(scores, categories=self.categories)
        return values - np.logaddexp.reduce(values, axis=1, keepdims=True)


@dataclass(frozen=True, slots=True)
class Moderated(Logistic):
    """``1 / (1 + exp(-s))`` of moderated scores s, which :func:`moderated_scores` makes."""

    kind: ClassVar[str] = "moderated"
    help: ClassVar[str] = "as logistic, drawn to 1/2 where the weights of a text are uncertain"


Calibration: TypeAlias = Logistic | Platt | Isotonic | Joint | Moderated | Softmax | Probit

CALIBRATIONS: dict[str, type[Calibration]] = {
    calibration.kind: calibration
    for calibration in (
        Logistic,
        Hierarchical,
        Joint,
        Platt,
        Isotonic,
        Moderated,
        Softmax,
        Probit,
    )
}


def needs_variances(calibration: Calibration | None) -> bool:
    """Return True if a calibration takes moderated scores."""
    return isinstance(calibration, Moderated)


def moderated_scores(scores: ArrayLike, variances: ArrayLike | None) -> Floats:
    """Draw scores to 0 by their uncertainty; both arrays are documents × categories.

    Where a score is a Gaussian of mean s and variance v, the mean of 1/(1 + exp(-score)) is near
    1/(1 + exp(-κ s)), κ = 1/√(1 + π v/8) (MacKay 1992, "The evidence framework"). The sign stays,
    the order may change.
    """
    if variances is None:
        raise UsageError(
            "moderated probabilities need the variances of the scores: ask the predictor for them"
        )
    values = checked_scores(scores)
    spread = checked_scores(variances, "variances of scores")
    if spread.shape != values.shape or (spread < 0).any():
        raise UsageError(
            f"variances of scores must be numbers of 0 or more, one for each of "
            f"{' × '.join(map(str, values.shape))} scores"
        )
    moderated: Floats = values / np.sqrt(1.0 + np.pi / 8.0 * spread)
    return moderated


def probabilities_of(calibration: Calibration, rule: DecisionRule, scores: Floats) -> Floats:
    """Return probabilities that agree with a rule on the categories that it always or never gives.

    A category that all training documents have, or none of them, is decided whatever the score:
    its probability is 1 or 0.
    """
    probabilities = calibration.probabilities(scores)
    for state, certain in _CERTAIN.items():
        probabilities[:, rule.states == state] = certain
    return probabilities


_CERTAIN = {State.ALL_MEMBERS: 1.0, State.NO_MEMBERS: 0.0}


def rankings_of(calibration: Calibration | None, scores: Floats) -> Floats:
    """Return values that rank documents within a category.

    These are the scores, or for one model of all classes, whose scores only compare within a
    document, logarithms of probabilities.
    """
    if not isinstance(calibration, Softmax):
        return scores
    return calibration.log_probabilities(scores)


def calibration_needs(kind: str) -> Needs:
    """Return the scores that a kind of calibration is fitted to."""
    return _named(kind).needs


def fit_calibration(
    kind: str,
    scores: Scores | None,
    truth: Sparse,
    weights: NDArray[np.float64] | None = None,
) -> Calibration:
    """Fit a calibration of all categories.

    Cost: documents × categories, times the logarithm of documents for ``isotonic`` and a few Newton
    steps for ``platt``.

    Parameters
    ----------
    kind:
        Name of a calibration of ``CALIBRATIONS``.
    scores:
        ``OutOfFoldScores`` of the training documents for ``hierarchical``, ``joint``, ``platt`` and
        ``isotonic``; the others need none.
    truth:
        Sparse indicator of memberships, training documents × categories.
    weights:
        Sample weights of the documents.
    """
    calibration = _named(kind)
    training = TrainingSet.of(f"calibration {kind}", calibration.needs, scores, truth, weights)
    return calibration.fit(training)


def updated_calibration(
    calibration: Calibration, rule: DecisionRule, members: Ints, documents: int
) -> Calibration:
    """Return the calibration after an update of the model.

    A category that the rule was not tuned for has no scores to fit to: its probability is its share
    of the documents, whatever the score. All others stay as they are.

    Parameters
    ----------
    calibration, rule:
        The calibration and the decision rule from before the update.
    members:
        Number of members of each category, after the update.
    documents:
        Number of documents in all, after the update.
    """
    unknown = np.flatnonzero(rule.untuned(len(members))).tolist()
    shares = {category: float(members[category]) / documents for category in unknown}
    return calibration.resized(len(members), shares)


def calibration_to_parts(
    calibration: Calibration,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a calibration apart for a file: settings that JSON can hold, and arrays."""
    settings = {"kind": calibration.kind, "categories": calibration.categories}
    return settings, calibration.to_arrays()


def calibration_from_parts(
    settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Calibration:
    """Restore a calibration from :func:`calibration_to_parts`, or raise InputError."""
    kind, categories = settings.get("kind"), settings.get("categories")
    known = isinstance(kind, str) and kind in CALIBRATIONS
    if not known or not isinstance(categories, int) or categories < 0:
        raise InputError(
            f"the stored calibration is damaged or newer: kind {kind!r} for {categories!r} "
            f"categories; known kinds: {', '.join(CALIBRATIONS)}"
        )
    return CALIBRATIONS[str(kind)].from_arrays(arrays, categories)


def _named(kind: str) -> type[Calibration]:
    if not isinstance(kind, str) or kind not in CALIBRATIONS:
        raise SpecError(f"no calibration is called {kind!r}{advice(str(kind), CALIBRATIONS)}")
    return CALIBRATIONS[kind]

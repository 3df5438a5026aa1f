"""The decision rules by name: what each is fitted to, and how.

A rule is an entry of ``RULES``: to add one, write a function from the training set to an
acceptance and register it. ``postil.decide.spec`` reads and writes them as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from postil.decide.calibrators import State
from postil.decide.cuts import (
    BREAK_EVEN,
    FEWEST_ERRORS,
    FEWEST_SHARES_OF_ERRORS,
    HIGHEST_F1,
    HIGHEST_F_BETA,
    HIGHEST_NET,
    HIGHEST_PRECISION,
    HIGHEST_RECALL,
    Objective,
)
from postil.decide.decision import Acceptance, Shares, Thresholds
from postil.decide.evidence import Needs, TrainingSet
from postil.decide.tuning import (
    Fallback,
    States,
    constant_categories,
    constant_thresholds,
    pooled_thresholds,
    tuned_thresholds,
)


class Fitted(NamedTuple):
    """What fitting finds out for each category."""

    acceptance: Acceptance
    states: States


Fit: TypeAlias = Callable[[TrainingSet, float, Fallback | None], Fitted]


@dataclass(frozen=True, slots=True)
class Parameter:
    """The number in a rule's parentheses; it must be given where there is no default."""

    meaning: str
    least: float
    most: float
    default: float | None = None
    whole: bool = False
    above_least: bool = False

    def allows(self, number: float) -> bool:
        """Say whether the number is in range."""
        whole = not self.whole or number == int(number)
        inside = self.least <= number <= self.most and np.isfinite(number)
        return bool(inside and whole and not (self.above_least and number == self.least))

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        if self.least == -np.inf:
            return noun
        start = f"above {self.least:g}" if self.above_least else f"from {self.least:g}"
        return f"{noun} {start}" + (f" to {self.most:g}" if self.most < np.inf else " up")


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to decide: its name, what it is fitted to and how, and what it may be told.

    ``fit`` gets the parameter (0 where there is none) and the fallback (None where the rule
    has none). ``counts`` says that the parameter is how many categories each document gets.
    """

    name: str
    help: str
    needs: Needs
    fit: Fit
    parameter: Parameter | None = None
    falls_back: bool = False
    counts: bool = False


def _fixed(training: TrainingSet, value: float, _: Fallback | None) -> Fitted:
    states = constant_categories(training)
    return Fitted(Thresholds(constant_thresholds(states, value)), states)


def _places(training: TrainingSet, _: float, fallback: Fallback | None) -> Fitted:
    # How many places there are decides; with one threshold for all, excess is the score.
    return _fixed(training, 0.0, fallback)


def _tuning(objective: Objective) -> Fit:
    def fit(training: TrainingSet, target: float, fallback: Fallback | None) -> Fitted:
        thresholds, states = tuned_thresholds(training, objective, target, fallback)
        return Fitted(Thresholds(thresholds), states)

    return fit


def _proportional(training: TrainingSet, factor: float, _: Fallback | None) -> Fitted:
    """Take the prior times the factor; Yang (2001) writes the factor as x·m/n.

    There k = P(c)·x·m documents of n get category c, with m categories and x to be tuned.
    """
    states = constant_categories(training)
    shares = np.minimum(training.priors() * factor, 1.0)
    shares[states == State.ALL_MEMBERS] = 1.0
    return Fitted(Shares(shares), states)


def _together(beta: float | None) -> Fit:
    def fit(training: TrainingSet, given: float, fallback: Fallback | None) -> Fitted:
        weight = given if beta is None else beta
        thresholds, states = pooled_thresholds(training, weight, fallback)
        return Fitted(Thresholds(thresholds), states)

    return fit


def out_of_fold_rule(
    name: str, help: str, fit: Objective | Fit, parameter: Parameter | None = None
) -> Rule:
    """Make a rule that is tuned out of fold: for an objective, or as a function fits it."""
    how = _tuning(fit) if isinstance(fit, Objective) else fit
    return Rule(name, help, Needs.OUT_OF_FOLD, how, parameter=parameter, falls_back=True)


def _least(meaning: str) -> Parameter:
    return Parameter(meaning, 0, 1, above_least=True)


_BETA = Parameter("beta, recall's weight beside precision", 0, np.inf, above_least=True)
_PRICE = Parameter(
    "what a wrong acceptance costs if a missed member costs 1", 0, np.inf, above_least=True
)

_REGISTERED = (
    Rule(
        "default",
        "score at or above 0, or another number: of scores, not of probabilities",
        Needs.NOTHING,
        _fixed,
        Parameter("the threshold of every category", -np.inf, np.inf, default=0.0),
    ),
    Rule(
        "training-error",
        "fewest errors on the training documents (zhang-oles-2001, section 4.2)",
        Needs.TRAINING,
        _tuning(FEWEST_ERRORS),
    ),
    out_of_fold_rule("f1", "highest F1 out of fold", HIGHEST_F1),
    out_of_fold_rule("error", "fewest errors out of fold", FEWEST_ERRORS),
    out_of_fold_rule(
        "precision",
        "highest recall at a stated precision, out of fold",
        HIGHEST_RECALL,
        _least("the least precision"),
    ),
    out_of_fold_rule(
        "recall",
        "highest precision at a stated recall, out of fold",
        HIGHEST_PRECISION,
        _least("the least recall"),
    ),
    out_of_fold_rule("break-even", "precision equal to recall, out of fold", BREAK_EVEN),
    out_of_fold_rule("f-beta", "highest F-beta out of fold", HIGHEST_F_BETA, _BETA),
    out_of_fold_rule("cost", "lowest cost of errors out of fold", HIGHEST_NET, _PRICE),
    out_of_fold_rule(
        "balanced-error",
        "fewest errors out of fold, members and others weighing the same",
        FEWEST_SHARES_OF_ERRORS,
    ),
    out_of_fold_rule(
        "micro-f1", "highest F1 of all categories together, out of fold", _together(1.0)
    ),
    out_of_fold_rule(
        "micro-f-beta",
        "highest F-beta of all categories together, out of fold",
        _together(None),
        _BETA,
    ),
    Rule(
        "best",
        "the one category that scores highest",
        Needs.NOTHING,
        _places,
        counts=True,
    ),
    Rule(
        "rank",
        "the k categories that score highest (RCut, Yang 2001)",
        Needs.NOTHING,
        _places,
        Parameter("how many categories a document gets", 1, 2**31 - 1, whole=True),
        counts=True,
    ),
    Rule(
        "proportional",
        "as many documents as training has of the category, times a factor (PCut, Yang 2001); "
        "needs all documents at once",
        Needs.NOTHING,
        _proportional,
        Parameter("the factor", 0, np.inf, default=1.0, above_least=True),
    ),
)

RULES: dict[str, Rule] = {rule.name: rule for rule in _REGISTERED}

"""The decision rules by name: what each is fitted to, and how.

A rule is an entry of ``RULES``: to add one, write a function from the training set to an
acceptance and register it. ``postil.decide.spec`` reads and writes them as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from postil.decide.acceptance import Acceptance, Shares, Thresholds
from postil.decide.evidence import Needs, TrainingSet
from postil.decide.fallback import Fallback
from postil.decide.objectives import (
    BREAK_EVEN,
    FEWEST_ERRORS,
    HIGHEST_F1,
    HIGHEST_PRECISION,
    HIGHEST_RECALL,
    Objective,
)
from postil.decide.states import State
from postil.decide.tuning import (
    States,
    constant_categories,
    constant_thresholds,
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


def _out_of_fold(name: str, help: str, objective: Objective, target: str | None = None) -> Rule:
    parameter = None if target is None else Parameter(target, 0, 1, above_least=True)
    return Rule(
        name, help, Needs.OUT_OF_FOLD, _tuning(objective), parameter=parameter, falls_back=True
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
    _out_of_fold("f1", "highest F1 out of fold", HIGHEST_F1),
    _out_of_fold("error", "fewest errors out of fold", FEWEST_ERRORS),
    _out_of_fold(
        "precision",
        "highest recall at a stated precision, out of fold",
        HIGHEST_RECALL,
        "the least precision",
    ),
    _out_of_fold(
        "recall",
        "highest precision at a stated recall, out of fold",
        HIGHEST_PRECISION,
        "the least recall",
    ),
    _out_of_fold("break-even", "precision equal to recall, out of fold", BREAK_EVEN),
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

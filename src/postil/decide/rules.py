"""The decision rules by name, as text, and their fitting.

A rule is an entry of ``RULES``: to add one, write a function from the training set to an acceptance
and register it. As text, a rule has its number in parentheses if it takes one, and then any of
``fbr.0(floor)``, ``fbr.1(floor)`` or ``few(members)`` (if the rule is tuned out of fold),
``at-least(m)`` and ``at-most(k)``: ``f1``, ``precision(0.9) fbr.0(0.2)``, ``default at-least(1)``.
Parts left out have their defaults, and the canonical text leaves those out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postil.common.suggest import advice
from postil.common.types import Ints
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
from postil.decide.decision import DecisionRule, Shares, State, Thresholds
from postil.decide.floors import tuned_floor
from postil.decide.scores import Csc, Needs, Scores, Sparse, TrainingSet
from postil.decide.shared_calibration import Hierarchical, best_probability
from postil.decide.tuning import (
    CONSTANT_THRESHOLDS,
    FALLBACKS,
    Fallback,
    Fitted,
    Parameter,
    constant_categories,
    constant_thresholds,
    tuned,
    tuned_together,
)
from postil.errors import SpecError

Fit: TypeAlias = Callable[[TrainingSet, float, Fallback | None], Fitted]


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to decide: its name, the scores it needs, its fitting and its parameter.

    ``fit`` gets the parameter (0 if the rule takes none) and the fallback (None if the rule has
    none). In a rule with ``counts`` the parameter is the number of categories of each document.
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
    return Thresholds(constant_thresholds(states, value)), states


def _places(training: TrainingSet, _: float, fallback: Fallback | None) -> Fitted:
    # The number of places decides; with one threshold for all, excess is the score.
    return _fixed(training, 0.0, fallback)


def _proportional(training: TrainingSet, factor: float, _: Fallback | None) -> Fitted:
    """Take the prior times the factor; Yang (2001) writes the factor as x·m/n.

    There k = P(c)·x·m documents of n get category c, with m categories and x to be tuned.
    """
    states = constant_categories(training)
    shares = np.minimum(training.priors() * factor, 1.0)
    shares[states == State.ALL_MEMBERS] = 1.0
    return Shares(shares), states


def _probability(training: TrainingSet, least: float, _: Fallback | None) -> Fitted:
    """Give labels from one probability on, that of highest F1 or the stated one.

    The probabilities are those of the calibration ``hierarchical``, and agree with the decisions.
    """
    states = constant_categories(training)
    calibration = Hierarchical.fit(training)
    fitted = states == State.FITTED
    least = least or best_probability(training, calibration, fitted)
    thresholds = constant_thresholds(states)
    thresholds[fitted] = calibration.thresholds(least)[fitted]
    return Thresholds(thresholds), states


def _tuning(objective: Objective) -> Fit:
    return lambda training, target, fallback: tuned(training, objective, target, fallback)


def out_of_fold_rule(
    name: str, help: str, fit: Objective | Fit, parameter: Parameter | None = None
) -> Rule:
    """Return a rule that is tuned out of fold: for an objective, or by a function."""
    fitting = _tuning(fit) if isinstance(fit, Objective) else fit
    return Rule(name, help, Needs.OUT_OF_FOLD, fitting, parameter=parameter, falls_back=True)


_BETA = Parameter("beta, recall's weight beside precision", 0, np.inf, above_least=True)
_PRICE = Parameter(
    "what a wrong acceptance costs if a missed member costs 1", 0, np.inf, above_least=True
)
_PRECISION = Parameter("the least precision", 0, 1, above_least=True)
_RECALL = Parameter("the least recall", 0, 1, above_least=True)
_THRESHOLD = Parameter("the threshold of every category", -np.inf, np.inf, default=0.0)
_PLACES = Parameter("how many categories a document gets", 1, 2**31 - 1, whole=True)
_PROBABILITY = Parameter("the least probability, 0 for the best by F1", 0, 1, default=0.0)
_FACTOR = Parameter("the factor", 0, np.inf, default=1.0, above_least=True)

_REGISTERED = (
    Rule(
        "default",
        "score at or above 0, or another number: of scores, not of probabilities",
        Needs.NOTHING,
        _fixed,
        _THRESHOLD,
    ),
    Rule(
        "training-error",
        "fewest errors on the training documents (zhang-oles-2001, section 4.2)",
        Needs.TRAINING,
        _tuning(FEWEST_ERRORS),
    ),
    Rule(
        "probability",
        "calibrated probability at or above one number, by default that of highest micro-F1",
        Needs.OUT_OF_FOLD,
        _probability,
        _PROBABILITY,
    ),
    out_of_fold_rule("f1", "highest F1 out of fold", HIGHEST_F1),
    out_of_fold_rule("error", "fewest errors out of fold", FEWEST_ERRORS),
    out_of_fold_rule(
        "precision", "highest recall at a stated precision, out of fold", HIGHEST_RECALL, _PRECISION
    ),
    out_of_fold_rule(
        "recall", "highest precision at a stated recall, out of fold", HIGHEST_PRECISION, _RECALL
    ),
    Rule(
        "sure-precision",
        "highest recall at a precision that holds with 95 % confidence, out of fold",
        Needs.OUT_OF_FOLD,
        lambda training, floor, _: tuned_floor(training, floor, of_precision=True),
        _PRECISION,
    ),
    Rule(
        "sure-recall",
        "highest precision at a recall that holds with 95 % confidence, out of fold",
        Needs.OUT_OF_FOLD,
        lambda training, floor, _: tuned_floor(training, floor, of_precision=False),
        _RECALL,
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
        "micro-f1",
        "highest F1 of all categories together, out of fold",
        lambda training, _, fallback: tuned_together(training, 1.0, fallback),
    ),
    out_of_fold_rule(
        "micro-f-beta",
        "highest F-beta of all categories together, out of fold",
        tuned_together,
        _BETA,
    ),
    Rule("best", "the one category that scores highest", Needs.NOTHING, _places, counts=True),
    Rule(
        "rank",
        "the k categories that score highest (RCut, Yang 2001)",
        Needs.NOTHING,
        _places,
        _PLACES,
        counts=True,
    ),
    Rule(
        "proportional",
        "as many documents as training has of the category, times a factor (PCut, Yang 2001); "
        "needs all documents at once",
        Needs.NOTHING,
        _proportional,
        _FACTOR,
    ),
)

RULES: dict[str, Rule] = {rule.name: rule for rule in _REGISTERED}

_ITEM = re.compile(r"\s*([^\s()]+)(?:\(\s*([^\s()]+)\s*\))?(?=\s|$)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_LIMIT = Parameter("a number of categories", 1, 2**31 - 1, whole=True)
_MODIFIERS = {
    **{name: kind.parameter for name, kind in FALLBACKS.items()},
    "at-least": _LIMIT,
    "at-most": _LIMIT,
}


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """A rule with its parameter, fallback and limits; ``str`` is its text."""

    rule: Rule
    parameter: float = 0.0
    fallback: Fallback | None = None
    at_least: int = 0
    at_most: int | None = None

    @property
    def needs(self) -> Needs:
        """The scores the rule is fitted to."""
        return self.rule.needs

    def __str__(self) -> str:
        rule = self.rule
        default = rule.parameter is None or self.parameter == rule.parameter.default
        items = [rule.name if default else f"{rule.name}({_number(self.parameter)})"]
        if self.fallback is not None and self.fallback != Fallback():
            items.append(f"{self.fallback.kind}({_number(self.fallback.floor)})")
        # The name of a rule that counts already holds the number.
        if not self.rule.counts:
            if self.at_least > 0:
                items.append(f"at-least({self.at_least})")
            if self.at_most is not None:
                items.append(f"at-most({self.at_most})")
        return " ".join(items)


def parse_rule(spec: str) -> RuleSpec:
    """Read a rule from text, or raise SpecError that names the faulty part."""
    if not isinstance(spec, str):
        _refuse(spec, "a rule must be text, such as 'f1' or 'precision(0.9)'")
    (name, argument), *modifiers = _items(spec)
    if name not in RULES:
        _refuse(spec, f"no decision rule is called {name!r}{advice(name, RULES)}")
    rule = RULES[name]
    parsed = RuleSpec(
        rule,
        _argument(spec, name, rule.parameter, argument),
        Fallback() if rule.falls_back else None,
    )
    if rule.counts:
        places = int(parsed.parameter) if rule.parameter else 1
        parsed = replace(parsed, at_least=places, at_most=places)
    seen: set[str] = set()
    for modifier, number in modifiers:
        family = "fallback" if modifier in FALLBACKS else modifier
        if family in seen:
            _refuse(spec, f"{modifier!r} repeats an earlier part")
        seen.add(family)
        if modifier not in _MODIFIERS:
            _refuse(spec, f"{modifier!r} cannot follow a rule{advice(modifier, _MODIFIERS)}")
        if modifier in FALLBACKS and not rule.falls_back:
            _refuse(spec, f"{modifier} is for rules tuned out of fold, and {name!r} is not")
        if modifier not in FALLBACKS and rule.counts:
            _refuse(spec, f"{name!r} already sets the number of categories of a document")
        value = _argument(spec, modifier, _MODIFIERS[modifier], number)
        if modifier in FALLBACKS:
            parsed = replace(parsed, fallback=Fallback(modifier, value))
        elif modifier == "at-least":
            parsed = replace(parsed, at_least=int(value))
        else:
            parsed = replace(parsed, at_most=int(value))
    if parsed.at_most is not None and parsed.at_least > parsed.at_most:
        _refuse(spec, f"at least {parsed.at_least} and at most {parsed.at_most} exclude each other")
    return parsed


def _items(spec: str) -> list[tuple[str, str | None]]:
    items: list[tuple[str, str | None]] = []
    start, end = 0, len(spec.rstrip())
    while start < end:
        match = _ITEM.match(spec, start)
        if match is None:
            _refuse(spec, f"cannot read {spec[start:].strip()!r}; write it like name or name(0.9)")
        items.append((match.group(1), match.group(2)))
        start = match.end()
    if not items:
        _refuse(spec, f"it names no rule; allowed: {', '.join(RULES)}")
    return items


def _argument(spec: str, name: str, parameter: Parameter | None, argument: str | None) -> float:
    if parameter is None:
        if argument is not None:
            _refuse(spec, f"{name!r} takes no number, got {argument!r}")
        return 0.0
    if argument is None:
        if parameter.default is None:
            _refuse(spec, f"{name!r} needs {parameter.meaning}, {parameter}, in parentheses")
        return parameter.default
    if not _NUMBER.fullmatch(argument) or not parameter.allows(float(argument)):
        _refuse(spec, f"{name!r} takes {parameter.meaning}, {parameter}, got {argument!r}")
    return float(argument) + 0.0  # -0.0 is written 0


def _number(value: float) -> str:
    """Write the shortest text that reads back as the value."""
    return repr(value).removesuffix(".0")


def _refuse(spec: object, message: str) -> NoReturn:
    raise SpecError(f"decision rule {spec!r}: {message}")


def fit_rule(
    spec: str | RuleSpec,
    scores: Scores | None,
    truth: Sparse,
    weights: NDArray[np.float64] | None = None,
) -> DecisionRule:
    """Fit a decision rule to training documents.

    Whatever the rule, a category that no training document is in gets a threshold of +inf, and one
    that all are in -inf; ``DecisionRule.notes`` names them. Tuned rules take O(n log n) for each
    category of n documents, the others O(memberships).

    Parameters
    ----------
    spec:
        The rule, as text or parsed.
    scores:
        ``TrainingScores`` or ``OutOfFoldScores`` of the training documents, as
        ``parse_rule(spec).needs`` says; None for a rule that needs none.
    truth:
        Sparse indicator of memberships, training documents × categories.
    weights:
        Sample weights of the documents; a document of weight 0 is left out.
    """
    parsed = spec if isinstance(spec, RuleSpec) else parse_rule(spec)
    training = TrainingSet.of(f"decision rule {parsed}", parsed.needs, scores, truth, weights)
    acceptance, states = parsed.rule.fit(training, parsed.parameter, parsed.fallback)
    return DecisionRule(str(parsed), acceptance, states, parsed.at_least, parsed.at_most)


def updated_rule(rule: DecisionRule, members: Ints, documents: int) -> DecisionRule:
    """Return the rule after an update of the model.

    A rule that needs no scores (``default``, ``best``, ``rank``, ``proportional``) is fitted anew
    to the numbers of members. A tuned rule keeps its thresholds: the documents it was tuned on are
    gone, and the model has learned from the new ones. A category that the rule was not tuned for
    gets a threshold of 0 and the state ``UNTUNED``. Cost: the number of memberships for a rule
    that needs no scores, else the number of categories.

    Parameters
    ----------
    rule:
        The rule from before the update.
    members:
        Number of members of each category, after the update.
    documents:
        Number of documents in all, after the update.
    """
    spec = parse_rule(rule.spec)
    if spec.needs is Needs.NOTHING:
        return fit_rule(spec, None, _truth_with(members, documents))
    unknown = rule.untuned(len(members))
    values = np.zeros(len(members))
    states = np.full(len(members), State.UNTUNED, dtype=np.uint8)
    known = np.flatnonzero(~unknown)
    values[known], states[known] = rule.acceptance.values[known], rule.states[known]
    for state, size in ((State.ALL_MEMBERS, documents), (State.NO_MEMBERS, 0)):
        fixed = unknown & (members == size)
        values[fixed], states[fixed] = CONSTANT_THRESHOLDS[state], state
    return DecisionRule(rule.spec, Thresholds(values), states, rule.at_least, rule.at_most)


def _truth_with(members: Ints, documents: int) -> Csc:
    """Return some truth with these numbers of members, which is all that such a rule looks at."""
    import scipy.sparse as sp

    starts = np.concatenate(([0], np.cumsum(members)))
    rows = np.arange(starts[-1]) - np.repeat(starts[:-1], members)
    truth: Csc = sp.csc_matrix(
        (np.ones(len(rows), dtype=np.bool_), rows, starts), shape=(documents, len(members))
    )
    return truth

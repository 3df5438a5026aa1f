"""Decision rules as text: ``f1``, ``precision(0.9) fbr.0(0.2)``, ``default at-least(1)``.

A spec is a rule of ``RULES``, with its number in parentheses if it has one, and then any of
``fbr.0(floor)``, ``fbr.1(floor)`` or ``few(members)`` (where the rule is tuned out of fold),
``at-least(m)`` and ``at-most(k)``. What it does not say has its default, and the canonical text
leaves that out.

Fit a decision rule to training documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from postil.common.suggest import advice
from postil.decide.decision import DecisionRule
from postil.decide.evidence import Needs, Scores, TrainingSet
from postil.decide.inputs import Sparse
from postil.decide.rules import RULES, Parameter, Rule
from postil.decide.tuning import FALLBACKS, Fallback
from postil.errors import SpecError

_ITEM = re.compile(r"\s*([^\s()]+)(?:\(\s*([^\s()]+)\s*\))?(?=\s|$)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_PLACES = Parameter("a number of categories", 1, 2**31 - 1, whole=True)


@dataclass(frozen=True, slots=True)
class RuleSpec:
    """A rule with everything it is told; ``str`` writes it and :func:`parse_rule` reads it."""

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
        items = [_written(self.rule.name, self.rule.parameter, self.parameter)]
        if self.fallback not in (None, Fallback()):
            assert self.fallback is not None
            items.append(f"{self.fallback.kind}({_number(self.fallback.floor)})")
        # A rule that counts says how many by its own name.
        if not self.rule.counts:
            if self.at_least > 0:
                items.append(f"at-least({self.at_least})")
            if self.at_most is not None:
                items.append(f"at-most({self.at_most})")
        return " ".join(items)


def parse_rule(spec: str) -> RuleSpec:
    """Read a spec; what is wrong with it is said with the part that is wrong."""
    if not isinstance(spec, str):
        _refuse(spec, "a rule is a text, such as 'f1' or 'precision(0.9)'")
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
            _refuse(spec, f"{modifier!r} says again what was said")
        seen.add(family)
        parsed = _modified(spec, parsed, modifier, number)
    if parsed.at_most is not None and parsed.at_least > parsed.at_most:
        _refuse(spec, f"at least {parsed.at_least} and at most {parsed.at_most} cannot both be")
    return parsed


def _items(spec: str) -> list[tuple[str, str | None]]:
    items: list[tuple[str, str | None]] = []
    at, end = 0, len(spec.rstrip())
    while at < end:
        match = _ITEM.match(spec, at)
        if match is None:
            _refuse(spec, f"cannot read {spec[at:].strip()!r}; write it like name or name(0.9)")
        items.append((match.group(1), match.group(2)))
        at = match.end()
    if not items:
        _refuse(spec, f"it names no rule; there are: {', '.join(RULES)}")
    return items


def _modified(spec: str, parsed: RuleSpec, name: str, argument: str | None) -> RuleSpec:
    rule = parsed.rule
    if name in FALLBACKS:
        if not rule.falls_back:
            _refuse(spec, f"{name} is for rules tuned out of fold, and {rule.name!r} is not")
        kind = FALLBACKS[name]
        number = Parameter(kind.meaning, kind.least, kind.most, whole=kind.whole)
        return replace(parsed, fallback=Fallback(name, _argument(spec, name, number, argument)))
    if name not in ("at-least", "at-most"):
        _refuse(
            spec, f"no {name!r} after a rule{advice(name, [*FALLBACKS, 'at-least', 'at-most'])}"
        )
    if rule.counts:
        _refuse(spec, f"{rule.name!r} says already how many categories a document gets")
    places = int(_argument(spec, name, _PLACES, argument))
    if name == "at-least":
        return replace(parsed, at_least=places)
    return replace(parsed, at_most=places)


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


def _written(name: str, parameter: Parameter | None, value: float) -> str:
    if parameter is None or value == parameter.default:
        return name
    return f"{name}({_number(value)})"


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
    """Fit the rule a spec describes; ``parse_rule(spec).needs`` says which scores it takes.

    ``scores`` are the ``TrainingScores`` or ``OutOfFoldScores`` of the training documents, or
    None for a rule that needs none; ``truth`` says which training document is in which
    category; ``weights`` count a document more or less (0: not at all). A category that no
    training document is in gets a threshold of +inf, one that all are in -inf, whatever the
    rule; ``DecisionRule.notes`` names them.

    Tuned rules take O(n log n) for each category of n documents, the others O(memberships).
    """
    parsed = spec if isinstance(spec, RuleSpec) else parse_rule(spec)
    training = TrainingSet.of(f"decision rule {parsed}", parsed.needs, scores, truth, weights)
    fitted = parsed.rule.fit(training, parsed.parameter, parsed.fallback)
    return DecisionRule(
        str(parsed), fitted.acceptance, fitted.states, parsed.at_least, parsed.at_most
    )

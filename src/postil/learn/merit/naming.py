"""Figures of merit by name: ``f1``, ``recall>=0.95``, ``cost(fp=1, fn=5)``, or a user's own.

A name is a kind of ``KINDS``, followed by what its form adds: nothing, a number, a floor after
``>=``, or numbers by name in parentheses. Some take ``micro-`` in front, for the counts of all
categories together. ``figure.name`` is the canonical text, and reads back as the figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

import numpy as np

from postil.common.suggest import advise, near_names
from postil.common.types import Floats
from postil.errors import SpecError, UsageError
from postil.learn.merit.figures import (
    OUTCOMES,
    Attained,
    BalancedError,
    FBeta,
    Figure,
    PlainError,
    PrecisionAtRecall,
    RecallAtPrecision,
    SmoothCounts,
    Utility,
    share_of,
)

Function = Callable[[Floats, Floats, Floats, Floats], Floats]
Gains = Callable[[Floats, Floats, Floats, Floats], tuple[Floats, Floats]]

Answer = TypeVar("Answer")

# The cube root of the rounding of numbers: where a central difference is best.
STEP = 6e-6
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)


class OwnFigure(Figure):
    """A user's own measure, as a function of the four counts.

    Parameters
    ----------
    function : callable
        ``function(tp, fp, fn, tn)`` of arrays returns one number for each problem, higher is
        better. It must accept fractions of documents, and may return nan where the measure is
        undefined, which counts as 0.
    name : str
        Small letters, digits and hyphens.
    gains : callable or None
        ``gains(tp, fp, fn, tn)`` returns the slopes with TP and with FP while members and others
        stay fixed: FN falls as TP rises, TN as FP rises. Infinite slopes count as 0. None takes
        central differences, one-sided at the ends of the counts, which cost four calls of
        the function.
    pooled : bool
        True to take the counts of all problems together.
    """

    def __init__(
        self, function: Function, name: str, gains: Gains | None = None, pooled: bool = False
    ) -> None:
        if not callable(function):
            raise UsageError(
                f"figure {name!r}: it needs a function of tp, fp, fn and tn, got {function!r}"
            )
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                "the name of a figure must have small letters, digits and hyphens, as 'g-mean', "
                f"got {name!r}"
            )
        self._function = function
        self._gains = gains
        self._name = name
        self.pooled = pooled

    @property
    def name(self) -> str:
        """The name that the user gave."""
        return self._name

    def alone(self) -> OwnFigure:
        """Return the same figure, taken of each problem by itself."""
        return OwnFigure(self._function, self._name, self._gains)

    def own_values(self, counts: SmoothCounts) -> Floats:
        """Return the function's value of each problem, 0 where it is undefined."""
        return self._finite(self._called(self._function, counts), counts)

    def own_gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """Return the given slopes, or differences."""
        if self._gains is not None:
            by_found, by_wrong = self._called(self._gains, counts)
            return self._finite(by_found, counts), self._finite(by_wrong, counts)
        return (
            self._slope(counts, "true_positives", counts.members),
            self._slope(counts, "false_positives", counts.others),
        )

    def _slope(self, counts: SmoothCounts, name: str, most: Floats) -> Floats:
        """Return the differences of the value along one of the counts."""
        at, step = getattr(counts, name), STEP * np.maximum(1.0, most)
        below, above = np.maximum(at - step, 0.0), np.minimum(at + step, most)
        low, high = (self.own_values(replace(counts, **{name: end})) for end in (below, above))
        return share_of(high - low, above - below)

    def attained(self, counts: SmoothCounts) -> Attained:
        """Return the function of counted decisions, which may be undefined."""
        values = self._shaped(self._called(self._function, counts), counts)
        return Attained(values, np.ones(values.shape, dtype=np.bool_))

    def _called(self, function: Callable[..., Answer], counts: SmoothCounts) -> Answer:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                return function(
                    counts.true_positives,
                    counts.false_positives,
                    counts.false_negatives,
                    counts.true_negatives,
                )
        except Exception as error:
            raise UsageError(
                f"figure {self.name!r}: its function of the arrays tp, fp, fn and tn fails with "
                f"{type(error).__name__}: {error}"
            ) from error

    def _finite(self, given: Floats, counts: SmoothCounts) -> Floats:
        values = self._shaped(given, counts)
        return np.where(np.isfinite(values), values, 0.0)

    def _shaped(self, given: Floats, counts: SmoothCounts) -> Floats:
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(
                f"figure {self.name!r}: its function must return numbers, got {given!r}"
            ) from None
        if values.shape != counts.members.shape:
            raise UsageError(
                f"figure {self.name!r}: its function must return a number for each problem, got "
                f"shape {values.shape} for counts of shape {counts.members.shape}"
            )
        return values


MICRO, MACRO = "micro-", "macro-"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_SHAPES = {
    "floor": re.compile(r"([a-z-]+)\s*(?:>=|≥)\s*(.*)", re.ASCII | re.DOTALL),
    "numbers": re.compile(r"([a-z0-9-]+)\s*\((.*)\)", re.ASCII | re.DOTALL),
    "number": re.compile(r"(f)([-+]?[\d.].*)", re.ASCII | re.DOTALL),
}
_PLAIN = "plain"

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of named figures.

    ``form`` is what follows the name: a key of ``_SHAPES``, or ``plain`` for nothing. ``make``
    returns the figure of some numbers, with names among ``keys``; a single number or floor is
    called ``value``.
    """

    name: str
    help: str
    form: str
    make: Callable[[Numbers], Figure]
    example: str
    keys: tuple[str, ...] = ()


def _cost(numbers: Numbers) -> Figure:
    for name, value in numbers.items():
        if value < 0:
            raise UsageError(f"a cost must be 0 or more, got {name}={value:g}")
    return Utility.of_costs(**numbers)


def _utility(numbers: Numbers) -> Figure:
    return Utility(*(numbers.get(outcome, 0.0) for outcome in OUTCOMES))


_REGISTERED = (
    Kind("f", "F-beta: f1, or f2 for recall", "number", lambda n: FBeta(n["value"]), "f1"),
    Kind("error", "fewest wrong decisions", _PLAIN, lambda _: PlainError(), "error"),
    Kind(
        "balanced-error",
        "fewest wrong decisions, members and others weighing the same",
        _PLAIN,
        lambda _: BalancedError(),
        "balanced-error",
    ),
    Kind(
        "recall",
        "highest precision with at least so much recall",
        "floor",
        lambda n: PrecisionAtRecall(n["value"]),
        "recall>=0.95",
    ),
    Kind(
        "precision",
        "highest recall with at least so much precision",
        "floor",
        lambda n: RecallAtPrecision(n["value"]),
        "precision>=0.9",
    ),
    Kind(
        "cost",
        "lowest cost of documents wrongly accepted (fp) and missed (fn)",
        "numbers",
        _cost,
        "cost(fp=1, fn=5)",
        ("fp", "fn"),
    ),
    Kind(
        "utility",
        "highest sum of what each decision earns",
        "numbers",
        _utility,
        "utility(tp=2, fp=-1)",
        OUTCOMES,
    ),
    Kind("t11u", "the utility of TREC 2002, 2TP - FP", _PLAIN, lambda _: Utility(2, -1), "t11u"),
)

# The plain name of a measure is its mean over categories, macro-f1. Other names of the same:
USUAL_NAMES = {
    "accuracy": "error",
    "balanced-accuracy": "balanced-error",
    "f1-macro": "f1",
    "f1-micro": "micro-f1",
}
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _REGISTERED}
EXAMPLES = (*(kind.example for kind in _REGISTERED), "micro-f1")
_OWN: dict[str, OwnFigure] = {}


def register_figure(figure: OwnFigure) -> OwnFigure:
    """Register a user's own figure by its name in this process, in place of an earlier one."""
    if figure.name in KINDS or figure.name.startswith(MICRO) or _shape(figure.name)[0] != _PLAIN:
        raise UsageError(f"the name {figure.name!r} is taken: choose another, as 'my-measure'")
    _OWN[figure.name] = figure
    return figure


def figure_named(text: str) -> Figure:
    """Return the figure that a text names; an error suggests what to write instead."""
    if callable(text):
        _refuse(text, "a function of your own needs a name: OwnFigure(function, 'name')")
    if not isinstance(text, str):
        _refuse(text, f"a figure of merit is a text, such as {', '.join(EXAMPLES[:4])}")
    said = text.strip().lower()
    if said in _OWN:
        return _OWN[said]
    said = said.replace("_", "-")
    said = USUAL_NAMES.get(said, said).removeprefix(MACRO)
    pooled = said.startswith(MICRO)
    form, name, rest = _shape(said.removeprefix(MICRO))
    if name not in KINDS:
        _refuse(text, _unknown(said, name))
    kind = KINDS[name]
    if kind.form != form:
        _refuse(text, f"{kind.name} is {kind.help}; write {kind.example}")
    try:
        made = kind.make(_numbers(text, kind, rest))
    except SpecError:
        raise
    except UsageError as error:
        _refuse(text, str(error))
    if not pooled:
        return made
    if not isinstance(made, FBeta | PrecisionAtRecall | RecallAtPrecision):
        alike = "already adds up over categories" if made.adds_up else "is of each category alone"
        _refuse(text, f"{made.name} {alike}; write {made.name}")
    return replace(made, pooled=True)


def unpooled(figure: Figure) -> Figure:
    """Return the same figure, taken of each problem by itself."""
    if isinstance(figure, FBeta | PrecisionAtRecall | RecallAtPrecision):
        return replace(figure, pooled=False)
    return figure.alone() if isinstance(figure, OwnFigure) else figure


def _unknown(said: str, name: str) -> str:
    known = ["accuracy", "macro-f1", *EXAMPLES, *_OWN]
    near = near_names(said, known) or [KINDS[each].example for each in near_names(name, KINDS)]
    own = "" if near else "; in Python, register a measure of your own with register_figure first"
    return f"it is not a known measure{advise(near, known)}{own}"


def _shape(said: str) -> tuple[str, str, str]:
    """Return the form of a name, its kind, and the rest of the text."""
    if said in KINDS:
        return _PLAIN, said, ""
    for form, pattern in _SHAPES.items():
        match = pattern.fullmatch(said)
        if match:
            return form, match.group(1), match.group(2).strip()
    return _PLAIN, said, ""


def _numbers(text: str, kind: Kind, rest: str) -> Numbers:
    if kind.form == _PLAIN:
        return {}
    if not kind.keys:
        return {"value": _number(text, rest, kind)}
    found: dict[str, float] = {}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        key, _, number = (piece.strip() for piece in part.partition("="))
        if key not in kind.keys:
            _refuse(text, f"{key!r} is not one of {', '.join(kind.keys)}; write {kind.example}")
        if key in found:
            _refuse(text, f"{key} is given twice")
        found[key] = _number(text, number, kind)
    if not found:
        _refuse(text, f"it needs numbers; write {kind.example}")
    return found


def _number(text: str, said: str, kind: Kind) -> float:
    if not _NUMBER.fullmatch(said) or not math.isfinite(float(said)):
        _refuse(text, f"{said!r} is not a finite number; write one measure, as {kind.example}")
    return float(said) + 0.0  # -0.0 is written 0


def _refuse(text: object, message: str) -> NoReturn:
    raise SpecError(f"measure {text!r}: {message}")

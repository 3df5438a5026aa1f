"""Figures of merit as text: ``f1``, ``recall>=0.95``, ``cost(fp=1, fn=5)``.

A name is a kind of ``KINDS``, with what its form adds: nothing, a number right behind it, a floor
behind ``>=``, or numbers by name in parentheses. In front of some, ``micro-`` asks for the counts
of all categories together. ``figure.name`` is the canonical text, and reads back as the figure.

A user's own measure, as a function of the four counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, NoReturn, TypeVar

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
    SmoothCounts,
    Utility,
)
from postil.learn.merit.floors import PrecisionAtRecall, RecallAtPrecision

Function = Callable[[Floats, Floats, Floats, Floats], Floats]
Gains = Callable[[Floats, Floats, Floats, Floats], tuple[Floats, Floats]]

Answer = TypeVar("Answer")

# The cube root of the rounding of numbers: where a central difference is best.
STEP = 6e-6
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)


class OwnFigure:
    """``function(tp, fp, fn, tn)`` of arrays, one number for each problem: the more the better.

    ``gains(tp, fp, fn, tn)`` are its slopes with TP and with FP while members and others stay as
    they are: FN falls as TP rises, TN as FP. Where none are given they are central differences of
    the counts, one-sided where a count cannot be less or more; that costs four calls of the
    function. With ``pooled`` it is taken of the counts of all problems together. The function must
    do with fractions of documents, and may say nan where it is undefined, which is taken for 0, as
    infinite slopes are.
    """

    falls: ClassVar[bool] = False
    adds_up: ClassVar[bool] = False

    def __init__(
        self, function: Function, name: str, gains: Gains | None = None, pooled: bool = False
    ) -> None:
        if not callable(function):
            raise UsageError(
                f"figure {name!r}: it needs a function of tp, fp, fn and tn, got {function!r}"
            )
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                "a figure's own name is of small letters, digits and hyphens, as 'g-mean', got "
                f"{name!r}"
            )
        self._function = function
        self._gains = gains
        self._name = name
        self._pooled = pooled

    @property
    def name(self) -> str:
        """What its maker calls it."""
        return self._name

    @property
    def pooled(self) -> bool:
        """Whether all problems have one value."""
        return self._pooled

    def alone(self) -> OwnFigure:
        """The same, taken of each problem by itself."""
        return OwnFigure(self._function, self._name, self._gains)

    def values(self, counts: SmoothCounts) -> Floats:
        """The value of each problem."""
        return self._known(counts.added() if self.pooled else counts)

    def gains(self, counts: SmoothCounts) -> tuple[Floats, Floats]:
        """The given slopes, or differences."""
        taken = counts.added() if self.pooled else counts
        if self._gains is not None:
            by_found, by_wrong = self._asked(self._gains, taken)
            return self._finite(by_found, taken), self._finite(by_wrong, taken)
        found, wrong = taken.true_positives, taken.false_positives

        def at_found(moved: Floats) -> Floats:
            return self._known(SmoothCounts(moved, wrong, taken.members, taken.others))

        def at_wrong(moved: Floats) -> Floats:
            return self._known(SmoothCounts(found, moved, taken.members, taken.others))

        return _slope(at_found, found, taken.members), _slope(at_wrong, wrong, taken.others)

    def attained(self, counts: SmoothCounts) -> Attained:
        """The function of counted decisions; undefined where it says so."""
        values = self._raw(counts)
        return Attained(values, np.ones(values.shape, dtype=np.bool_))

    def _known(self, counts: SmoothCounts) -> Floats:
        return self._finite(self._raw(counts), counts)

    def _finite(self, given: Floats, counts: SmoothCounts) -> Floats:
        values = self._shaped(given, counts)
        return np.where(np.isfinite(values), values, 0.0)

    def _raw(self, counts: SmoothCounts) -> Floats:
        return self._shaped(self._asked(self._function, counts), counts)

    def _asked(self, function: Callable[..., Answer], counts: SmoothCounts) -> Answer:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                return function(*_four(counts))
        except Exception as error:
            raise UsageError(
                f"figure {self.name!r}: its function of the arrays tp, fp, fn and tn fails with "
                f"{type(error).__name__}: {error}"
            ) from error

    def _shaped(self, given: Floats, counts: SmoothCounts) -> Floats:
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise UsageError(
                f"figure {self.name!r}: its function gives numbers, and gave {given!r}"
            ) from None
        if values.shape != counts.members.shape:
            raise UsageError(
                f"figure {self.name!r}: its function gives a number for each problem, and gave "
                f"shape {values.shape} for counts of shape {counts.members.shape}"
            )
        return values


def _four(counts: SmoothCounts) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        counts.true_positives,
        counts.false_positives,
        counts.false_negatives,
        counts.true_negatives,
    )


def _slope(value: Callable[[Floats], Floats], at: Floats, most: Floats) -> Floats:
    step = STEP * np.maximum(1.0, most)
    below, above = np.maximum(at - step, 0.0), np.minimum(at + step, most)
    apart = above - below
    rise = value(above) - value(below)
    result: Floats = np.divide(rise, apart, out=np.zeros_like(apart), where=apart > 0)
    return result


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
    """One way to name figures: its form, how to make one of its numbers, and an example.

    ``keys`` are the names its numbers may have; a number or a floor alone is called ``value``.
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
            raise UsageError(f"a cost is a number of 0 or more, got {name}={value:g}")
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

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _REGISTERED})
EXAMPLES = (*(kind.example for kind in _REGISTERED), "micro-f1")
_OWN: dict[str, OwnFigure] = {}


def register_figure(figure: OwnFigure) -> OwnFigure:
    """Make a user's own figure known by its name, in this process, in place of one before."""
    if figure.name in KINDS or figure.name.startswith(MICRO) or _shape(figure.name)[0] != _PLAIN:
        raise UsageError(f"the name {figure.name!r} is taken: choose another, as 'my-measure'")
    _OWN[figure.name] = figure
    return figure


def figure_named(text: str) -> Figure:
    """The figure that a text names; what is wrong with it is said with what would be right."""
    if callable(text):
        _refuse(text, "a function of your own is told with its name: OwnFigure(function, 'name')")
    if not isinstance(text, str):
        _refuse(text, f"a figure of merit is a text, such as {', '.join(EXAMPLES[:4])}")
    said = text.strip().lower()
    if said in _OWN:
        return _OWN[said]
    if said.startswith(MACRO):
        _refuse(text, f"the mean over categories is meant by the name alone: {said[len(MACRO) :]}")
    pooled = said.startswith(MICRO)
    form, name, rest = _shape(said.removeprefix(MICRO))
    kind = KINDS.get(name)
    if kind is None:
        known = [*EXAMPLES, *_OWN]
        near = near_names(said, known) or [KINDS[each].example for each in near_names(name, KINDS)]
        own = (
            ""
            if near
            else "; one of your own has to be made known first (in Python: register_figure)"
        )
        _refuse(text, f"there is none called {name!r}{advise(near, known)}{own}")
    if kind.form != form:
        _refuse(text, f"{kind.name} is {kind.help}; write {kind.example}")
    try:
        made = kind.make(_numbers(text, kind, rest))
    except SpecError:
        raise
    except UsageError as error:
        _refuse(text, str(error))
    return _pooled(text, made) if pooled else made


def unpooled(figure: Figure) -> Figure:
    """The same figure, taken of each problem by itself."""
    if isinstance(figure, FBeta | PrecisionAtRecall | RecallAtPrecision):
        return replace(figure, pooled=False)
    return figure.alone() if isinstance(figure, OwnFigure) else figure


def _pooled(text: str, made: Figure) -> Figure:
    if not isinstance(made, FBeta | PrecisionAtRecall | RecallAtPrecision):
        alike = "adds up over categories as it is" if made.adds_up else "is of each category alone"
        _refuse(text, f"{made.name} {alike}; write {made.name}")
    return replace(made, pooled=True)


def _shape(said: str) -> tuple[str, str, str]:
    """The form of a name, its kind, and what is behind that."""
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
            _refuse(text, f"{key!r} is none of {', '.join(kind.keys)}; write {kind.example}")
        if key in found:
            _refuse(text, f"{key} is given twice")
        found[key] = _number(text, number, kind)
    if not found:
        _refuse(text, f"it needs numbers; write {kind.example}")
    return found


def _number(text: str, said: str, kind: Kind) -> float:
    if not _NUMBER.fullmatch(said) or not math.isfinite(float(said)):
        _refuse(text, f"{said!r} is no finite number; write one measure alone, as {kind.example}")
    return float(said) + 0.0  # -0.0 is written 0


def _refuse(text: object, message: str) -> NoReturn:
    raise SpecError(f"figure of merit {text!r}: {message}")

"""Training for a figure of merit as a method: what is climbed, from where, and how.

Binary trees of linear decisions as a method (gao-wu-lee-chua-2003, section 2.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from postil.common.suggest import advice
from postil.errors import UsageError
from postil.learn.combining import LEAST_SHARP, MOST_SHARP
from postil.learn.merit.figures import Figure
from postil.learn.merit.naming import figure_named
from postil.learn.merit.options import FORMS, Form, GpdOptions, LbfgsOptions, StepOptions
from postil.learn.merit.starts import STARTS, Start
from postil.learn.options import PartOptions, find, made_options

MFOM = "mfom"
GPD, LBFGS = "gpd", "l-bfgs"
DEFAULT_SHARPNESS = 100.0
SOLVER_OPTIONS: Mapping[str, type[GpdOptions | LbfgsOptions]] = MappingProxyType(
    {GPD: GpdOptions, LBFGS: LbfgsOptions}
)


@dataclass(frozen=True, slots=True)
class MfomMethod:
    """Maximal figure-of-merit learning (gao-wu-lee-chua-2003).

    ::

        maximise  figure(TP, FP, FN, TN) - λ‖w‖²        a = 1 / (1 + exp(-α(m - β)))
                  TP = Σ a over members, FP = Σ a over others

    ``figure`` is a name (:mod:`postil.learn.merit.naming`) or an object. ``form`` says what the
    margin m of a category is: its score (``binary``), or its score over the bar of its rivals
    (:mod:`postil.learn.merit.options`). Rivals have a ``sharpness`` η over the distance of members
    and others where they begin, so that the unit of scores does not matter. What is climbed has
    many tops: each of ``starts`` is tried, then ``restarts`` from the best so far with noise, and
    the highest top of each problem is kept.
    ``options`` are the solver's. Weights that λ holds back are in units of that distance, too: the
    same λ is the same trade-off from every start, whatever the unit of its scores.
    """

    figure: str | Figure = "f1"
    form: str = "binary"
    solver: str = LBFGS
    starts: tuple[str, ...] = ("members-mean",)
    restarts: int = 0
    seed: int = 0
    lam: float = 0.0
    sharpness: float = DEFAULT_SHARPNESS
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.merit_figure()
        find("form", FORMS, self.form)
        if self.solver not in SOLVER_OPTIONS:
            known = sorted(SOLVER_OPTIONS)
            raise UsageError(f"there is no solver {self.solver!r}{advice(self.solver, known)}")
        if not self.starts:
            raise UsageError(f"a climb begins somewhere: give one of {', '.join(STARTS)}")
        self.beginnings()
        for name in ("restarts", "seed"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise UsageError(f"{name} is a whole number of at least 0, not {value!r}")
        self.solver_options()
        if not 0 <= self.lam < math.inf:
            raise UsageError(f"lam is a finite number of at least 0, not {self.lam!r}")
        if not LEAST_SHARP <= self.sharpness <= MOST_SHARP:
            raise UsageError(
                f"sharpness is a number from {LEAST_SHARP:g} to {MOST_SHARP:g}, not "
                f"{self.sharpness!r}"
            )
        if self.sharpness != DEFAULT_SHARPNESS and not self.merit_form().has_rivals:
            raise UsageError(
                f"sharpness is that of rivals, and the form {self.form} has none: leave it out, or "
                'take form = "rivals" or "unclaimed"'
            )
        if self.lam and self.solver == GPD:
            raise UsageError("gpd knows no λ: it is held back by its steps; use l-bfgs")

    def merit_figure(self) -> Figure:
        """The figure itself."""
        return figure_named(self.figure) if isinstance(self.figure, str) else self.figure

    def merit_form(self) -> Form:
        """What the margin of a category is."""
        return find("form", FORMS, self.form)

    def beginnings(self) -> list[Start]:
        """The starts, in the order they are tried."""
        return [find("start", STARTS, name) for name in self.starts]

    def climbs(self) -> list[str]:
        """What each climb begins with, in words."""
        return [*self.starts, *(f"restart {number + 1}" for number in range(self.restarts))]

    def solver_options(self) -> GpdOptions | LbfgsOptions:
        """The solver's options, checked."""
        return made_options(f"solver {self.solver}", SOLVER_OPTIONS[self.solver], self.options)

    def asked_tolerance(self) -> float:
        """How little slope is to be left; steps of a rate ask for nothing."""
        options = self.solver_options()
        return options.tolerance if isinstance(options, LbfgsOptions) else 0.0


TREE = "tree"
PERCEPTRON = "batch-perceptron"
DEFAULT_STARTS = ("members-mean",)
NODE_OPTIONS: Mapping[str, type[PartOptions]] = MappingProxyType(
    {PERCEPTRON: StepOptions, **SOLVER_OPTIONS}
)


@dataclass(frozen=True, slots=True)
class TreeMethod:
    """A binary tree for each category, a linear decision at each node.

    A node's documents with a score above 0 go to its node of yes, the others to that of no. Unless
    all go one way, such a node is split again where it has at least ``least`` members and ``least``
    others, until the tree has ``depth`` levels, and only if its decisions make the figure of the
    category's training documents higher than the node's own word. A tree is then cut at the level
    that gives held-out documents the highest figure, over ``folds`` folds; of equal levels the
    first. With ``folds = 0`` it is left as it grew.

    ``solver`` trains the nodes: ``gpd`` and ``l-bfgs`` for the ``figure``, from one of ``starts``,
    and ``batch-perceptron`` for as few mistakes as can be (the paper's baseline, eq. 5.2).
    """

    figure: str = "f1"
    solver: str = "l-bfgs"
    starts: tuple[str, ...] = DEFAULT_STARTS
    lam: float = 0.0
    depth: int = 3
    least: int = 3
    folds: int = 5
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.solver not in NODE_OPTIONS:
            known = sorted(NODE_OPTIONS)
            raise UsageError(f"there is no solver {self.solver!r}{advice(self.solver, known)}")
        for name, least in (("depth", 1), ("least", 1), ("folds", 0), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise UsageError(f"{name} is a whole number of at least {least}, not {value!r}")
        if self.folds == 1:
            raise UsageError("folds are 2 or more, or 0 for a tree that is left as it grew, not 1")
        self.node_options()
        if self.is_perceptron and (self.lam or tuple(self.starts) != DEFAULT_STARTS):
            raise UsageError(
                "the batch perceptron begins at the mean of the members and knows no λ: leave "
                "starts and lam out, or use l-bfgs"
            )
        if self.node_method().merit_figure().pooled:
            raise UsageError(
                f"a tree is grown for each category alone, and {self.figure} is one figure for "
                "all: use f1"
            )

    @property
    def is_perceptron(self) -> bool:
        """Whether nodes are the paper's baseline."""
        return self.solver == PERCEPTRON

    def node_options(self) -> PartOptions:
        """The options of the node's solver, checked."""
        return made_options(f"solver {self.solver}", NODE_OPTIONS[self.solver], self.options)

    def node_method(self) -> MfomMethod:
        """How a node is trained for the figure; of the perceptron, what its decisions are for."""
        if self.is_perceptron:
            return MfomMethod(figure=self.figure)
        return MfomMethod(
            figure=self.figure,
            solver=self.solver,
            starts=self.starts,
            lam=self.lam,
            options=self.options,
        )

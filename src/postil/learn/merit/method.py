"""The methods that maximise a figure of merit: linear decisions, and binary trees of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from postil.common.suggest import advice
from postil.errors import UsageError
from postil.learn.combining import LEAST_SHARP, MOST_SHARP
from postil.learn.fit import LinearFit
from postil.learn.job import Job
from postil.learn.merit.figures import Figure
from postil.learn.merit.naming import figure_named
from postil.learn.merit.options import FORMS, Form, GpdOptions, LbfgsOptions, StepOptions
from postil.learn.merit.starts import STARTS, Start
from postil.learn.method import BaseMethod
from postil.learn.options import PartOptions, find, made_options

MFOM = "mfom"
GPD, LBFGS = "gpd", "l-bfgs"
DEFAULT_SHARPNESS = 100.0
SOLVER_OPTIONS: Mapping[str, type[GpdOptions | LbfgsOptions]] = {
    GPD: GpdOptions,
    LBFGS: LbfgsOptions,
}


def _check_solver(solver: str, known: Mapping[str, type[PartOptions]]) -> None:
    if solver not in known:
        raise UsageError(f"there is no solver {solver!r}{advice(solver, sorted(known))}")


def _check_whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or value < least:
        raise UsageError(f"{name} must be a whole number of at least {least}, got {value!r}")


class FigureMethod(BaseMethod):
    """A method that maximises a figure of merit: scores above 0 are a yes for every category.

    It has no tolerance: iterations that end before the local optimum regularize.
    """

    no_strength: ClassVar[str] = (
        "a search chooses the λ of a convex method, and this learner maximises a figure of merit: "
        "leave [search] out, and give lam in [learn] to regularize"
    )
    no_term_priors: ClassVar[str] = (
        "training for a figure of merit takes no per-term priors: use the learner linear"
    )

    @property
    def by_category(self) -> bool:
        """False: all categories are learned together."""
        return False


@dataclass(frozen=True, slots=True)
class MfomMethod(FigureMethod):
    """Maximal figure-of-merit learning (gao-wu-lee-chua-2003).

    ::

        maximise  figure(TP, FP, FN, TN) - λ‖w‖²        a = 1 / (1 + exp(-α(m - β)))
                  TP = Σ a over members, FP = Σ a over others

    The objective has many local optima; the best one of all starts and restarts is kept. Distances
    below are those between the mean scores of members and of others at the start: measured in
    them, the unit of the scores does not matter.

    Attributes
    ----------
    figure : str or Figure
        The figure of merit (:mod:`postil.learn.merit.naming`).
    form : str
        The margin m of a category: its score (``binary``), or its score over the bar of its rivals
        (:data:`postil.learn.merit.options.FORMS`).
    solver, options : str, mapping
        ``l-bfgs`` or ``gpd``, and its options.
    starts : tuple of str
        Names of :data:`postil.learn.merit.starts.STARTS`, each tried once.
    restarts, seed : int
        The number of further runs, each from the best weights so far with noise.
    lam : float
        The strength λ, for weights in units of the distance.
    sharpness : float
        The sharpness η of rivals, over the distance.
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
        _check_solver(self.solver, SOLVER_OPTIONS)
        if not self.starts:
            raise UsageError(f"starts must not be empty: give one of {', '.join(STARTS)}")
        self.start_parts()
        for name in ("restarts", "seed"):
            _check_whole(name, getattr(self, name), 0)
        self.solver_options  # noqa: B018 - raises an error if an option is wrong
        if not 0 <= self.lam < math.inf:
            raise UsageError(f"lam must be a finite number of at least 0, got {self.lam!r}")
        if not LEAST_SHARP <= self.sharpness <= MOST_SHARP:
            raise UsageError(
                f"sharpness must be from {LEAST_SHARP:g} to {MOST_SHARP:g}, got {self.sharpness!r}"
            )
        if self.sharpness != DEFAULT_SHARPNESS and not self.merit_form().has_rivals:
            raise UsageError(
                f"sharpness is for rivals, which the form {self.form} does not have: leave it out, "
                'or take form = "rivals" or "unclaimed"'
            )
        if self.lam and self.solver == GPD:
            raise UsageError("gpd has no λ, its steps regularize: leave lam out, or use l-bfgs")

    def merit_figure(self) -> Figure:
        """Return the figure."""
        return figure_named(self.figure) if isinstance(self.figure, str) else self.figure

    def merit_form(self) -> Form:
        """Return the form of the margin."""
        return find("form", FORMS, self.form)

    def start_parts(self) -> list[Start]:
        """Return the starts, in the order they are tried."""
        return [find("start", STARTS, name) for name in self.starts]

    def run_names(self) -> list[str]:
        """Return the names of all starts and restarts."""
        return [*self.starts, *(f"restart {number + 1}" for number in range(self.restarts))]

    @property
    def solver_options(self) -> GpdOptions | LbfgsOptions:
        """Return the checked options of the solver."""
        return made_options(f"solver {self.solver}", SOLVER_OPTIONS[self.solver], self.options)

    def _fit(self, job: Job) -> LinearFit:
        from postil.learn.merit.fit import fit_mfom  # which imports this module

        return fit_mfom(job, self)

    def asked_tolerance(self) -> float:
        """Return the tolerance of the slope left; 0 for a solver without one."""
        options = self.solver_options
        return options.tolerance if isinstance(options, LbfgsOptions) else 0.0


TREE = "tree"
PERCEPTRON = "batch-perceptron"
DEFAULT_STARTS = ("members-mean",)
NODE_OPTIONS: Mapping[str, type[PartOptions]] = {PERCEPTRON: StepOptions, **SOLVER_OPTIONS}


@dataclass(frozen=True, slots=True)
class TreeMethod(FigureMethod):
    """A binary tree for each category, a linear decision at each node.

    A node's documents with a score above 0 go to its yes child, the others to its no child
    (gao-wu-lee-chua-2003, section 2.2). A child is trained only if not all documents go one way,
    and kept only if it raises the figure of the category's training documents.

    Attributes
    ----------
    figure : str
        The figure of merit.
    solver, options : str, mapping
        ``gpd`` or ``l-bfgs`` for the figure, or ``batch-perceptron`` for few mistakes (the paper's
        baseline, eq. 5.2); and its options.
    starts, lam : tuple of str, float
        As for :class:`MfomMethod`.
    depth : int
        The most levels of a tree.
    least : int
        The fewest members, and the fewest others, of a child.
    folds, seed : int
        Each tree is cut at the first level with the highest figure on held-out documents, over this
        many folds; 0 leaves it uncut.
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
        _check_solver(self.solver, NODE_OPTIONS)
        for name, least in (("depth", 1), ("least", 1), ("folds", 0), ("seed", 0)):
            _check_whole(name, getattr(self, name), least)
        if self.folds == 1:
            raise UsageError("folds must be 2 or more, or 0 for uncut trees, got 1")
        self.node_options()
        if self.is_perceptron and (self.lam or tuple(self.starts) != DEFAULT_STARTS):
            raise UsageError(
                "the batch perceptron starts at the mean of the members and has no λ: leave starts "
                "and lam out, or use l-bfgs"
            )
        if self.node_method().merit_figure().pooled:
            raise UsageError(
                f"a tree needs a figure of its category alone, and {self.figure} is one figure for "
                "all: use f1"
            )

    def _fit(self, job: Job) -> LinearFit:
        from postil.learn.merit.trees import fit_trees  # which imports this module

        return fit_trees(job, self)

    @property
    def is_perceptron(self) -> bool:
        """True if nodes are the paper's baseline."""
        return self.solver == PERCEPTRON

    def node_options(self) -> PartOptions:
        """Return the checked options of the nodes' solver."""
        return made_options(f"solver {self.solver}", NODE_OPTIONS[self.solver], self.options)

    def node_method(self) -> MfomMethod:
        """Return the method of a node; for the perceptron, the one with its figure alone."""
        if self.is_perceptron:
            return MfomMethod(figure=self.figure)
        return MfomMethod(
            figure=self.figure,
            solver=self.solver,
            starts=self.starts,
            lam=self.lam,
            options=self.options,
        )

"""Binary trees of linear decisions as a method (gao-wu-lee-chua-2003, section 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from postil.errors import UsageError
from postil.learn.merit.method import SOLVER_OPTIONS, MfomMethod
from postil.learn.merit.options import StepOptions
from postil.learn.part_options import PartOptions, made_options
from postil.text.suggest import advice

KIND = "tree"
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

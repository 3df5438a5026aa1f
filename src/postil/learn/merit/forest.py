"""Growing trees for all categories, level by level.

All nodes of a level are trained together: one table has a column for each, and documents that do
not come to a node are no part of its problem. Cost: for each level that of training as many
categories as it has nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.learn.combining import LEAF
from postil.learn.design import Design
from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.objective import Cases, Merit
from postil.learn.merit.options import StepOptions
from postil.learn.merit.products import Products
from postil.learn.merit.starts import Beginning, members_mean
from postil.learn.merit.stepping import MistakeSlopes, steps
from postil.learn.merit.tops import Top, highest_top
from postil.learn.merit.tree_method import TreeMethod
from postil.learn.merit.weights import Weights
from postil.learn.report import StopReason

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Told = Callable[[int, int], None]


@dataclass(slots=True)
class Node:
    """A linear decision: its category, its level (the root's is 1), its weights and children."""

    category: int
    level: int
    weights: Floats
    intercept: float
    objective: float
    certificate: float
    iterations: int
    stopped: StopReason = "iterations"
    yes: int = LEAF
    no: int = LEAF


@dataclass(slots=True)
class Forest:
    """The nodes of all trees, parents before children; ``accepted`` holds decisions by level."""

    nodes: list[Node] = field(default_factory=list)
    accepted: list[Flags] = field(default_factory=list)

    def cut(self, levels: NDArray[Any]) -> Forest:
        """The same with each tree no deeper than its number of levels."""
        kept = [n for n, node in enumerate(self.nodes) if node.level <= levels[node.category]]
        place = {old: new for new, old in enumerate(kept)}
        nodes = []
        for old in kept:
            node = self.nodes[old]
            yes, no = place.get(node.yes, LEAF), place.get(node.no, LEAF)
            nodes.append(replace(node, yes=yes, no=no))
        return Forest(nodes)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What trees grow on: documents, and what each is to each category."""

    design: Design
    products: Products
    cases: Cases
    threads: int
    kept: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Bud:
    """A node to be: the documents that come to it, and where it hangs."""

    category: int
    here: Flags
    parent: int = LEAF
    is_yes: bool = True


class Growing:
    """Trees of all categories from documents of given weights."""

    def __init__(self, ground: Ground, documents: Floats, method: TreeMethod) -> None:
        self.ground = ground
        self.documents = documents
        self.method = method
        self.figure: Figure = method.node_method().merit_figure()
        self.forest = Forest()

    def grow(self, told: Told | None = None) -> Forest:
        """Level by level, until nothing is to be split or the depth is reached."""
        everywhere = np.ones(len(self.documents), dtype=bool)
        buds = [_Bud(c, everywhere) for c in range(self.ground.cases.shape[1])]
        decided = np.zeros(self.ground.cases.shape, dtype=bool)
        for level in range(1, self.method.depth + 1):
            if buds:
                watch = None if told is None else _of_level(told, level, self.method.depth)
                buds = self._level(level, buds, decided, watch)
            self.forest.accepted.append(decided.copy())
        return self.forest

    def _level(self, level: int, buds: list[_Bud], decided: Flags, told: Told | None) -> list[_Bud]:
        """Train the buds, keep those that help, and say what is to be split next."""
        cases = np.column_stack([np.where(b.here, self._cases(b), np.int8(0)) for b in buds])
        kept = None
        if self.ground.kept is not None:
            kept = self.ground.kept[:, [bud.category for bud in buds]]
        top = self._trained(np.ascontiguousarray(cases), kept, told)
        scores = top.weights.scores(self.ground.products)
        following: list[_Bud] = []
        for at, bud in enumerate(buds):
            accepted = scores[:, at] > 0
            if bud.parent != LEAF and not self._helps(bud, accepted, decided):
                continue
            number = self._plant(level, bud, top, at)
            decided[bud.here, bud.category] = accepted[bud.here]
            following += self._children(bud, accepted, number)
        return following

    def _trained(self, cases: Cases, kept: Floats | None, told: Told | None) -> Top:
        merit = Merit(self.figure, cases, self.documents, threads=self.ground.threads)
        given = Beginning(
            self.ground.design, self.ground.products, merit, self.ground.threads, kept
        )
        if self.method.is_perceptron:
            return _perceptrons(given, self.method, told)
        return highest_top(given, self.method.node_method(), told)

    def _cases(self, bud: _Bud) -> NDArray[np.int8]:
        return self.ground.cases[:, bud.category]

    def _helps(self, bud: _Bud, accepted: Flags, decided: Flags) -> bool:
        """Whether the category's figure grows by it, on the documents that count."""
        before = decided[:, bud.category]
        after = np.where(bud.here, accepted, before)
        ways = np.column_stack([before, after])
        cases = np.column_stack([self._cases(bud)] * 2)
        values = figures_of(ways, cases, self.documents, self.figure)
        return bool(values[1] > values[0])

    def _plant(self, level: int, bud: _Bud, top: Top, at: int) -> int:
        number = len(self.forest.nodes)
        node = Node(
            bud.category,
            level,
            top.weights.terms[:, at].copy(),
            float(top.weights.intercepts[at]),
            float(top.objectives[at]),
            float(top.certificates[at]),
            int(top.iterations[at]),
            top.stopped(at, self.method.node_method().asked_tolerance()),
        )
        self.forest.nodes.append(node)
        if bud.parent != LEAF:
            setattr(self.forest.nodes[bud.parent], "yes" if bud.is_yes else "no", number)
        return number

    def _children(self, bud: _Bud, accepted: Flags, number: int) -> list[_Bud]:
        found: list[_Bud] = []
        counted = bud.here & (self.documents > 0)
        if accepted[counted].all() or not accepted[counted].any():
            return found  # all go one way: there they would be told the same again
        for is_yes in (True, False):
            here = bud.here & (accepted if is_yes else ~accepted)
            inside = self._cases(bud)[here & counted]
            fewest = min(int((inside > 0).sum()), int((inside < 0).sum()))
            if fewest >= self.method.least:
                found.append(_Bud(bud.category, here, number, is_yes))
        return found


def figures_of(accepted: Flags, cases: Cases, documents: Floats, figure: Figure) -> Floats:
    """The figure of each column of decisions."""
    members, others = documents[:, None] * (cases > 0), documents[:, None] * (cases < 0)
    counts = SmoothCounts(
        (members * accepted).sum(axis=0),
        (others * accepted).sum(axis=0),
        members.sum(axis=0),
        others.sum(axis=0),
    )
    return figure.values(counts)


def _perceptrons(given: Beginning, method: TreeMethod, told: Told | None) -> Top:
    """The baseline's nodes; a step is a pass over all documents."""
    options = method.node_options()
    assert isinstance(options, StepOptions)
    slopes = MistakeSlopes(given.merit)
    start = members_mean(given)
    found: Weights = start
    for step, weights in steps(given.products, start, slopes, options, given.kept):
        found = weights
        if told is not None:
            told(step, options.iterations)
    count = given.merit.problems
    counted = np.maximum(given.merit.members + given.merit.others, 1e-300)
    share = slopes.mistakes / counted
    taken = np.full(count, options.iterations)
    none = np.zeros(count, dtype=np.int64)
    return Top(found, -share, share, taken, np.zeros(count, dtype=bool), none, -share)


def _of_level(told: Told, level: int, depth: int) -> Told:
    return lambda done, most: told((level - 1) * most + done, depth * most)

"""Growing trees for all categories, level by level.

All nodes of a level are trained together: one table has a column for each, and documents that do
not come to a node are no part of its problem. Cost: for each level that of training as many
categories as it has nodes.

Trees of all categories, pruned on held-out folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import Progress
from postil.common.threads import thread_count
from postil.common.types import Flags, Floats
from postil.errors import UsageError
from postil.learn.combining import LEAF, Trees
from postil.learn.fit import FitReport, LinearFit, StopReason
from postil.learn.job import Design, Job, Labels
from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.fit import kept_terms
from postil.learn.merit.method import TreeMethod
from postil.learn.merit.objective import Cases, Merit, Products, Weights, products_of
from postil.learn.merit.options import StepOptions
from postil.learn.merit.restarts import LocalOptimum, maximise
from postil.learn.merit.starts import MeritTask, MistakeSlopes, members_mean, steps
from postil.learn.search.folds import make_parts
from postil.learn.tasks import CategoryTasks

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
                progress = None if told is None else _of_level(told, level, self.method.depth)
                buds = self._level(level, buds, decided, progress)
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

    def _trained(self, cases: Cases, kept: Floats | None, told: Told | None) -> LocalOptimum:
        merit = Merit(self.figure, cases, self.documents, threads=self.ground.threads)
        given = MeritTask(
            self.ground.design, self.ground.products, merit, self.ground.threads, kept
        )
        if self.method.is_perceptron:
            return _perceptrons(given, self.method, told)
        return maximise(given, self.method.node_method(), told)

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

    def _plant(self, level: int, bud: _Bud, top: LocalOptimum, at: int) -> int:
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


def _perceptrons(given: MeritTask, method: TreeMethod, told: Told | None) -> LocalOptimum:
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
    return LocalOptimum(found, -share, share, taken, np.zeros(count, dtype=bool), none, -share)


def _of_level(told: Told, level: int, depth: int) -> Told:
    return lambda done, most: told((level - 1) * most + done, depth * most)


def fit_trees(job: Job, method: TreeMethod) -> LinearFit:
    """Grow a tree for every category, and cut it where held-out documents say.

    Rows of the fit are nodes, and its combination the trees. Reports are of trees: the objective
    and the certificate (the slope left, or of perceptrons the share of mistakes) and why it
    stopped are those of the root, iterations those of all nodes.

    Cost: that of training all nodes, once, and once more for each fold. The result does not depend
    on the number of threads.
    """
    design, labels, threads = job.design, job.labels, thread_count(job.threads)
    if job.sample_weights.classes is not None:
        raise UsageError(
            "trees weigh members and others by their figure of merit: leave class weights out"
        )
    tasks = CategoryTasks(labels, job.sample_weights)
    with products_of(design, threads) as products:
        chosen = tasks.learnable
        cases = np.where(labels.members[:, chosen].toarray(), np.int8(1), np.int8(-1))
        kept = kept_terms(job.selection, design.terms, chosen)
        ground = Ground(design, products, cases, threads, kept)
        begun = time.perf_counter()
        forest = _grown(ground, labels, tasks.documents, method, job.progress)
    return _linear_fit(forest, tasks, design.terms, method, time.perf_counter() - begun)


def _grown(
    ground: Ground,
    labels: Labels,
    documents: Floats,
    method: TreeMethod,
    progress: Progress | None,
) -> Forest:
    present = np.flatnonzero(documents)
    # Few documents make few folds; a single level has nothing to cut.
    folds = min(method.folds, len(present)) if method.depth > 1 else 0
    rounds = 1 + folds
    whole = 0

    def told(number: int) -> Progress | None:
        if progress is None:
            return None

        def tell(done: int, most: int) -> None:
            nonlocal whole
            whole = rounds * most
            progress(number * most + done, whole)

        return tell

    levels = np.full(ground.cases.shape[1], method.depth)
    if folds > 1:
        part = np.full(len(documents), -1)
        part[present] = make_parts(labels.of_documents(present), folds, method.seed)
        levels = _best_levels(ground, documents, part, method, told)
    forest = Growing(ground, documents, method).grow(told(rounds - 1)).cut(levels)
    if progress is not None and whole:
        progress(whole, whole)  # levels that nothing was left for
    return forest


def _best_levels(
    ground: Ground,
    documents: Floats,
    part: NDArray[np.int64],
    method: TreeMethod,
    told: Callable[[int], Progress | None],
) -> NDArray[np.int64]:
    """How many levels of each tree are worth keeping, by documents that it did not see."""
    held = [np.zeros(ground.cases.shape, dtype=bool) for _ in range(method.depth)]
    for fold in range(int(part.max()) + 1):
        out = part == fold
        seen = np.where(out, 0.0, documents)
        forest = Growing(ground, seen, method).grow(told(fold))
        for level, accepted in enumerate(forest.accepted):
            held[level][out] = accepted[out]
    figure = method.node_method().merit_figure()
    values = np.stack([figures_of(each, ground.cases, documents, figure) for each in held])
    return np.asarray(1 + values.argmax(axis=0))  # the first of equal ones


def _linear_fit(
    forest: Forest, tasks: CategoryTasks, terms: int, method: TreeMethod, seconds: float
) -> LinearFit:
    """Rows of all nodes; where nothing was learned, a node that always says the same."""
    count = len(tasks.labels)
    place = {int(category): at for at, category in enumerate(tasks.learnable)}
    nodes: list[Node] = list(forest.nodes)
    roots = np.zeros(count, dtype=np.int32)
    for number, node in enumerate(nodes):
        if node.level == 1:
            roots[int(tasks.learnable[node.category])] = number
    for category in range(count):
        if category not in place:
            roots[category] = len(nodes)
            constant = tasks.constant(category)
            nodes.append(Node(-1, 1, np.zeros(terms), constant, 0.0, 0.0, 0))
    rows = np.zeros((len(nodes), terms), dtype=np.float32)
    for number, node in enumerate(nodes):
        rows[number] = node.weights
    trees = Trees(roots, [node.yes for node in nodes], [node.no for node in nodes])
    each = seconds / max(1, len(tasks.learnable))
    reports = tuple(
        _report(tasks, c, [nodes[n] for n in trees.nodes_of(c)], method, each)
        if c in place
        else tasks.constant_report(c, 0.0)
        for c in range(count)
    )
    return LinearFit(
        tasks.labels.names,
        sp.csr_matrix(rows),
        np.array([node.intercept for node in nodes]),
        reports,
        combination=trees,
    )


def _report(
    tasks: CategoryTasks,
    category: int,
    nodes: list[Node],
    method: TreeMethod,
    seconds: float,
) -> FitReport:
    root = nodes[0]
    levels = max(node.level for node in nodes)
    return FitReport(
        category=tasks.labels.names[category],
        members=int(tasks.sizes[category]),
        lam=method.lam,
        iterations=sum(node.iterations for node in nodes),
        objective=root.objective,
        certificate=root.certificate,
        kind="share of mistakes" if method.is_perceptron else "slope left",
        stopped=root.stopped,
        seconds=seconds,
        nonzeros=sum(int(np.count_nonzero(node.weights)) for node in nodes),
        note="" if len(nodes) == 1 else f"a tree of {len(nodes)} nodes on {levels} levels",
    )

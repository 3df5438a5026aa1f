"""Binary trees of linear decisions for all categories, grown level by level.

All nodes of a level are trained together: one table has a column for each, and documents that do
not reach a node are outside its problem. A level costs as much as training as many categories as it
has nodes. Trees are pruned on held-out folds.
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
from postil.learn.job import Job
from postil.learn.merit.ascent import LocalOptimum
from postil.learn.merit.figures import Figure, SmoothCounts
from postil.learn.merit.fit import cases_of, kept_terms, maximise, part_of
from postil.learn.merit.method import TreeMethod
from postil.learn.merit.objective import Cases, Merit, products_of
from postil.learn.merit.options import StepOptions
from postil.learn.merit.starts import MeritTask, MistakeSlopes, last_weights, members_mean
from postil.learn.search.folds import make_parts
from postil.learn.tasks import CategoryTasks


@dataclass(slots=True)
class Node:
    """A linear decision: its category, its level (the root's is 1), its weights and children."""

    category: int
    level: int
    weights: Floats
    intercept: float
    objective: float = 0.0
    certificate: float = 0.0
    iterations: int = 0
    stopped: StopReason = "iterations"
    yes: int = LEAF
    no: int = LEAF


@dataclass(slots=True)
class Forest:
    """The nodes of all trees, parents before children; ``accepted`` holds decisions by level."""

    nodes: list[Node] = field(default_factory=list)
    accepted: list[Flags] = field(default_factory=list)

    def cut(self, levels: NDArray[Any]) -> Forest:
        """Return the same with each tree no deeper than its number of levels."""
        kept = [n for n, node in enumerate(self.nodes) if node.level <= levels[node.category]]
        place = {old: new for new, old in enumerate(kept)}
        nodes = [self.nodes[old] for old in kept]
        return Forest(
            [replace(n, yes=place.get(n.yes, LEAF), no=place.get(n.no, LEAF)) for n in nodes]
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A possible node: the documents that reach it, and its parent."""

    category: int
    reached: Flags
    parent: int = LEAF
    is_yes: bool = True


class TreeGrower:
    """Trees of the categories of a task, grown on documents of given weights."""

    def __init__(self, task: MeritTask, documents: Floats, method: TreeMethod) -> None:
        self.task = task
        self.cases = task.merit.cases
        self.documents = documents
        self.method = method
        self.forest = Forest()

    def grow(self, progress: Progress | None = None) -> Forest:
        """Grow level by level, until no node can be split or the depth is reached."""
        everywhere = np.ones(len(self.documents), dtype=bool)
        candidates = [_Candidate(c, everywhere) for c in range(self.cases.shape[1])]
        decided = np.zeros(self.cases.shape, dtype=bool)
        depth = self.method.depth
        for level in range(1, depth + 1):
            if candidates:
                of_level = part_of(progress, level - 1, depth)
                candidates = self._level(level, candidates, decided, of_level)
            self.forest.accepted.append(decided.copy())
        return self.forest

    def _level(
        self,
        level: int,
        candidates: list[_Candidate],
        decided: Flags,
        progress: Progress | None,
    ) -> list[_Candidate]:
        """Train the candidates, keep those that help, and return the next ones."""
        found = self._trained(candidates, progress)
        scores = found.weights.scores(self.task.products)
        following: list[_Candidate] = []
        for at, candidate in enumerate(candidates):
            accepted = scores[:, at] > 0
            if candidate.parent != LEAF and not self._helps(candidate, accepted, decided):
                continue
            number = self._add(level, candidate, found, at)
            reached = candidate.reached
            decided[reached, candidate.category] = accepted[reached]
            following += self._children(candidate, accepted, number)
        return following

    def _trained(self, candidates: list[_Candidate], progress: Progress | None) -> LocalOptimum:
        task, categories = self.task, [each.category for each in candidates]
        reached = np.column_stack([each.reached for each in candidates])
        cases = np.ascontiguousarray(np.where(reached, self.cases[:, categories], np.int8(0)))
        of_nodes = replace(
            task,
            merit=replace(task.merit, cases=cases, documents=self.documents),
            kept=None if task.kept is None else task.kept[:, categories],
        )
        if self.method.is_perceptron:
            return _perceptrons(of_nodes, self.method, progress)
        return maximise(of_nodes, self.method.node_method(), progress).best

    def _helps(self, candidate: _Candidate, accepted: Flags, decided: Flags) -> bool:
        """Return True if the node raises the category's figure on the weighted documents."""
        before = decided[:, candidate.category]
        after = np.where(candidate.reached, accepted, before)
        cases = self.cases[:, [candidate.category] * 2]
        figure = self.task.merit.figure
        values = figures_of(np.column_stack([before, after]), cases, self.documents, figure)
        return bool(values[1] > values[0])

    def _add(self, level: int, candidate: _Candidate, found: LocalOptimum, at: int) -> int:
        """Add a node to the forest, and return its number."""
        nodes = self.forest.nodes
        number = len(nodes)
        nodes.append(
            Node(
                candidate.category,
                level,
                found.weights.terms[:, at].copy(),
                float(found.weights.intercepts[at]),
                float(found.objectives[at]),
                float(found.certificates[at]),
                int(found.iterations[at]),
                found.stopped(at, self.method.node_method().asked_tolerance()),
            )
        )
        if candidate.parent != LEAF:
            setattr(nodes[candidate.parent], "yes" if candidate.is_yes else "no", number)
        return number

    def _children(self, candidate: _Candidate, accepted: Flags, number: int) -> list[_Candidate]:
        counted = candidate.reached & (self.documents > 0)
        if accepted[counted].all() or not accepted[counted].any():
            return []  # all documents go one way: the child would decide the same
        found: list[_Candidate] = []
        for is_yes in (True, False):
            reached = candidate.reached & (accepted if is_yes else ~accepted)
            inside = self.cases[reached & counted, candidate.category]
            fewest = min(int((inside > 0).sum()), int((inside < 0).sum()))
            if fewest >= self.method.least:
                found.append(_Candidate(candidate.category, reached, number, is_yes))
        return found


def figures_of(accepted: Flags, cases: Cases, documents: Floats, figure: Figure) -> Floats:
    """Return the figure of each column of decisions."""
    members, others = documents[:, None] * (cases > 0), documents[:, None] * (cases < 0)
    counts = SmoothCounts(
        (members * accepted).sum(axis=0),
        (others * accepted).sum(axis=0),
        members.sum(axis=0),
        others.sum(axis=0),
    )
    return figure.values(counts)


def _perceptrons(task: MeritTask, method: TreeMethod, progress: Progress | None) -> LocalOptimum:
    """Train the nodes of the baseline; a step is a pass over all documents."""
    options = method.node_options()
    assert isinstance(options, StepOptions)
    slopes = MistakeSlopes(task.merit)
    found = last_weights(task, members_mean(task), slopes, options, progress)
    share = slopes.mistakes / np.maximum(task.merit.members + task.merit.others, 1e-300)
    taken = np.full(len(share), options.iterations)
    return LocalOptimum(found, -share, share, taken, np.zeros(len(share), dtype=bool))


def fit_trees(job: Job, method: TreeMethod) -> LinearFit:
    """Grow a tree for every category, and cut it at the best level of held-out documents.

    Rows of the fit are nodes, and its combination the trees. Reports are of trees: the objective,
    the certificate (the slope left, or the share of mistakes of a perceptron) and the reason of
    stopping are those of the root, iterations those of all nodes.

    The cost is that of training all nodes, once, and once more for each fold. The result does not
    depend on the number of threads.

    Parameters
    ----------
    job : Job
        The documents, their categories, and the resources; ``progress`` counts steps.
    method : TreeMethod
        The figure, the solver of nodes, and the rules of growing.
    """
    if job.sample_weights.classes is not None:
        raise UsageError(
            "trees weigh members and others by their figure of merit: leave class weights out"
        )
    tasks = CategoryTasks(job.labels, job.sample_weights)
    threads, chosen = thread_count(job.threads), tasks.learnable
    with products_of(job.design, threads) as products:
        figure = method.node_method().merit_figure()
        merit = Merit(figure, cases_of(tasks, chosen), tasks.documents, threads=threads)
        kept = kept_terms(job.selection, job.design.terms, chosen)
        task = MeritTask(job.design, products, merit, threads, kept)
        begun = time.perf_counter()
        forest = _grown(task, tasks, method, job.progress)
    return _linear_fit(forest, tasks, job.design.terms, method, time.perf_counter() - begun)


def _grown(
    task: MeritTask, tasks: CategoryTasks, method: TreeMethod, progress: Progress | None
) -> Forest:
    documents = tasks.documents
    present = np.flatnonzero(documents)
    # Few documents make few folds; a single level cannot be cut.
    folds = min(method.folds, len(present)) if method.depth > 1 else 0
    rounds = 1 + folds
    total = 0

    def of_round(number: int) -> Progress | None:
        def report(done: int, most: int) -> None:
            nonlocal total
            total = most
            if progress is not None:
                progress(done, most)

        return part_of(report, number, rounds)

    levels = np.full(task.merit.problems, method.depth)
    if folds > 1:
        part = np.full(len(documents), -1)
        part[present] = make_parts(tasks.labels.of_documents(present), folds, method.seed)
        levels = _best_levels(task, part, method, of_round)
    forest = TreeGrower(task, documents, method).grow(of_round(rounds - 1)).cut(levels)
    if progress is not None and total:
        progress(total, total)  # including levels without nodes
    return forest


def _best_levels(
    task: MeritTask,
    part: NDArray[np.int64],
    method: TreeMethod,
    of_round: Callable[[int], Progress | None],
) -> NDArray[np.int64]:
    """Return the number of levels of each tree that is best for held-out documents."""
    cases, documents = task.merit.cases, task.merit.documents
    held = [np.zeros(cases.shape, dtype=bool) for _ in range(method.depth)]
    for fold in range(int(part.max()) + 1):
        out = part == fold
        forest = TreeGrower(task, np.where(out, 0.0, documents), method).grow(of_round(fold))
        for level, accepted in enumerate(forest.accepted):
            held[level][out] = accepted[out]
    figure = task.merit.figure
    values = np.stack([figures_of(each, cases, documents, figure) for each in held])
    return np.asarray(1 + values.argmax(axis=0))  # the first of equal ones


def _linear_fit(
    forest: Forest, tasks: CategoryTasks, terms: int, method: TreeMethod, seconds: float
) -> LinearFit:
    """Return the rows of all nodes; a category without anything to learn has a constant node."""
    count, nodes = len(tasks.labels), list(forest.nodes)
    learnable = set(tasks.learnable.tolist())
    roots = np.zeros(count, dtype=np.int32)
    for number, node in enumerate(nodes):
        if node.level == 1:
            roots[int(tasks.learnable[node.category])] = number
    for category in range(count):
        if category not in learnable:
            roots[category] = len(nodes)
            nodes.append(Node(-1, 1, np.zeros(terms), tasks.constant(category)))
    rows = np.zeros((len(nodes), terms), dtype=np.float32)
    for number, node in enumerate(nodes):
        rows[number] = node.weights
    trees = Trees(roots, [node.yes for node in nodes], [node.no for node in nodes])
    each = seconds / max(1, len(learnable))
    reports = tuple(
        _report(tasks, c, [nodes[n] for n in trees.nodes_of(c)], method, each)
        if c in learnable
        else tasks.constant_report(c, 0.0)
        for c in range(count)
    )
    intercepts = np.array([node.intercept for node in nodes])
    return LinearFit(
        tasks.labels.names, sp.csr_matrix(rows), intercepts, reports, combination=trees
    )


def _report(
    tasks: CategoryTasks, category: int, nodes: list[Node], method: TreeMethod, seconds: float
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

"""Trees of all categories, pruned on held-out folds."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import CategoryTasks, Progress
from postil.learn.combining import Trees
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.fold_parts import make_parts
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.merit.fit import kept_terms
from postil.learn.merit.forest import Forest, Ground, Growing, Node, figures_of
from postil.learn.merit.products import products_of
from postil.learn.merit.tree_method import TreeMethod
from postil.learn.report import FitReport
from postil.vectors.threads import thread_count

Floats = NDArray[np.float64]


def fit_trees(
    design: Design,
    labels: Labels,
    method: TreeMethod,
    *,
    selection: Selection | None = None,
    emphasis: Emphasis | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> LinearFit:
    """Grow a tree for every category, and cut it where held-out documents say.

    Rows of the fit are nodes, and its combination the trees. Reports are of trees: the objective
    and the certificate (the slope left, or of perceptrons the share of mistakes) and why it
    stopped are those of the root, iterations those of all nodes.

    Cost: that of training all nodes, once, and once more for each fold. The result does not depend
    on the number of threads.
    """
    emphasis = emphasis or Emphasis()
    if emphasis.classes is not None:
        raise UsageError(
            "trees weigh members and others by their figure of merit: leave class weights out"
        )
    documents = emphasis.of_documents(design.documents)
    tasks = CategoryTasks(labels, documents, emphasis)
    with products_of(design, thread_count(threads)) as products:
        chosen = tasks.learnable
        cases = np.where(labels.members[:, chosen].toarray(), np.int8(1), np.int8(-1))
        kept = kept_terms(selection, design.terms, chosen)
        ground = Ground(design, products, cases, thread_count(threads), kept)
        begun = time.perf_counter()
        forest = _grown(ground, labels, documents, method, progress)
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

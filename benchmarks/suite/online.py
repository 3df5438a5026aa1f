"""Learning document by document: what a visit of a document costs a category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks import online_peers
from benchmarks.categorized import categorized
from benchmarks.harness import Cell, Line, Settings, Spread, benchmark, interleaved
from benchmarks.learning import Lesson
from benchmarks.online_peers import PEERS, Walk
from postil import TextVectorizer
from postil.errors import CorpusError
from postil.learn.job import Design, Job, Labels
from postil.learn.method import Method
from postil.learn.strength import Regularization

ANALYZER = "words lower stem(porter)"
RATE = 0.01  # zhang-2000's
PASSES, PASSES_WHEN_QUICK = 20, 3
ROUNDS, ROUNDS_WHEN_QUICK = 5, 2
NANOSECONDS = 1e9

METHODS: Mapping[str, tuple[str, str]] = {
    "Perceptron": ("mistake-driven", "gaussian"),
    "SVM": ("dual-gradient", "gaussian"),
    "Winnow": ("mistake-driven", "entropy"),
    "normalised Winnow": ("mistake-driven", "normalised-entropy"),
    "large margin Winnow": ("dual-gradient", "entropy"),
    "large margin normalised Winnow": ("dual-gradient", "normalised-entropy"),
}
"""The methods of zhang-2000: their solver and their prior."""


@benchmark("online", "passes over Reuters, document by document: Perceptron, SVM, Winnow")
def run(settings: Settings) -> Iterator[Line]:
    """Each makes one pass and many; what lies between is the cost of visits."""
    try:
        lesson = _lesson(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    passes = PASSES_WHEN_QUICK if settings.quick else PASSES
    yield from _contest(lesson, passes, ROUNDS_WHEN_QUICK if settings.quick else ROUNDS)
    yield (
        f"{lesson.matrix.shape[0]:,} documents, {lesson.matrix.shape[1]:,} binary terms, "
        f"{lesson.matrix.nnz:,} non-zeros, {len(lesson.labels)} categories, one thread. "
        "Nanoseconds are those of a visit: a document is scored for a category, and its weights "
        f"are updated if the rule says so. They are the time of {passes} passes less that of one, "
        "over the visits in between, so that nobody's preparations count. A category that has "
        "learned everything stops early in postil's mistake-driven methods, and its visits are "
        f"not counted from then on. Documents come in their order; postil's rate is {RATE:g}, "
        "large margins have C = 1. Vowpal Wabbit visits all categories at a document "
        "(--multilabel_oaa), scikit-learn and postil go by category or by blocks of eight."
    )
    if missing := online_peers.absent():
        yield missing


def _lesson(documents: int | None) -> Lesson:
    data = categorized(documents)
    vectorizer = TextVectorizer(analyzer=ANALYZER, weights="binary", norm="none")
    matrix = csr_matrix(vectorizer.fit_transform(data.training), dtype=np.float32)
    matrix.sort_indices()
    return Lesson(matrix, Labels.of(data.labels, data.categories))


def _method(solver: str, prior: str, passes: int) -> Method:
    is_held = solver == "dual-gradient"
    return Method(
        "hinge" if is_held else "perceptron",
        prior,
        solver,
        Regularization(C=1.0 if is_held else None),
        options={"rate": RATE, "iterations": passes, "shuffle": False, "tolerance": 0.0},
    )


def _own(lesson: Lesson, design: Design, solver: str, prior: str) -> Walk:
    def walk(passes: int) -> int:
        found = _method(solver, prior, passes).fit(
            Job(design, lesson.labels, threads=1, quiet=True)
        )
        return lesson.matrix.shape[0] * sum(report.iterations for report in found.reports)

    return walk


def _contest(lesson: Lesson, passes: int, rounds: int) -> Iterator[Line]:
    design = Design(lesson.matrix)
    walks = {name: peer.prepare(lesson) for name, peer in PEERS.items() if peer.is_installed()}
    peers = tuple(walks)
    for name, (solver, prior) in METHODS.items():
        walks[f"postil {name}"] = _own(lesson, design, solver, prior)
    visits = {name: walk(passes) - walk(1) for name, walk in walks.items()}
    tasks = {
        f"{name}, {many}": partial(walk, many)
        for name, walk in walks.items()
        for many in (1, passes)
    }
    seconds = interleaved(tasks, rounds)
    costs = {
        name: [
            NANOSECONDS * (long - short) / visits[name]
            for short, long in zip(seconds[f"{name}, 1"], seconds[f"{name}, {passes}"], strict=True)
        ]
        for name in walks
    }
    for name, cost in costs.items():
        row: dict[str, Cell] = {"contender": name, "ns a visit": Spread.of(cost)}
        if name not in peers:
            for peer in peers:
                row[f"× {peer}"] = Spread.of_ratios(costs[peer], cost)
            row["goal"] = "≥ 1 × each"
        yield row

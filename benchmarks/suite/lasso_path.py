"""Paths of lasso strengths with folds, against one cold fit, and against the peers' paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from benchmarks import lasso_peers
from benchmarks.harness import Cell, Line, Settings, Spread, Task, benchmark, interleaved
from benchmarks.lasso_peers import PEERS
from benchmarks.lasso_walks import FOLDS, POINTS, CategoryWalks, Walks, stacked
from benchmarks.learning import Floats, Lesson, reuters_lesson
from benchmarks.reaching import loosest
from benchmarks.suite.lasso import AIM, OPTIMUM_TOLERANCE, SOLVER
from postil.errors import CorpusError
from postil.learn.job import Design

TOLERANCE = 1e-3
ENDS = (AIM.C, 2 * AIM.C)
"""The ends of paths: the best C, and a point beyond it that shows that it is best."""
COLD = "cold fit"
GOAL = "path to the good C ≤ 12 cold fits"
NAMED = 10
PEERS_CATEGORY = 4
"""The place, by size, of the category that the peers learn too."""
CLOSE = 1e-4
"""The relative distance of the peers' summed objectives to the smallest known one."""
ROUNDS = 3
ROUNDS_WHEN_QUICK = 2


@benchmark("path", "20 lasso strengths with 5 folds for a category, against one cold fit")
def run(settings: Settings) -> Iterator[Line]:
    """Each Reuters category by itself; when quick, the ten largest and ten of the others."""
    try:
        lesson = reuters_lesson(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    design = Design(lesson.matrix)
    method = AIM.method(SOLVER, TOLERANCE)
    walks = {_title(end): Walks(lesson, design, AIM, method, end) for end in ENDS}
    rounds = ROUNDS_WHEN_QUICK if settings.quick else ROUNDS
    yield from _against_cold_fits(lesson, walks, quick=settings.quick, rounds=rounds)
    by_size = _by_size(lesson)
    walked = walks[_title(AIM.C)].of(int(by_size[min(PEERS_CATEGORY, len(by_size) - 1)]))
    yield from _against_peers(walked, rounds)
    yield (
        f"{lesson.matrix.shape[0]:,} documents, {lesson.matrix.shape[1]:,} terms, logistic loss, "
        f"Laplace prior, intercept penalised, one thread. A cold fit learns from all documents at "
        f"C = {AIM.C:g}; a path has {POINTS} points for each of {FOLDS} folds, evenly spaced by "
        "their logarithms from the strength at which the first term gets a weight down to the C "
        f"that is named, all at postil's tolerance {TOLERANCE:g}. / cold fit is how many cold fits "
        "a path costs: the less, the better."
    )
    yield (
        "Peers walk the path of one category over the same folds, each with its own matrix of a "
        "fold made before: celer and skglm start each point from the one before it, liblinear "
        "cannot (its 100 fits are those of LogisticRegressionCV, without its scores). Their "
        "tolerances are the loosest of four to a power of ten at which the sum of all points' and "
        f"folds' objectives is within {CLOSE:g} of the least known; excess says how near it is."
    )
    if missing := lasso_peers.absent():
        yield missing


@dataclass
class Times:
    """The seconds of some categories, by task: one list of rounds for each category."""

    seconds: dict[str, list[list[float]]] = field(default_factory=dict)

    def add(self, category: dict[str, list[float]]) -> None:
        """Take up a category."""
        for task, rounds in category.items():
            self.seconds.setdefault(task, []).append(rounds)

    def together(self) -> dict[str, Cell]:
        """Sums over the categories, round by round."""
        return _cells({task: _sums(each) for task, each in self.seconds.items()})

    def one_by_one(self) -> dict[str, Cell]:
        """The median category, the least and the greatest, by each one's median ratio."""
        cold = self.seconds[COLD]
        cells: dict[str, Cell] = {}
        for task, each in self.seconds.items():
            if task != COLD:
                pairs = zip(each, cold, strict=True)
                ratios = [Spread.of_ratios(own, base).median for own, base in pairs]
                cells[f"{task} / {COLD}"] = Spread.of(ratios)
        return cells


def _sums(each: Sequence[Sequence[float]]) -> list[float]:
    return [sum(turn) for turn in zip(*each, strict=True)]


def _cells(seconds: dict[str, list[float]]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for task, rounds in seconds.items():
        cells[f"{task}, seconds"] = Spread.of(rounds)
        if task != COLD:
            cells[f"{task} / {COLD}"] = Spread.of_ratios(rounds, seconds[COLD])
    return cells


def _title(end: float) -> str:
    return f"path to C = {end:g}"


def _by_size(lesson: Lesson) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.argsort(-lesson.labels.sizes(), kind="stable")


def _against_cold_fits(
    lesson: Lesson, walks: dict[str, Walks], *, quick: bool, rounds: int
) -> Iterator[Line]:
    by_size, sizes = _by_size(lesson), lesson.labels.sizes()
    largest, others = by_size[:NAMED], by_size[NAMED:]
    if quick:
        others = others[:: max(1, len(others) // NAMED)][:NAMED]
    every, smaller = Times(), Times()
    for category in [*largest.tolist(), *others.tolist()]:
        walkers = {title: walk.of(category) for title, walk in walks.items()}
        tasks: dict[str, Task] = {COLD: next(iter(walkers.values())).cold}
        tasks |= {title: walker.path for title, walker in walkers.items()}
        seconds = interleaved(tasks, rounds)
        every.add(seconds)
        if category in others:
            smaller.add(seconds)
            continue
        name = lesson.labels.names[category]
        yield _row(f"{name}, {sizes[category]:,} members", _cells(seconds))
    if len(others):
        yield _row(f"the {len(others)} smaller, together", smaller.together())
        yield _row(f"the {len(others)} smaller, one by one", smaller.one_by_one())
    count = len(largest) + len(others)
    yield _row(f"all {count}, together", every.together()) | {"goal": GOAL}
    yield _row(f"all {count}, one by one", every.one_by_one()) | {"goal": GOAL}


def _row(categories: str, cells: dict[str, Cell]) -> dict[str, Cell]:
    return {"categories": categories, "contender": "postil", **cells}


def _reach(walker: CategoryWalks, walk: Callable[[float], Floats]) -> Callable[[float], Floats]:
    return lambda tolerance: walker.objectives(walk(tolerance))


def _against_peers(walker: CategoryWalks, rounds: int) -> Iterator[Line]:
    title = _title(AIM.C)
    best = walker.objectives(stacked(walker.path(AIM.method(SOLVER, OPTIMUM_TOLERANCE)))).sum()
    reached = {"postil": walker.objectives(stacked(walker.path())).sum()}
    tolerances = {"postil": f"{TOLERANCE:g}"}
    tasks: dict[str, Task] = {"postil": walker.path}
    for name, peer in PEERS.items():
        if not peer.is_installed():
            continue
        peer.warm_up()
        walk = walker.path_of(peer)
        found = loosest(_reach(walker, walk), best * (1 + CLOSE))
        if found is None:
            yield f"{name} does not come within {CLOSE:g} of the least known objective."
            continue
        tolerance, objectives = found
        tolerances[name], reached[name] = f"{tolerance:.1g}", objectives.sum()
        tasks[name] = partial(walk, tolerance)
    seconds = interleaved(tasks, rounds)
    for name in tasks:
        row: dict[str, Cell] = {
            "categories": f"{walker.labels.names[0]}, with peers",
            "contender": name,
            f"{title}, seconds": Spread.of(seconds[name]),
            "tolerance": tolerances[name],
            "excess": f"{reached[name] / best - 1:.0e}",
        }
        if name == "postil":
            for other in list(tasks)[1:]:
                row[f"× {other}"] = Spread.of_ratios(seconds[other], seconds[name])
            row["goal"] = "≥ 1 × each peer"
        yield row

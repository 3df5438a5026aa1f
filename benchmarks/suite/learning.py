"""Learning all Reuters categories, against LIBLINEAR, to the same objective."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.against_liblinear import against_liblinear
from benchmarks.harness import Line, Settings, Spread, Task, UnequalError, benchmark, interleaved
from benchmarks.learning import Aim, Floats, Lesson, learn, weights_of
from benchmarks.liblinear_peer import ALGORITHMS, Liblinear
from benchmarks.match import AGREEMENT, Match
from benchmarks.reaching import Lagging, Learner, each, total
from postil.learn.job import Design

ENTRIES: dict[str, dict[str, tuple[str, Lagging, tuple[int, ...]]]] = {
    "dual": {
        "dual-coordinate": ("dual-coordinate", total, (1, 2)),
        "dual-coordinate, each category": ("dual-coordinate", each, (1,)),
    },
    "primal": {
        "primal-coordinate": ("primal-coordinate", total, (1, 2)),
        "newton-coordinate": ("newton-coordinate", total, (1, 2)),
    },
}
"""The opponents of LIBLINEAR's solvers: solver, objectives that count, threads."""
ROUNDS = {"dual": 9, "primal": 3}
ROUNDS_WHEN_QUICK = 2
OPTIMUM_TOLERANCE = 1e-7
CONVERSIONS = ("LIBLINEAR's conversion", "postil's conversion")


@benchmark("learning", "all Reuters categories one against the rest, to the same objective")
def run(settings: Settings) -> Iterator[Line]:
    """LIBLINEAR at its default tolerance, postil at that which reaches no higher an objective."""
    yield from against_liblinear(settings, _compare)


def _compare(lesson: Lesson, settings: Settings) -> Iterator[Line]:
    peer, design = Liblinear(lesson.matrix), Design(lesson.matrix)
    for (loss, kind), algorithm in ALGORITHMS.items():
        aim = Aim(loss)
        optimum = _optimum(lesson, design, aim)
        goal = lesson.objectives(aim, peer.learn(lesson.signs(), algorithm))
        match = Match({"loss": loss}, aim, f"LIBLINEAR -s {algorithm}", optimum, goal)
        match.check()
        task = partial(peer.learn, lesson.signs(), algorithm)
        match.enter(match.reference, task, "its default", goal)
        yield from _let_in_postil(match, kind, lesson, design)
        rounds = ROUNDS_WHEN_QUICK if settings.quick else ROUNDS[kind]
        yield from _measure(match, lesson, rounds)
    yield (
        f"{lesson.matrix.shape[0]:,} documents, {lesson.matrix.shape[1]:,} terms, "
        f"{lesson.matrix.nnz:,} non-zeros, {len(lesson.labels)} categories; C = {aim.C:g}, the "
        "intercept regularised, the same float32 weights for all (LIBLINEAR holds them as "
        "float64). LIBLINEAR stops at its own default tolerance; postil's is the loosest of four "
        "to a power of ten with which the sum of all categories' objectives is not above "
        "LIBLINEAR's, or, where it says each category, the objective of every single one."
    )
    yield (
        "Excess is the objective over the least known, less 1: of the sum of all categories, of "
        "the median one and of the worst. Seconds begin with the matrix in everybody's own form; "
        "the next column adds making it from a CSR matrix, once for all categories. LIBLINEAR is "
        "its C function, called for each category with labels written in place."
    )


def _optimum(lesson: Lesson, design: Design, aim: Aim) -> Floats:
    found = learn(design, lesson.labels, aim, "dual-coordinate", OPTIMUM_TOLERANCE, 2)
    optimum = lesson.objectives(aim, weights_of(found))
    own = np.asarray([report.objective / (2 * report.lam) for report in found.reports])
    if not np.allclose(own, optimum, rtol=AGREEMENT):
        raise UnequalError(f"{aim.loss}: postil reports other objectives than its weights have")
    return optimum


def _let_in_postil(match: Match, kind: str, lesson: Lesson, design: Design) -> Iterator[Line]:
    for name, (solver, lagging, threads) in ENTRIES[kind].items():
        learner = Learner(lesson, design, match.aim, solver)
        found = learner.plan_to_reach(match.goal, match.optimum, lagging)
        if found is None:
            yield f"{match.aim.loss}, {name}: what {match.reference} reaches is out of reach."
            continue
        plan, reached = found
        for count in threads:
            title = f"postil {name}, {count} thread{'s' * (count > 1)}"
            match.enter(title, partial(learner.learn, plan, count), str(plan), reached)


def _measure(match: Match, lesson: Lesson, rounds: int) -> Iterator[Line]:
    conversions: dict[str, Task] = {
        CONVERSIONS[0]: partial(Liblinear, lesson.matrix),
        CONVERSIONS[1]: lambda: Design(lesson.matrix).native,
    }
    seconds = interleaved({**conversions, **match.tasks}, rounds)

    def converting(name: str) -> list[float]:
        return seconds[CONVERSIONS[name != match.reference]]

    whole = {
        name: [a + b for a, b in zip(own, converting(name), strict=True)]
        for name, own in seconds.items()
    }
    for name in match.tasks:
        row = match.row(name, seconds[name])
        row["with conversion"] = Spread.of(whole[name])
        if name != match.reference:
            row["× LIBLINEAR"] = Spread.of_ratios(seconds[match.reference], seconds[name])
            row["× with conversion"] = Spread.of_ratios(whole[match.reference], whole[name])
            row["goal"] = "≥ 1 × LIBLINEAR"
        yield row

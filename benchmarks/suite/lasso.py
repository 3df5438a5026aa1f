"""Logistic regression with a Laplace prior, all Reuters categories, to the same objective."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks import lasso_peers
from benchmarks.against_liblinear import against_liblinear
from benchmarks.harness import Line, Settings, Spread, UnequalError, benchmark, interleaved
from benchmarks.lasso_peers import PEERS, LassoPeer
from benchmarks.learning import Aim, Floats, Lesson, learn, weights_of
from benchmarks.liblinear_peer import LASSO, Liblinear
from benchmarks.match import AGREEMENT, Match
from benchmarks.reaching import Lagging, Learner, each, loosest, total
from postil.learn.job import Design

AIM = Aim("logistic", "laplace", 10.0)
SOLVER = "newton-coordinate"
STOPS: dict[str, float | None] = {"its default": None, "-e 0.0001": 1e-4}
"""LIBLINEAR's tolerances: the two objectives at which everybody is compared."""
ROUNDS = 5
ROUNDS_WHEN_QUICK = 2
OPTIMUM_TOLERANCE = 1e-6
AT_ONCE = 1e9
"""A tolerance of LIBLINEAR's at which it stops before its first step."""
PREPARING = "LIBLINEAR, preparing"
ENTRIES: dict[str, Lagging] = {SOLVER: total, f"{SOLVER}, each category": each}


class Entrant:
    """A peer with its matrix; what it reaches at a tolerance is found once."""

    def __init__(self, peer: LassoPeer, lesson: Lesson) -> None:
        peer.warm_up()
        self._learn = partial(peer.learn, peer.matrix(lesson.matrix), lesson.signs(), AIM.C)
        self._lesson = lesson
        self._reached: dict[float, Floats] = {}

    def learn(self, tolerance: float) -> Floats:
        """Categories × terms, the constant last."""
        return self._learn(tolerance)

    def reach(self, tolerance: float) -> Floats:
        """The objective of each category."""
        if tolerance not in self._reached:
            self._reached[tolerance] = self._lesson.objectives(AIM, self.learn(tolerance))
        return self._reached[tolerance]


@benchmark("lasso", "L1 logistic regression of all Reuters categories, to the same objective")
def run(settings: Settings) -> Iterator[Line]:
    """LIBLINEAR at two tolerances, everybody else at those that reach no higher objectives."""
    yield from against_liblinear(settings, _compare)


def _compare(lesson: Lesson, settings: Settings) -> Iterator[Line]:
    yield from _contest(lesson, ROUNDS_WHEN_QUICK if settings.quick else ROUNDS)
    yield (
        f"{lesson.matrix.shape[0]:,} documents, {lesson.matrix.shape[1]:,} terms, "
        f"{lesson.matrix.nnz:,} non-zeros, {len(lesson.labels)} categories. Everybody minimises "
        f"‖w‖₁ + |b| + C Σ loss with C = {AIM.C:g}, on one thread. Tolerances, but for "
        "LIBLINEAR's, are the loosest of four to a power of ten with which the sum of all "
        "categories' objectives is not above LIBLINEAR's, or, where it says each category, the "
        "objective of every single one; each package measures its tolerance in its own way. "
        "Excess is the objective over the least known, less 1: of the sum of all categories, of "
        "the median one and of the worst."
    )
    yield (
        "Seconds begin with the matrix in everybody's own form: LIBLINEAR and scikit-learn by "
        "rows, celer and skglm by columns, postil both. What skglm compiles is compiled before. "
        "LIBLINEAR is its C function, called for each category with labels written in place."
    )
    if missing := lasso_peers.absent():
        yield missing


def _contest(lesson: Lesson, rounds: int) -> Iterator[Line]:
    peer, design, signs = Liblinear(lesson.matrix), Design(lesson.matrix), lesson.signs()
    optimum = _optimum(lesson, design)
    entrants = {name: Entrant(one, lesson) for name, one in PEERS.items() if one.is_installed()}
    for title, stop in STOPS.items():
        task = partial(peer.learn, signs, LASSO, AIM.C, stop)
        goal = lesson.objectives(AIM, task())
        heading = {"objective of": f"LIBLINEAR, {title}"}
        match = Match(heading, AIM, f"LIBLINEAR -s {LASSO}", optimum, goal)
        match.check()
        match.enter(match.reference, task, title, goal)
        yield from _let_in_postil(match, lesson, design)
        yield from _let_in_peers(match, entrants)
        yield from _measure(match, partial(peer.learn, signs, LASSO, AIM.C, AT_ONCE), rounds)


def _optimum(lesson: Lesson, design: Design) -> Floats:
    found = learn(design, lesson.labels, AIM, SOLVER, OPTIMUM_TOLERANCE, 2)
    optimum = lesson.objectives(AIM, weights_of(found))
    own = np.asarray([report.objective / report.lam for report in found.reports])
    if not np.allclose(own, optimum, rtol=AGREEMENT):
        raise UnequalError("lasso: postil reports other objectives than its weights have")
    return optimum


def _let_in_postil(match: Match, lesson: Lesson, design: Design) -> Iterator[Line]:
    learner = Learner(lesson, design, match.aim, SOLVER)
    for name, lagging in ENTRIES.items():
        found = learner.plan_to_reach(match.goal, match.optimum, lagging)
        if found is None:
            yield f"{name}: what {match.reference} reaches is out of reach."
            continue
        plan, reached = found
        match.enter(f"postil {name}", partial(learner.learn, plan), str(plan), reached)


def _let_in_peers(match: Match, entrants: dict[str, Entrant]) -> Iterator[Line]:
    for name, entrant in entrants.items():
        found = loosest(entrant.reach, match.goal.sum())
        if found is None:
            yield f"{name}: what {match.reference} reaches is out of reach."
            continue
        tolerance, reached = found
        match.enter(name, partial(entrant.learn, tolerance), f"{tolerance:.1g}", reached)


def _measure(match: Match, prepare: partial[Floats], rounds: int) -> Iterator[Line]:
    seconds = interleaved({PREPARING: prepare, **match.tasks}, rounds)
    peers = [name for name in match.tasks if name in PEERS]
    for name in match.tasks:
        row = match.row(name, seconds[name])
        if name != match.reference:
            row["× LIBLINEAR"] = Spread.of_ratios(seconds[match.reference], seconds[name])
        if name.startswith("postil"):
            for other in peers:
                row[f"× {other}"] = Spread.of_ratios(seconds[other], seconds[name])
            row["goal"] = "≥ 5 × LIBLINEAR"
        yield row
    yield (
        f"{match.heading['objective of']}: {Spread.of(seconds[PREPARING])} of its seconds pass "
        "before its first step: it turns the matrix to columns anew for each category."
    )

"""The algorithms of zhang-oles-2001 as printed, step by step, against the solvers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.optimize

from postil.learn.job import Job
from postil.learn.priors import PRIORS

from ..samples import EVERY, each, method_of, problem_of, sample, with_option

PAPERS = ("squared", "modified-squared", "logistic", "hinge")
PRINTED = [parts for parts in EVERY if parts[0] in PAPERS]
EVERY_PRIMAL = [parts for parts in PRINTED if parts[2] == "primal-coordinate"]
# The paper's own; other priors are in test_genkin_lewis_madigan.py.
PRIMAL = [parts for parts in EVERY_PRIMAL if "ridge" in PRIORS[parts[1]].provides]
DUAL = [parts for parts in PRINTED if parts[2] == "dual-coordinate"]
AS_PRINTED = {
    "trust_region": "doubled",
    "bound": "printed",
    "shuffle": False,
    "constant_visits": 1,
}
SWEEPS = 6


def printed_slope(loss, margins, c):
    """f' of algorithms 2 to 4; c is the continuation of algorithm 3."""
    if loss == "squared":
        return 2 * (margins - 1)
    if loss == "modified-squared":
        return np.where(margins <= 1, 2 * (margins - 1), 2 * c * (margins - 1))
    return -1 / (np.exp(margins) + 1)


def printed_bound(loss, margins, reach, c, is_exact):
    """F of algorithms 2 to 4, or the exact supremum of the logistic curvature."""
    if loss == "squared":
        return np.full(len(margins), 2.0)
    if loss == "modified-squared":
        return np.where(margins <= 1 + np.abs(reach), 2.0, 2.0 * c)
    if is_exact:
        nearest = np.maximum(0, np.abs(margins) - np.abs(reach))
        return 1 / (2 + np.exp(nearest) + np.exp(-nearest))
    return np.minimum(0.25, np.exp(np.abs(reach)) / (2 + np.exp(margins) + np.exp(-margins)))


def printed_primal(
    problem, sweeps, *, continuation=0, is_exact=False, is_doubled=True, truncation=0.0
):
    """Algorithms 2, 3 and 4. Gives weights, and after each sweep both Σ|Δr| and Σ|r|."""
    x, y, n = problem.features, problem.y, problem.n
    weights, reaches = np.zeros(x.shape[1]), np.ones(x.shape[1])
    margins, moves = np.zeros(len(y)), []
    places = list(range(x.shape[1]))
    for k in range(1, sweeps + 1):
        c = max(0.0, 1 - k / continuation) if continuation else 0.0
        before, steps = margins.copy(), 0.0
        for j in places:
            lam = problem.lam if problem.is_paid[j] else 0.0
            slope = (printed_slope(problem.loss, margins, c) * x[:, j] * y).sum()
            bound = printed_bound(problem.loss, margins, reaches[j] * x[:, j], c, is_exact)
            curvature = (bound * x[:, j] ** 2).sum() + 2 * lam * n
            step = -(slope + 2 * lam * n * weights[j]) / curvature if curvature else 0.0
            step = min(max(step, -reaches[j]), reaches[j])
            margins += step * x[:, j] * y
            steps += np.abs(step * x[:, j]).sum()
            weights[j] += step
            reaches[j] = 2 * abs(step) + 0.1 if is_doubled else max(2 * abs(step), reaches[j] / 2)
        net = np.abs(margins - before).sum()
        moves.append(({"sweep": net, "steps": steps}, np.abs(margins).sum()))
        terms = problem.x.shape[1]  # the constant, after them, stays
        small = [j for j in places if j < terms and abs(weights[j]) < truncation]
        weights[small] = 0.0
        places = [j for j in places if j not in small]
        margins = x @ weights * y
    return weights, moves


def native_weights(parts, problem, **options):
    _, _, design, labels = sample()
    method = method_of(parts, **({"tolerance": 0.0, "iterations": SWEEPS} | options))
    found = method.fit(Job(design, labels, quiet=True))
    weights = found.weights[[0]].toarray().ravel()
    return problem.theta(weights, found.intercepts[0]), found.reports[0]


def problem_for(parts):
    x, truth, _, _ = sample()
    return problem_of(x, truth[:, 0], method_of(parts))


@each(PRIMAL)
@pytest.mark.parametrize(
    ("trust_region", "bound"), list(product(["doubled", "halved"], ["printed", "exact"]))
)
def test_primal_sweeps_are_the_paper_s(parts, trust_region, bound):
    problem = problem_for(parts)
    options = AS_PRINTED | {"trust_region": trust_region, "bound": bound}
    found, _ = native_weights(parts, problem, **options)
    expected, _ = printed_primal(
        problem, SWEEPS, is_exact=bound == "exact", is_doubled=trust_region == "doubled"
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@each([parts for parts in PRIMAL if parts[0] == "modified-squared"])
@pytest.mark.parametrize("sweeps", [3, 12])
def test_continuation_is_algorithm_3(parts, sweeps):
    problem = problem_for(parts)
    options = AS_PRINTED | {"continuation": 10, "iterations": sweeps}
    found, _ = native_weights(parts, problem, **options)
    expected, _ = printed_primal(problem, sweeps, continuation=10)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@each(PRIMAL)
def test_truncation_drops_small_weights_for_good(parts):
    problem = problem_for(parts)
    found, report = native_weights(parts, problem, **AS_PRINTED, truncation=0.2)
    expected, _ = printed_primal(problem, SWEEPS, truncation=0.2)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert 0 < (expected == 0).sum() < len(expected)
    assert report.objective == pytest.approx(problem.objective(found), rel=1e-6)


@each(with_option("continuation"))
def test_continuation_ends_at_the_loss_itself(parts):
    problem = problem_for(parts)
    _, report = native_weights(parts, problem, continuation=50, tolerance=1e-6, iterations=100_000)
    assert report.stopped == "certified"
    assert report.iterations >= 50
    assert report.objective == pytest.approx(problem.minimum(), rel=1e-5)


@each([p for p in PRIMAL if p[0] == "modified-squared"])
def test_the_objective_is_of_the_loss_itself_even_within_the_continuation(parts):
    problem = problem_for(parts)
    theta, report = native_weights(parts, problem, continuation=50)
    assert report.objective == pytest.approx(problem.objective(theta), rel=1e-6)


@each(PRIMAL)
@pytest.mark.parametrize("of", ["sweep", "steps"])
def test_the_stopping_rule_is_the_paper_s(parts, of):
    problem = problem_for(parts)
    _, moves = printed_primal(problem, 200)
    expected = next(k for k, (moved, size) in enumerate(moves, 1) if moved[of] < 1e-3 * (1 + size))
    options = AS_PRINTED | {"movement": 1e-3, "movement_of": of, "iterations": 200}
    _, report = native_weights(parts, problem, **options)
    assert report.stopped == "movement"
    assert report.iterations == expected


@each(EVERY_PRIMAL)
@pytest.mark.parametrize("trust_region", ["doubled", "halved"])
def test_every_sweep_lowers_the_objective(parts, trust_region):
    problem = problem_for(parts)
    objectives = [
        native_weights(parts, problem, trust_region=trust_region, iterations=sweeps)[1].objective
        for sweeps in range(1, 8)
    ]
    assert (np.diff(objectives) <= 1e-14).all()


@each(EVERY_PRIMAL)
@pytest.mark.parametrize("bound", ["printed", "exact"])
def test_both_trust_regions_end_at_the_minimum(parts, bound):
    problem = problem_for(parts)
    for trust_region in ("doubled", "halved"):
        _, report = native_weights(
            parts,
            problem,
            **AS_PRINTED | {"trust_region": trust_region, "bound": bound},
            tolerance=1e-6,
            iterations=100_000,
        )
        assert report.stopped == "certified"
        assert report.objective == pytest.approx(problem.minimum(), rel=1e-5)


def printed_change(loss, zeta, pull, square, lam_n, rate):
    """Δζ of section 3.2, where pull is v·x y; that of squares follows from k(z) = z²/4 + z."""
    if loss == "hinge":
        return -max(zeta, min(1 + zeta, rate * (2 * lam_n + pull) / square))
    free = -((2 + zeta) * lam_n + pull) / (lam_n + square)
    if loss == "squared":
        return free
    if loss == "modified-squared":
        return min(-zeta, free)

    def equation(change):
        now = zeta + change
        return np.log((1 + now) / -now) + (pull + square * change) / (2 * lam_n)

    return scipy.optimize.brentq(equation, -1 - zeta + 1e-15, -zeta - 1e-15, xtol=1e-15)


def printed_dual(problem, passes, rate):
    """Algorithm 5, documents in their order."""
    x, y, lam_n = problem.features, problem.y, problem.lam * problem.n
    zetas, v = np.zeros(len(y)), np.zeros(x.shape[1])
    for _ in range(passes):
        for i in range(len(y)):
            square = x[i] @ x[i]
            if square == 0:
                continue
            change = printed_change(problem.loss, zetas[i], v @ x[i] * y[i], square, lam_n, rate)
            v += change * x[i] * y[i]
            zetas[i] += change
    return -v / (2 * lam_n)


@each(DUAL)
@pytest.mark.parametrize("rate", [1.0, 0.1])
def test_dual_passes_are_the_paper_s(parts, rate):
    problem = problem_for(parts)
    found, _ = native_weights(parts, problem, shuffle=False, shrink=False, rate=rate)
    np.testing.assert_allclose(found, printed_dual(problem, SWEEPS, rate), rtol=1e-8, atol=1e-8)


@each([parts for parts in DUAL if parts[0] == "hinge"])
def test_a_small_rate_ends_at_the_same_minimum(parts):
    problem = problem_for(parts)
    reports = [
        native_weights(parts, problem, rate=rate, tolerance=1e-6, iterations=10**6)[1]
        for rate in (0.1, 0.5, 1.0)
    ]
    best = [report.objective for report in reports]
    assert best == pytest.approx([best[0]] * 3, rel=1e-5)


@each(DUAL)
def test_every_pass_raises_the_dual_objective(parts):
    _, _, design, labels = sample()
    problem = problem_for(parts)
    heights = []
    for passes in range(1, 8):
        method = method_of(parts, tolerance=0.0, iterations=passes)
        found = method.fit(Job(design, labels, quiet=True, keep_starts=True))
        heights.append(problem.dual_objective(found.starts[0]))
    assert (np.diff(heights) >= -1e-12).all()

"""An ascent rises with every step, converges, and keeps problems independent."""

from __future__ import annotations

import numpy as np
import pytest

from postil.learn.merit.ascent import Ascent, Memory, dots_alone
from postil.learn.merit.figures import FBeta
from postil.learn.merit.fit import maximise
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.naming import figure_named
from postil.learn.merit.objective import SparseProducts, Weights, distance
from postil.learn.merit.options import FORMS
from postil.learn.merit.starts import Start, members_mean

from ..samples import design_of
from .ascent_samples import EVERY_FIGURE, EVERY_FORM, Problems

STEPS = 7


def maximised(problems, merit, most, *, tolerance=0.0, lam=1e-3, kept=None, chosen=slice(None)):
    ascent = Ascent(
        problems.products,
        merit,
        Weights(problems.start.terms[:, chosen], problems.start.intercepts[chosen]),
        steepness=problems.steepness[chosen],
        lam=lam,
        kept=kept,
    )
    return ascent.run(most, tolerance)


@EVERY_FIGURE
@EVERY_FORM
def test_every_step_goes_up(figure, form):
    problems = Problems(documents=40)
    merit = problems.merit(figure, form)
    before = maximised(problems, merit, 0)
    for most in range(1, STEPS + 1):
        after = maximised(problems, merit, most)
        moved = after.iterations > before.iterations
        assert (after.objectives >= before.objectives).all()
        assert (after.objectives > before.objectives)[moved & ~after.converged].all()
        # After convergence, more steps change nothing.
        np.testing.assert_array_equal(
            after.weights.terms[:, ~moved], before.weights.terms[:, ~moved]
        )
        before = after
    assert (before.objectives > maximised(problems, merit, 0).objectives).all()


@pytest.mark.parametrize(
    "figure", ["f1", "error", "balanced-error", "cost(fp=1, fn=5)", "micro-f1"]
)
@EVERY_FORM
def test_a_long_ascent_converges(figure, form):
    problems = Problems(documents=80)
    found = maximised(problems, problems.merit(figure_named(figure), form), 2000, tolerance=1e-4)
    assert found.converged.all()
    assert (found.certificates <= 1e-4).all()
    assert (found.iterations < 2000).all()


@EVERY_FORM
def test_the_certificate_is_the_slope_left_over_that_at_the_start(form):
    problems = Problems()
    merit = problems.merit(FBeta(), form)
    found = maximised(problems, merit, 5)

    def steepest(weights):
        ascent = Ascent(problems.products, merit, weights, steepness=problems.steepness, lam=1e-3)
        squares = (ascent.gradient**2).sum(axis=0)
        return np.sqrt(np.full_like(squares, squares.sum()) if merit.joint else squares)

    expected = steepest(found.weights) / steepest(problems.start)
    np.testing.assert_allclose(found.certificates, expected, rtol=1e-6)


@pytest.mark.parametrize("most", [3, 10, 40, 400])
def test_a_problem_ascends_among_others_as_alone(most):
    problems = Problems(documents=60, problems=9)
    merit = problems.merit(FBeta())
    lams = np.geomspace(1e-4, 1.0, 9)  # some arrive early, and rest
    kept = np.ones_like(problems.start.terms)
    kept[0, ::2] = 0.0
    problems.start = Weights(problems.start.terms * kept, problems.start.intercepts)
    together = maximised(problems, merit, most, tolerance=1e-4, lam=lams, kept=kept)
    if most == 400:
        assert together.converged.all()
    for at in range(9):
        one = np.array([at])
        alone = maximised(
            problems,
            merit.of(one),
            most,
            tolerance=1e-4,
            lam=lams[one],
            kept=kept[:, one],
            chosen=one,
        )
        assert alone.iterations[0] == together.iterations[at]
        np.testing.assert_allclose(alone.weights.terms[:, 0], together.weights.terms[:, at])
        np.testing.assert_allclose(alone.weights.intercepts[0], together.weights.intercepts[at])
        np.testing.assert_allclose(alone.objectives[0], together.objectives[at], rtol=1e-9)


@EVERY_FORM
def test_a_large_lambda_leaves_next_to_nothing(form):
    problems = Problems()
    merit = problems.merit(FBeta(), form)
    free, held = (maximised(problems, merit, 300, lam=lam).weights.terms for lam in (1e-4, 1e3))
    assert np.linalg.norm(held) < 1e-3
    assert np.linalg.norm(free) > 0.5


@EVERY_FORM
def test_features_that_are_not_kept_stay_as_they_were(form):
    problems = Problems()
    kept = np.ones_like(problems.start.terms)
    kept[2] = 0.0
    problems.start = Weights(problems.start.terms * kept, problems.start.intercepts)
    found = maximised(problems, problems.merit(FBeta(), form), 20, kept=kept)
    assert (found.weights.terms[2] == 0).all()
    assert (found.weights.terms[[0, 1, 3]] != problems.start.terms[[0, 1, 3]]).all()


@EVERY_FORM
def test_scores_keep_up_with_the_weights_in_single_precision(form):
    # Scores are moved along with the weights for many steps, never computed anew.
    problems = Problems(documents=200, features=10)
    products = SparseProducts(design_of(problems.x), 1)
    ascent = Ascent(
        products,
        problems.merit(FBeta(), form),
        problems.start,
        steepness=problems.steepness,
        lam=1e-4,
    )
    rest = np.ones(3, dtype=bool)
    for _ in range(150):
        ascent._step(rest)
    anew = Weights(ascent.point[:-1], ascent.point[-1]).scores(products)
    np.testing.assert_allclose(ascent.scores, anew, atol=1e-5 * np.abs(anew).max())


def test_a_start_on_level_ground_stays():
    problems = Problems()
    merit = problems.merit(FBeta())
    problems.start = Weights(np.zeros_like(problems.start.terms), np.full(3, -1e4))
    found = maximised(problems, merit, 10)
    assert found.converged.all()
    assert (found.iterations == 0).all()
    np.testing.assert_array_equal(found.weights.intercepts, problems.start.intercepts)


def test_the_memory_is_that_of_the_inverse_curvature():
    # On a quadratic with as many pairs as dimensions, the direction is Newton's.
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4))
    curvature = root @ root.T + np.eye(4)
    memory = Memory(10, dots_alone)
    assert not memory.knows_curvature
    # Directions that are conjugate to each other tell all there is to know.
    basis = np.linalg.eigh(curvature)[1]
    for step in basis.T:
        memory.keep(step[:, None], (curvature @ step)[:, None])
    gradient = rng.normal(size=(4, 1))
    np.testing.assert_allclose(
        memory.direction(gradient), -np.linalg.solve(curvature, gradient), rtol=1e-5
    )


def test_pairs_without_curvature_are_passed_over():
    memory, fresh = Memory(5, dots_alone), Memory(5, dots_alone)
    steps, changes = np.eye(3)[:, :2], 2.0 * np.eye(3)[:, :2]
    for each in (memory, fresh):
        each.keep(steps, changes)
    memory.keep(np.ones((3, 2)), np.array([[-1.0, 0.0]] * 3))
    gradient = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(memory.direction(gradient), fresh.direction(gradient))


def start_from(monkeypatch, start):
    """Start every run from given weights."""
    given = [Start("given", "", frozenset(), lambda _: start)]
    monkeypatch.setattr(MfomMethod, "start_parts", lambda _: given)


@pytest.mark.parametrize("figure", ["f1", "micro-f1"])
@pytest.mark.parametrize(("form", "most"), [("binary", 0), ("binary", 2000), ("unclaimed", 0)])
def test_lambda_means_the_same_whatever_the_unit_of_the_start(figure, form, most, monkeypatch):
    problems = Problems(documents=80)
    chosen = problems.merit(figure_named(figure), FORMS[form])
    given = problems.task(FBeta())
    object.__setattr__(given, "merit", chosen)
    start = members_mean(given)
    options = {"iterations": most, "tolerance": 1e-7, "steepness": 3.0}
    sharp = {"sharpness": 3.0} if FORMS[form].has_rivals else {}
    method = MfomMethod(figure, form, lam=1e-2, options=options, **sharp)
    found = []
    for unit in (1.0, 64.0, 1 / 64):
        start_from(monkeypatch, Weights(unit * start.terms, unit * start.intercepts))
        found.append(maximise(given, method).best)
    for unit, top in zip((64.0, 1 / 64), found[1:], strict=True):
        np.testing.assert_allclose(top.objectives, found[0].objectives, rtol=1e-5)
        tolerance = 1e-12 if most == 0 else 2e-2
        np.testing.assert_allclose(
            top.weights.terms / unit,
            found[0].weights.terms,
            atol=tolerance * np.abs(found[0].weights.terms).max(),
        )


def test_the_distance_is_between_the_means_and_never_nothing():
    problems = Problems(problems=4)
    merit = problems.merit(FBeta())
    scores = problems.start.scores(problems.products)
    scores[:, 2] = 0.1  # no distance but rounding
    gaps = distance(scores, merit)
    for at in (0, 1, 3):
        cases, weights = problems.cases[:, at], problems.documents
        means = [
            np.average(scores[cases == side, at], weights=weights[cases == side])
            for side in (1, -1)
        ]
        assert gaps[at] == pytest.approx(abs(means[0] - means[1]), rel=1e-5)
    assert gaps[2] == 1.0

"""The objective and its slope against the formulas, and against small steps."""

from __future__ import annotations

import numpy as np
import pytest

from postil.learn.merit.ascent import Ascent
from postil.learn.merit.figures import FBeta
from postil.learn.merit.objective import DenseProducts, SparseProducts, Weights
from postil.learn.merit.options import FORMS

from ..samples import design_of
from .ascent_samples import EVERY_FIGURE, EVERY_FORM, Problems, losses_by_formula

STEP = 1e-5
PARTS = pytest.mark.parametrize("parts", [False, True], ids=["all documents", "some documents"])
LAMBDAS = pytest.mark.parametrize("lam", [0.0, 0.07])


def ascent_at(problems, merit, place, lam, kept=None):
    start = Weights(place[:-1], place[-1])
    return Ascent(problems.products, merit, start, steepness=problems.steepness, lam=lam, kept=kept)


def slopes_by_steps(loss_at, place):
    """Central differences: of each problem's loss in its own weights."""
    slopes = np.empty_like(place)
    for at in np.ndindex(place.shape):
        moved = np.zeros_like(place)
        moved[at] = STEP
        slopes[at] = (loss_at(place + moved) - loss_at(place - moved))[at[1]] / (2 * STEP)
    return slopes


@EVERY_FIGURE
@EVERY_FORM
@LAMBDAS
@PARTS
def test_losses_and_gradients_are_those_of_the_formula(figure, form, lam, parts):
    problems = Problems(parts=parts)
    place = problems.start.stacked()
    ascent = ascent_at(problems, problems.merit(figure, form), place, lam)

    def loss_at(at):
        return losses_by_formula(problems, figure, form, at, lam)

    np.testing.assert_allclose(ascent.losses, loss_at(place), rtol=1e-10)
    slopes = slopes_by_steps(loss_at, place)
    np.testing.assert_allclose(ascent.gradient, slopes, rtol=1e-6, atol=1e-7 * np.abs(slopes).max())


@pytest.mark.parametrize("form", ["rivals", "unclaimed"])
@pytest.mark.parametrize("absent", [1, 40])
def test_rivals_that_never_compete_are_counted(form, absent):
    problems, figure = Problems(), FBeta()
    place = problems.start.stacked()
    merit = problems.merit(figure, FORMS[form], absent)
    ascent = ascent_at(problems, merit, place, 0.0)

    def loss_at(at):
        return losses_by_formula(problems, figure, FORMS[form], at, 0.0, absent)

    np.testing.assert_allclose(ascent.losses, loss_at(place), rtol=1e-10)
    slopes = slopes_by_steps(loss_at, place)
    np.testing.assert_allclose(ascent.gradient, slopes, rtol=1e-6, atol=1e-7)
    assert (
        ascent.losses[0]
        != ascent_at(problems, problems.merit(figure, FORMS[form]), place, 0).losses[0]
    )


def test_each_problem_may_have_a_lambda_of_its_own():
    problems, figure = Problems(), FBeta()
    place, lams = problems.start.stacked(), np.array([0.0, 0.1, 2.0])
    ascent = ascent_at(problems, problems.merit(figure), place, lams)
    for at, lam in enumerate(lams):
        one = ascent_at(problems, problems.merit(figure), place, lam)
        assert ascent.losses[at] == one.losses[at]
        np.testing.assert_array_equal(ascent.gradient[:, at], one.gradient[:, at])


@EVERY_FORM
def test_features_that_are_not_kept_have_no_slope(form):
    problems = Problems()
    place = problems.start.stacked()
    kept = np.ones_like(place[:-1])
    kept[1, 0] = kept[3] = 0.0
    place[:-1] *= kept
    free = ascent_at(problems, problems.merit(FBeta(), form), place, 0.1)
    held = ascent_at(problems, problems.merit(FBeta(), form), place, 0.1, kept)
    np.testing.assert_array_equal(held.losses, free.losses)
    np.testing.assert_array_equal(held.gradient[:-1], free.gradient[:-1] * kept)
    np.testing.assert_array_equal(held.gradient[-1], free.gradient[-1])


@EVERY_FIGURE
@EVERY_FORM
def test_single_precision_is_near_double(figure, form):
    problems = Problems(documents=200)
    place = problems.start.stacked()
    double = ascent_at(problems, problems.merit(figure, form), place, 0.01)
    for products in (
        SparseProducts(design_of(problems.x), 1),
        DenseProducts(problems.x.astype(np.float32), 1),
    ):
        problems.products = products
        single = ascent_at(problems, problems.merit(figure, form), place, 0.01)
        largest = np.abs(double.gradient).max()
        np.testing.assert_allclose(single.losses, double.losses, rtol=1e-6)
        np.testing.assert_allclose(single.gradient, double.gradient, atol=2e-6 * largest)


def test_margins_above_0_are_what_is_surely_accepted():
    problems = Problems(documents=100)
    for form in FORMS.values():
        merit = problems.merit(FBeta(), form)
        scores = problems.start.scores(problems.products)
        found = merit.evaluate(scores, problems.steepness, np.zeros(3), np.empty_like(scores))
        accepted = merit.margins(scores) > 0
        inside = problems.documents @ (accepted & (problems.cases > 0))
        outside = problems.documents @ (accepted & (problems.cases < 0))
        np.testing.assert_array_equal(found.sure.true_positives, inside)
        np.testing.assert_array_equal(found.sure.false_positives, outside)

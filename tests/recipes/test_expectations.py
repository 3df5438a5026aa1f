"""Printed values of a recipe's paper beside measured ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.evaluate import measure_run
from postil.recipes.parts import MEASURES, compare_with_paper
from postil.recipes.recipe import Recipe, load_recipe, recipe_names

TRUTH = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
DECIDED = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=bool)
SCORES = np.array([[0.9, 0.1], [0.8, 0.5], [0.1, 0.9], [0.2, 0.2]])


def report(scores=SCORES):
    return measure_run(sp.csr_matrix(TRUTH), sp.csr_matrix(DECIDED), scores=scores)


def recipe_of(**expected):
    table = {"corpus": "c", "measure": "micro-f1", "value": 85.0, "tolerance": 1.0, **expected}
    return Recipe.from_dict({"name": "r", "expect": [table]})


def test_ours_and_the_difference():
    (found,) = compare_with_paper(recipe_of(), "c", report())
    assert found.ours == pytest.approx(100 * 6 / 7)
    assert found.difference == pytest.approx(100 * 6 / 7 - 85)
    assert found.near
    assert found.to_dict()["near"] is True
    assert not compare_with_paper(recipe_of(tolerance=0.5), "c", report())[0].near
    assert compare_with_paper(recipe_of(), "d", report()) == []


def test_a_break_even_point_needs_scores():
    wanted = recipe_of(measure="micro-break-even")
    assert compare_with_paper(wanted, "c", report())[0].ours == pytest.approx(75)
    assert compare_with_paper(wanted, "c", report(None))[0].ours is None


def test_what_is_not_measured_is_not_near():
    (found,) = compare_with_paper(recipe_of(measure="cost"), "c", report())
    assert (found.ours, found.difference, found.near) == (None, None, False)


def test_every_recipe_expects_what_can_be_measured():
    for name in recipe_names():
        assert {each.measure for each in load_recipe(name).expect} <= MEASURES.keys()

"""Recipes: the files that come with postil, and files of a user's own."""

from __future__ import annotations

import pytest

from postil.errors import InputError, UsageError
from postil.recipes.recipe import Recipe, load_recipe, recipe_names, recipe_text

PUBLISHED = {
    "lin-reg": 1e-3,
    "mod-least-squares": 1e-3,
    "mod-least-squares-dual": 1e-3,
    "logistic": 1e-4,
    "logistic-dual": 1e-4,
    "svm": 1e-3,
    "mod-svm": 1e-3,
}


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_whole_and_prints_back(name):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.title
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    recipe.representation.vectorizer()


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_settings_of_zhang_oles_2001(name):
    recipe = load_recipe(name)
    assert recipe.paper == "zhang-oles-2001"
    assert recipe.learn["lam"] == PUBLISHED[name]
    assert (recipe.selection.measure, recipe.selection.terms) == ("gini", 10000)
    assert recipe.representation.weights == "binary"
    assert recipe.representation.apart
    assert recipe.representation.min_occurrences == 3
    assert recipe.decide.rule == "training-error"
    assert {expected.measure for expected in recipe.expect} == {"micro-f1", "micro-break-even"}


def test_a_recipe_by_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(recipe_text("default").replace('"default"', '"mine"', 1), encoding="utf-8")
    assert load_recipe(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 1 2", "it is not TOML"),
        ('title = "x"', "needs a name"),
        ('name = "x"\n[learn]\nlos = "hinge"', "did you mean 'loss'"),
        ('name = "x"\n[learn]\nloss = "hing"', "did you mean 'hinge'"),
        ('name = "x"\n[learn]\nloss = "hinge"\nsolver = "primal-coordinate"', "curvature bound"),
        ('name = "x"\n[learn]\nlam = 1.0\nC = 1.0', "say the same thing"),
        ('name = "x"\n[learn.options]\nsweeps = 3', "has no option 'sweeps'"),
        ('name = "x"\n[learn]\nlearner = "naive-base"', "did you mean 'naive-bayes'"),
        ('name = "x"\n[decide]\nrule = "f2"', "f2"),
        ('name = "x"\n[selecton]\nterms = 3', "did you mean 'selection'"),
    ],
)
def test_a_bad_recipe_says_where_and_what(tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((UsageError, InputError), match=message) as caught:
        load_recipe(str(path))
    assert "bad.toml" in str(caught.value)


def test_an_unknown_name_is_met_with_near_ones():
    with pytest.raises(UsageError, match="did you mean 'logistic'"):
        load_recipe("logistc")

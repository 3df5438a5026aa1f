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
        ("name = 1 2", "the file is not TOML"),
        ('title = "x"', "needs a name"),
        ('name = "x"\n[learn]\nlos = "hinge"', "did you mean 'loss'"),
        ('name = "x"\n[learn]\nloss = "hing"', "did you mean 'hinge'"),
        ('name = "x"\n[learn]\nloss = "hinge"\nsolver = "primal-coordinate"', "curvature bound"),
        ('name = "x"\n[learn]\nlam = 1.0\nC = 1.0', "set the same strength"),
        ('name = "x"\n[learn.options]\nsweeps = 3', "has no entry 'sweeps'"),
        ('name = "x"\n[learn]\nlearner = "naive-base"', "did you mean 'naive-bayes'"),
        ('name = "x"\n[decide]\nrule = "f2"', "f2"),
        ('name = "x"\n[selecton]\nterms = 3', "did you mean 'selection'"),
        ('name = "x"\n[decide]\ncalibration = "logistic"', 'write calibration = "platt", or loss'),
        (
            'name = "x"\n[learn]\nlearner = "naive-bayes"\n[decide]\ncalibration = "logistic"',
            'decide. calibration: "logistic" needs scores that are logarithms of odds',
        ),
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


@pytest.mark.parametrize("name", ["nosuch.toml", "folder/nosuch.toml", "folder/nosuch"])
def test_a_path_that_leads_nowhere_is_no_unknown_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"recipe {name}: the file does not exist"):
        load_recipe(name)


def test_a_recipe_of_ours_with_a_file_ending_is_met_with_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="does not exist; write logistic, without"):
        load_recipe("logistic.toml")


def test_a_folder_is_no_recipe(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match=r"folder.toml: cannot be read \(Is a directory\)"):
        load_recipe(str(tmp_path / "folder.toml"))


def test_a_search_takes_the_place_of_the_strength_that_was_given():
    given = load_recipe("logistic")
    searching = given.searching(shared=False, folds=3)
    assert "lam" not in searching.learn
    assert searching.learn["solver"] == given.learn["solver"]
    assert searching.search is not None
    assert (searching.search.shared, searching.search.folds) == (False, 3)
    assert searching.search.grid is None  # the usual one of λ
    assert Recipe.from_dict(searching.to_dict()) == searching
    # What the first search said stays where the second says nothing.
    assert searching.searching(folds=4).search.shared is False


def test_naive_bayes_has_nothing_to_search_for():
    with pytest.raises(UsageError, match="Naive Bayes has no λ"):
        load_recipe("naive-bayes-2").searching()


def test_the_native_calibration_goes_with_the_logistic_loss():
    table = {"name": "x", "learn": {"loss": "logistic"}, "decide": {"calibration": "logistic"}}
    assert Recipe.from_dict(table).decide.calibration == "logistic"


def test_a_seed_is_the_solvers_unless_it_has_one():
    def seed_of(seed, /, **options):
        recipe = Recipe.from_dict({"name": "x", "learn": {"options": options}})
        return recipe.method(seed).solver_options.seed

    assert seed_of(None) == 0
    assert seed_of(7) == 7
    assert seed_of(7, seed=3) == 3
    assert seed_of(7, iterations=5) == 7
    load_recipe("naive-bayes-1").method(7)
    with pytest.raises(UsageError, match="seed must be a whole number of at least 0"):
        seed_of(-1)


@pytest.mark.parametrize(
    ("measure", "rule"),
    [
        ("accuracy", "best"),
        ("macro-f1", "best"),
        ("precision>=0.9", "sure-precision(0.9) at-most(1)"),
        ("recall>=0.9", "sure-recall(0.9)"),  # which takes more than one candidate
    ],
)
def test_the_rule_of_an_aim_for_documents_of_one_label(measure, rule):
    recipe = load_recipe("default").aimed_at(measure)
    assert recipe.for_documents(single_label=True).decide.rule == rule
    if measure.startswith("recall"):
        asked = recipe.deciding("one").for_documents(single_label=True)
        assert asked.decide.rule == f"{rule} at-most(1)"

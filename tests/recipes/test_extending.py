"""Recipes that extend others, and what stands in for tables that are left out."""

from __future__ import annotations

import pytest

from postil.errors import PostilError, UsageError
from postil.recipes.recipe import Recipe, load_recipe


def changed(base, **tables):
    return Recipe.from_dict({"extends": base, **tables})


def test_entries_are_merged_table_by_table():
    recipe, base = changed("default", learn={"C": 0.3}), load_recipe("default")
    assert recipe.learn == {**base.learn, "C": 0.3}
    assert (recipe.representation, recipe.decide) == (base.representation, base.decide)
    assert (recipe.name, recipe.title, recipe.fallback_note) == ("default, changed", "", "")
    # The whole recipe is what a model stores.
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    assert not changed("svm", name="mine").expect


@pytest.mark.parametrize(
    ("base", "tables", "learn"),
    [
        ("default", {"learn": {"lam": 1e-3}}, {"lam": 1e-3}),
        ("default", {"search": {"folds": 3}}, {}),
        ("lasso-logistic", {"learn": {"prior_variance": 2.0}}, {"prior_variance": 2.0}),
    ],
)
def test_one_strength_or_one_search(base, tables, learn):
    recipe = changed(base, **tables)
    assert {
        key: recipe.learn[key] for key in ("lam", "C", "prior_variance") if key in recipe.learn
    } == learn
    assert (recipe.search is None) == bool(learn)


def test_what_belongs_to_another_part_ends_with_it():
    assert changed("default", learn={"learner": "naive-bayes"}).learn == {"learner": "naive-bayes"}
    own = changed("perceptron", learn={"options": {"iterations": 7}}).learn["options"]
    assert own == {**load_recipe("perceptron").learn["options"], "iterations": 7}
    other = changed("perceptron", learn={"loss": "hinge", "solver": "dual-gradient"}).learn
    assert "options" not in other
    assert changed("svm", selection={"threshold": 0.1}).selection.terms is None
    assert changed("default", aim={"measure": "f2"}).decide.rule == "f-beta(2)"
    assert changed("lasso-logistic", search={"over": "C"}).search.grid is None


def test_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "base.toml").write_text('name = "base"\nextends = "logistic"\n[learn]\nlam = 0.5')
    path = tmp_path / "deep" / "mine.toml"
    path.write_text('name = "mine"\nextends = "../base.toml"\n[decide]\nrule = "f1"')
    recipe = load_recipe(str(path))
    assert (recipe.name, recipe.learn["loss"], recipe.learn["lam"]) == ("mine", "logistic", 0.5)
    assert recipe.decide.rule == "f1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "defalt"', "a.toml: there is no recipe 'defalt'; did you mean 'default'"),
        ('extends = "none.toml"', "none.toml: the file does not exist"),
        ("extends = 3", "extends: expected the name or path of a recipe, got 3; write extends ="),
        ('extends = "../x/a.toml"', "a recipe cannot extend itself, and .*a.toml extends .*a.toml"),
        ('extends = "b.toml"', "cannot extend itself, and .*a.toml extends .*b.toml extends .*a"),
        ('extends = "default"\nlearn = 3', r"\[learn\]: expected a table, got 3"),
        ('extends = "default"\n[learn]\nlos = 3', r"did you mean 'loss'"),
        ('extend = "default"', "did you mean 'extends'"),
    ],
)
def test_wrong_extensions_are_named(tmp_path, text, message):
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "a.toml").write_text(text)
    (folder / "b.toml").write_text('extends = "a.toml"')
    with pytest.raises(PostilError, match=message) as caught:
        load_recipe(str(folder / "a.toml"))
    assert isinstance(caught.value, UsageError)


def test_a_recipe_that_lacks_tables_says_what_stands_in():
    note = Recipe.from_dict({"name": "mine", "learn": {"loss": "logistic"}}).fallback_note
    assert note.startswith(
        'the recipe mine has no [representation] and no [decide], so postil uses weights = "tfidf" '
        'and rule = "default" without probabilities; write extends'
    )
    assert load_recipe("perceptron").fallback_note == ""

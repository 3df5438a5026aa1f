"""A recipe that aims at a measure: what it sets, what it fills in, what it refuses."""

from __future__ import annotations

import pytest

from postil.errors import PostilError, SpecError, UsageError
from postil.recipes.parts import Aim
from postil.recipes.recipe import Recipe, load_recipe, recipe_names, search_measure_for


def recipe_of(**tables):
    return Recipe.from_dict({"name": "trial", **tables})


class TestAimedAt:
    @pytest.mark.parametrize(
        ("measure", "rule"),
        [
            ("f1", "f1"),
            ("recall>=0.95", "sure-recall(0.95)"),
            ("cost(fp=1, fn=5)", "cost(0.2) fbr.1(0)"),
            ("micro-f1", "micro-f1"),
        ],
    )
    def test_the_rule_and_the_aim(self, measure, rule):
        aimed = load_recipe("default").aimed_at(measure)
        assert aimed.decide.rule == rule
        assert aimed.aim == Aim(measure, compare=True)
        assert aimed.learn == load_recipe("default").learn
        assert aimed.search is None
        assert Recipe.from_dict(aimed.to_dict()) == aimed

    def test_without_comparing(self):
        assert load_recipe("default").aimed_at("f1", compare=False).aim == Aim("f1")

    def test_the_name_is_canonical(self):
        assert load_recipe("default").aimed_at("t11u").aim == Aim("utility(tp=2, fp=-1)", True)

    def test_how_many_categories_a_document_has_stays(self):
        kept = recipe_of(decide={"rule": "default at-least(1) at-most(3)"}).aimed_at("f2")
        assert kept.decide.rule == "f-beta(2) at-least(1) at-most(3)"
        assert recipe_of(decide={"rule": "best"}).aimed_at("f2").decide.rule == "f-beta(2)"

    def test_a_search_goes_by_it(self):
        searched = recipe_of(search={"grid": [0.1, 0.01], "measure": "loss"})
        assert searched.aimed_at("recall>=0.9").search.measure == "recall>=0.9"
        assert searched.aimed_at("f1").search.measure == "micro-f1"
        assert searched.aimed_at("error").search.measure == "error"

    def test_so_does_a_search_that_is_asked_for_later(self):
        aimed = load_recipe("default").aimed_at("cost(fp=1, fn=5)")
        assert aimed.searching().search.measure == "cost(fp=1, fn=5)"
        assert aimed.searching(measure="loss").search.measure == "loss"
        assert load_recipe("default").searching().search.measure == "break-even"

    def test_what_a_paper_prints_is_of_another_method(self):
        with_numbers = next(recipe for recipe in map(load_recipe, recipe_names()) if recipe.expect)
        assert with_numbers.aimed_at("f1").expect == ()

    def test_every_recipe_can_aim_or_says_why_not(self):
        for recipe in map(load_recipe, recipe_names()):
            if recipe.method().compares_scores:
                with pytest.raises(UsageError, match="one-vs-rest"):
                    recipe.aimed_at("f1")
            else:
                assert recipe.aimed_at("recall>=0.9").aim is not None

    def test_a_measure_that_is_none(self):
        with pytest.raises(SpecError, match="did you mean 'error'"):
            load_recipe("default").aimed_at("eror")


class TestFile:
    def test_what_it_does_not_say_is_filled_in(self):
        recipe = recipe_of(aim={"measure": "recall>=0.9"}, search={"folds": 3})
        assert recipe.decide.rule == "sure-recall(0.9)"
        assert recipe.search.measure == "recall>=0.9"
        assert recipe.aim == Aim("recall>=0.9", compare=False)

    def test_what_it_says_is_kept(self):
        recipe = recipe_of(
            aim={"measure": "f1", "compare": True},
            decide={"rule": "break-even", "folds": 3},
            search={"measure": "loss"},
        )
        assert recipe.decide.rule == "break-even"
        assert recipe.search.measure == "loss"
        assert recipe.aim.compare

    @pytest.mark.parametrize(
        ("tables", "said"),
        [
            ({"aim": {"measure": "f"}}, r"the recipe: \[aim\]: measure 'f'"),
            ({"aim": {}}, r"\[aim\] needs a measure"),
            ({"aim": {"measure": "f1", "comp": True}}, "did you mean 'compare'"),
            (
                {"aim": {"measure": "f1", "compare": True}, "decide": {"rule": "best"}},
                "tuned out of fold, and the rule 'best' has none",
            ),
            ({"search": {"measure": "recall>=2"}}, "up to 1"),
            ({"search": {"measure": "lost"}}, "did you mean 'loss'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, tables, said):
        with pytest.raises(PostilError, match=said):
            recipe_of(**tables)


@pytest.mark.parametrize("learner", ["mfom", "tree"])
def test_a_learner_that_trains_for_figures_is_told_the_figure(learner):
    assert recipe_of(learn={"learner": learner}).trains_for_figures
    assert not recipe_of().trains_for_figures
    told = recipe_of(learn={"learner": learner}).aimed_at("f2")
    assert told.learn == {"learner": learner, "figure": "f2"}
    assert told.aim == Aim("f2", compare=False)
    filled = recipe_of(learn={"learner": learner}, aim={"measure": "f2"})
    assert filled.learn["figure"] == "f2"
    kept = recipe_of(learn={"learner": learner, "figure": "f1"}, aim={"measure": "f2"})
    assert kept.learn["figure"] == "f1"


def test_f1_of_a_search_is_not_that_of_scores_of_0():
    from postil.learn.merit.naming import figure_named

    assert search_measure_for(figure_named("f1")) == "micro-f1"
    assert search_measure_for(figure_named("f2")) == "f2"

"""A recipe's [search] table: what it asks for is what is learned with."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.errors import UsageError
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.train import train


def recipe_of(**tables):
    return Recipe.from_dict({"name": "trial", **tables})


def documents():
    words = {"a": "apple pear plum fig", "b": "iron tin lead zinc"}
    rng = np.random.default_rng(0)
    for number in range(24):
        label = "ab"[number % 2]
        picked = rng.choice(words[label].split(), 3)
        yield Document(str(number), {"text": " ".join([*picked, "common"])}, (label,), "train")


TOGETHER = {"learner": "polychotomous", "prior": "laplace"}
BEST = {"rule": "best"}


class TestSearching:
    def test_a_recipe_asks_for_it(self):
        table = {"grid": [1.0, 0.01], "folds": 3, "measure": "loss", "shared": False}
        recipe = recipe_of(search=table)
        assert Recipe.from_dict(recipe.to_dict()) == recipe
        told = []
        model = train(documents(), recipe, progress=lambda *step: told.append(step))
        chosen = {row["category"]: row["lam"] for row in model.method["search"]["categories"]}
        assert {r["category"]: r["lam"] for r in model.reports} == chosen
        assert ("searching λ", 12, 12) in told

    def test_what_was_found_is_what_is_learned_with(self):
        model = train(documents(), recipe_of(search={"grid": [0.1, 0.01], "folds": 3}))
        found = model.method["search"]["lam"]
        fixed = train(documents(), recipe_of(learn={"lam": found}))
        np.testing.assert_array_equal(model.weights.toarray(), fixed.weights.toarray())
        assert "seconds" not in model.method["search"]

    def test_with_a_selection_and_an_out_of_fold_rule(self):
        model = train(
            documents(),
            recipe_of(
                search={"grid": [0.1, 0.01], "folds": 3},
                selection={"measure": "gini", "terms": 4},
                decide={"rule": "f1", "folds": 3},
            ),
        )
        assert {report["lam"] for report in model.reports} <= {0.1, 0.01}

    def test_few_documents_make_few_folds(self):
        few = islice(documents(), 4)
        model = train(few, recipe_of(search={"grid": [0.1, 0.01]}))
        assert model.method["search"]["folds"] == 4

    def test_without_a_search_nothing_is_said(self):
        recipe = recipe_of()
        assert recipe.search is None
        assert "search" not in recipe.to_dict()
        assert train(documents(), recipe).method == {"fields": ["text"]}

    @pytest.mark.parametrize(
        ("tables", "message"),
        [
            ({"search": {}, "learn": {"learner": "naive-bayes"}}, "Naive Bayes has no λ"),
            ({"search": {}, "learn": {"lam": 0.1}}, r"\[learn\] gives lam and \[search\]"),
            ({"search": {"measure": "log-likelihood"}}, "gives a likelihood"),
            ({"search": {"folds": 0}}, "at least 2"),
            ({"search": {"lambdas": [1.0]}}, r"\[search\] has no entry 'lambdas'"),
            ({"search": {"over": "sigma"}}, r"\[search\] over: expected one of lam, C"),
            ({"search": {"grid": "automatic"}}, 'or "auto", got "automatic"'),
            ({"search": {"rounds": 6}}, "at most the number of folds, 5, not 6"),
            ({"search": {"cut": "fair"}}, r"\[search\] cut: expected one of stratified, random"),
            ({"search": {"exactly": True}}, "write most_terms = 10"),
            ({"search": {"most_terms": 5}}, "needs a prior that leaves terms out, and gaussian"),
            (
                {"search": {"most_terms": 5}, "learn": TOGETHER, "decide": BEST},
                "most_terms needs a strength for each category",
            ),
            (
                {"search": {"measure": "break-even"}, "learn": TOGETHER, "decide": BEST},
                "break-even needs a threshold for each category",
            ),
            (
                {"search": {}, "learn": {**TOGETHER, "C": 1.0}, "decide": BEST},
                r"\[learn\] gives C and \[search\]",
            ),
            ({"search": {"most_terms": 0}}, r"\[search\] most_terms: expected"),
        ],
    )
    def test_what_cannot_be_is_refused_before_any_work(self, tables, message):
        with pytest.raises(UsageError, match=message):
            recipe_of(**tables)

    def test_a_recipe_may_gain_one(self):
        recipe = replace(recipe_of(), search=recipe_of(search={"folds": 2}).search)
        assert recipe.search.folds == 2


LASSO = {"loss": "logistic", "prior": "laplace", "solver": "newton-coordinate"}


class TestWays:
    def test_a_variance_is_kept_for_all_documents(self):
        table = {"over": "prior_variance", "grid": [1.0, 100.0], "folds": 3}
        model = train(documents(), recipe_of(search=table, learn=LASSO))
        found = model.method["search"]["prior_variance"]
        fixed = train(documents(), recipe_of(learn={**LASSO, "prior_variance": found}))
        np.testing.assert_array_equal(model.weights.toarray(), fixed.weights.toarray())
        # λ = √2/(nσ) of all 24 documents, not of those of a fold.
        expected = np.sqrt(2 / found) / 24
        assert [r["lam"] for r in model.reports] == pytest.approx([expected] * 2)

    def test_the_partial_folds_of_the_paper(self):
        table = {"over": "prior_variance", "folds": 10, "rounds": 2, "measure": "log-likelihood"}
        model = train(documents(), recipe_of(search={**table, "shared": False}, learn=LASSO))
        search = model.method["search"]
        assert (search["folds"], search["rounds"], len(search["grid"])) == (10, 2, 10)

    def test_a_random_cut_leaves_each_category_to_its_folds(self):
        table = {"over": "prior_variance", "folds": 10, "measure": "log-likelihood"}
        table |= {"shared": False, "cut": "random"}
        search = train(documents(), recipe_of(search=table, learn=LASSO)).method["search"]
        assert search["cut"] == "random"
        assert not any(row["fell_back"] for row in search["categories"])

    def test_automatic(self):
        recipe = recipe_of(search={"grid": "auto", "points": 6, "measure": "loss"}, learn=LASSO)
        assert Recipe.from_dict(recipe.to_dict()) == recipe
        told = []
        model = train(documents(), recipe, progress=lambda *step: told.append(step))
        search = model.method["search"]
        assert search["automatic"]
        assert {r["lam"] for r in model.reports} == {search["lam"]}
        assert ("searching λ", 100, 100) in told


class TestTogether:
    """One model for all classes."""

    def test_it_goes_by_likelihood_and_learns_with_what_it_found(self):
        table = {"over": "prior_variance", "grid": [0.1, 10.0, 1000.0], "folds": 3}
        recipe = recipe_of(search=table, learn=TOGETHER, decide=BEST)
        assert Recipe.from_dict(recipe.to_dict()) == recipe
        told = []
        model = train(documents(), recipe, progress=lambda *step: told.append(step))
        search = model.method["search"]
        assert search["measure"] == "log-likelihood"
        assert search["shared"]
        found = search["prior_variance"]
        fixed = recipe_of(learn={**TOGETHER, "prior_variance": found}, decide=BEST)
        same = train(documents(), fixed)
        np.testing.assert_array_equal(model.weights.toarray(), same.weights.toarray())
        assert ("searching λ", 18, 18) in told

    def test_probabilities_of_what_was_found(self):
        """On held-out documents they are better than those of any other strength of the grid."""
        grid = [0.01, 1.0, 100.0]
        recipe = recipe_of(
            search={"over": "C", "grid": grid, "folds": 3}, learn=TOGETHER, decide=BEST
        )
        categorizer = TextCategorizer(recipe).fit_documents(documents())
        model = categorizer.model
        assert model.calibration.kind == "softmax"
        rows = {row["C"]: row["value"] for row in model.method["search"]["grid"]}
        assert max(rows, key=rows.get) == model.method["search"]["C"]
        texts = [document.fields["text"] for document in documents()]
        probabilities = categorizer.predict_proba(texts)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        truth = ["ab".index(document.labels[0]) for document in documents()]
        likelihood = np.log(probabilities[np.arange(len(truth)), truth]).mean()
        assert rows[0.01] < likelihood < 0

    def test_a_recipe_that_gives_its_strength_may_search_instead(self):
        given = recipe_of(learn={**TOGETHER, "C": 10.0}, decide=BEST)
        searching = given.searching(folds=3, grid=(0.1, 1.0), over="C")
        assert "C" not in searching.learn
        assert train(documents(), searching).method["search"]["measure"] == "log-likelihood"
        with pytest.raises(UsageError, match="shared = false needs a strength for each category"):
            given.searching(shared=False)

    @pytest.mark.parametrize("prior", ["laplace", "gaussian"])
    def test_automatic(self, prior):
        table = {"grid": "auto", "points": 5, "folds": 3}
        recipe = recipe_of(search=table, learn={**TOGETHER, "prior": prior}, decide=BEST)
        model = train(documents(), recipe)
        assert model.method["search"]["automatic"]
        assert {r["lam"] for r in model.reports} == {model.method["search"]["lam"]}

    @pytest.mark.parametrize("name", ["polychotomous-lasso", "polychotomous-ridge"])
    def test_the_recipes_search_as_the_paper_does(self, name):
        recipe, alike = load_recipe(name), load_recipe(f"{name.split('-')[1]}-logistic")
        usual = replace(alike.search, shared=True)
        # Of the ridge, the widest variance is left out.
        assert recipe.search == replace(usual, grid=usual.grid[name.endswith("ridge") :])
        assert not {"lam", "C", "prior_variance"} & recipe.learn.keys()


class TestSqueezing:
    def recipe(self, **search):
        usual = {"grid": "auto", "points": 6, "measure": "loss", "shared": False, "folds": 3}
        return recipe_of(search={**usual, **search}, learn=LASSO)

    @pytest.mark.parametrize("most", [1, 3])
    def test_the_limit_holds_in_the_model(self, most):
        model = train(documents(), self.recipe(most_terms=most))
        kept = np.diff(model.weights.indptr)
        assert kept.max() <= most
        search = model.method["search"]
        assert [row["terms"] for row in search["categories"]] == kept.tolist()
        assert search["most_terms"] == most

    def test_exactly(self):
        model = train(documents(), self.recipe(most_terms=2, exactly=True))
        kept = np.diff(model.weights.indptr).tolist()
        assert kept == [row["terms"] for row in model.method["search"]["categories"]]
        assert max(kept) <= 2

    def test_with_a_rule_out_of_fold(self):
        recipe = self.recipe(most_terms=2)
        tuned = replace(recipe, decide=replace(recipe.decide, rule="f1", folds=3))
        assert np.diff(train(documents(), tuned).weights.indptr).max() <= 2


def test_another_way_to_say_the_strength_leaves_the_recipe_s_grid():
    recipe = load_recipe("lasso-logistic")
    assert recipe.searching(folds=3).search.grid == recipe.search.grid
    assert recipe.searching(over="prior_variance").search.grid == recipe.search.grid
    assert recipe.searching(over="C").search.grid is None
    assert recipe.searching(over="C", grid=(1.0, 2.0)).search.grid == (1.0, 2.0)

"""A recipe's [search] table: what it asks for is what is learned with."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.recipes.recipe import Recipe
from postil.training import train


def recipe_of(**tables):
    return Recipe.from_dict({"name": "trial", **tables})


def documents():
    words = {"a": "apple pear plum fig", "b": "iron tin lead zinc"}
    rng = np.random.default_rng(0)
    for number in range(24):
        label = "ab"[number % 2]
        picked = rng.choice(words[label].split(), 3)
        yield Document(str(number), {"text": " ".join([*picked, "common"])}, (label,), "train")


class TestSearching:
    def test_a_recipe_asks_for_it(self):
        table = {"grid": [1.0, 0.01], "folds": 3, "measure": "loss", "shared": False}
        recipe = recipe_of(search=table)
        assert Recipe.from_dict(recipe.to_dict()) == recipe
        told = []
        model = train(documents(), recipe, watch=lambda *step: told.append(step))
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
        assert train(documents(), recipe).method == {}

    @pytest.mark.parametrize(
        ("tables", "message"),
        [
            ({"search": {}, "learn": {"learner": "naive-bayes"}}, "Naive Bayes has no λ"),
            ({"search": {}, "learn": {"lam": 0.1}}, r"\[learn\] gives lam and \[search\]"),
            ({"search": {"measure": "log-likelihood"}}, "gives a probability"),
            ({"search": {"folds": 0}}, "at least 2"),
            ({"search": {"lambdas": [1.0]}}, r"\[search\] has no entry 'lambdas'"),
        ],
    )
    def test_what_cannot_be_is_refused_before_any_work(self, tables, message):
        with pytest.raises(UsageError, match=message):
            recipe_of(**tables)

    def test_a_recipe_may_gain_one(self):
        recipe = replace(recipe_of(), search=recipe_of(search={"folds": 2}).search)
        assert recipe.search.folds == 2

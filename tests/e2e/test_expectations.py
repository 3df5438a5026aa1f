"""Every recipe gives what its ``[[expect]]`` blocks say, on the corpora that are here.

``make test`` trains a few recipes that take seconds, ``make test-all`` all of them.
"""

from __future__ import annotations

import pytest

from postil.corpus.opening import open_corpus
from postil.recipes.parts import compare_with_paper
from postil.recipes.recipe import load_recipe, recipe_names
from postil.train.assess import assessment
from postil.train.train import train

QUICK = ("perceptron",)  # those of Winnow are in tests/papers/test_zhang_2000.py
CASES = [
    pytest.param(recipe, corpus, marks=() if recipe in QUICK else pytest.mark.reproduction)
    for recipe in recipe_names()
    for corpus in sorted({each.corpus for each in load_recipe(recipe).expect})
]


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize(("name", "corpus"), CASES)
def test_a_recipe_comes_as_near_to_its_paper_as_it_says(name, corpus, corpus_file):
    corpus_file(corpus)
    recipe = load_recipe(name)
    model = train(open_corpus(corpus), recipe, threads=2)
    report = assessment(model, open_corpus(corpus), corpus=corpus).report
    far = [each.to_dict() for each in compare_with_paper(recipe, corpus, report) if not each.near]
    assert far == []

"""Every recipe gives what its ``[[expect]]`` blocks say, on the corpora that are here.

All recipes are trained in a full run (POSTIL_FULL), else a few that take seconds.
"""

from __future__ import annotations

import os

import pytest

from postil.corpus.opening import open_corpus
from postil.recipes.parts import compare_with_paper
from postil.recipes.recipe import load_recipe, recipe_names
from postil.train.assess import assessment
from postil.train.train import train

QUICK = ("perceptron", "winnow-n", "winnow-u")
CASES = [
    (recipe, corpus)
    for recipe in (recipe_names() if os.environ.get("POSTIL_FULL") else QUICK)
    for corpus in sorted({each.corpus for each in load_recipe(recipe).expect})
]


@pytest.mark.reproduction
@pytest.mark.corpus
@pytest.mark.parametrize(("name", "corpus"), CASES)
def test_a_recipe_comes_as_near_to_its_paper_as_it_says(name, corpus, corpus_file):
    corpus_file(corpus)
    recipe = load_recipe(name)
    model = train(open_corpus(corpus), recipe, threads=2)
    report = assessment(model, open_corpus(corpus), corpus=corpus).report
    far = [each.to_dict() for each in compare_with_paper(recipe, corpus, report) if not each.near]
    assert far == []

"""The texts of genkin-lewis-madigan-2004 are those of section 5.2.1, by the terms it counts."""

from __future__ import annotations

import pytest

from postil.corpus.named.registry import open_named
from postil.papers.genkin_lewis_madigan_2004.collections import MODAPTE
from postil.papers.genkin_lewis_madigan_2004.methods import RECIPES
from postil.recipes.recipe import load_recipe
from postil.text.analyzer import Analyzer


@pytest.mark.corpus
def test_modapte_has_the_terms_that_the_paper_counts(corpus_file):
    corpus = open_named(MODAPTE.corpus, None, MODAPTE.choices, path=corpus_file("reuters"))
    representation = MODAPTE.read_by(load_recipe(RECIPES["SVM"])).representation
    analyzer = Analyzer(representation.analyzer)
    terms = {"train": set(), "test": set()}
    for document in corpus:
        for field in representation.fields:
            terms[document.split].update(analyzer.tokens(document.fields[field]))
    assert len(terms["train"]) == 18978
    # The paper has 21,989; see the head of collections.py.
    assert len(terms["train"] | terms["test"]) == 21987

"""The texts of genkin-lewis-madigan-2004 are those of section 5.2.1, by the terms it counts."""

from __future__ import annotations

import re
from html import unescape

import pytest

from postil.corpus.document import Document
from postil.corpus.files.archives import members
from postil.corpus.named.registry import open_named
from postil.recipes.recipe import load_recipe
from postil_papers.genkin_lewis_madigan_2004.collections import MODAPTE
from postil_papers.genkin_lewis_madigan_2004.methods import RECIPES
from postil_papers.genkin_lewis_madigan_2004.terms import distinct

PRINTED = (18978, 21989)
STORY = re.compile("<REUTERS(.*?)>(.*?)</REUTERS>", re.DOTALL)
SPLIT = re.compile('TOPICS="YES" LEWISSPLIT="(TRAIN|TEST)"')


@pytest.fixture(scope="module")
def recipe():
    return MODAPTE.read_by(load_recipe(RECIPES["SVM"]))


def counts(documents, recipe):
    return tuple(map(len, distinct(documents, recipe)))


def part(name: str, story: str) -> str:
    found = re.search(f"<{name}>(.*?)</{name}>", story, re.DOTALL)
    return unescape(found[1]) if found else ""


def without_control_characters(path):
    """The stories with a reference to a control character dropped, so that it parts no words."""
    for member in members(path):
        for attributes, story in STORY.findall(member.read().decode("latin-1")):
            if split := SPLIT.search(attributes):
                fields = {"title": part("TITLE", story), "body": part("BODY", story)}
                yield Document("", fields, (), split[1].lower())


@pytest.mark.corpus
def test_modapte_has_the_terms_that_the_paper_counts_but_two(corpus_file, recipe):
    corpus = open_named(MODAPTE.corpus, None, MODAPTE.choices, path=corpus_file("reuters"))
    assert counts(corpus, recipe) == (PRINTED[0], PRINTED[1] - 2)


@pytest.mark.corpus
def test_without_stray_control_characters_it_has_them_all(corpus_file, recipe):
    documents = without_control_characters(corpus_file("reuters"))
    assert counts(documents, recipe) == PRINTED

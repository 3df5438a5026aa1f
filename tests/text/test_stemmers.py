"""Stemmers: Porter's and every Snowball language."""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from postil.text import stemmers
from postil.text.languages import CODE_OF, NAME_OF
from postil.text.spec import AnalyzerSpec

OF_PYSTEMMER = sorted(Stemmer.algorithms())


def test_every_algorithm_of_pystemmer_is_there():
    assert set(stemmers.algorithms()) == {*OF_PYSTEMMER, "porter-amended"}
    assert {"porter", "english", "german", "turkish"} <= set(stemmers.algorithms())


@pytest.mark.parametrize("name", stemmers.algorithms())
def test_each_stemmer_is_found_by_its_name_and_by_its_code(name):
    spec = AnalyzerSpec.parse(f"words stem({name})")
    assert str(spec) == f"words stem({name})"
    if name in CODE_OF:
        assert AnalyzerSpec.parse(f"words stem({CODE_OF[name]})") == spec


@given(
    st.sampled_from(OF_PYSTEMMER),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)),
)
def test_stems_are_those_of_pystemmer(name, words):
    plain = Stemmer.Stemmer(name)
    assert stemmers.make_step(name)(words) == [plain.stemWord(word) or None for word in words]


def test_porter_is_not_english():
    words = ["generously", "dying", "running"]
    assert stemmers.make_step("porter")(words) == ["gener", "dy", "run"]
    assert stemmers.make_step("english")(words) == ["generous", "die", "run"]


def test_languages_have_one_code_and_one_name():
    assert all(CODE_OF[name] == code for code, name in NAME_OF.items())
    assert all(len(code) == 2 for code in NAME_OF)

"""Word steps: one result for each word, None for a dropped one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.text.analyzer import MAKERS, Analyzer
from postil.text.catalogue import names
from postil.text.grammar import Group
from postil.text.words import at_least, at_most, chain, fold_numbers

word_lists = st.lists(st.text(min_size=1, max_size=6), unique=True)


def map_with(steps: str, *given_words: str) -> list[str | None]:
    # A first step that keeps all: otherwise min(n) would be the tokenizer's to do.
    word_map = Analyzer(f"whitespace max(1000) {steps}").word_map
    assert word_map is not None
    return word_map(list(given_words))


def test_every_word_step_of_the_catalogue_is_made():
    assert set(MAKERS) == set(names(Group.WORD_STEP))


def test_lengths_are_in_characters():
    assert map_with("min(2)", "é", "éé", "𝔸", "e\u0301") == [None, "éé", None, "e\u0301"]
    assert map_with("max(2)", "ééé", "éé") == [None, "éé"]


@pytest.mark.parametrize(
    ("word", "is_number", "has_number"),
    [
        ("1990", True, True),
        ("٣٤", True, True),
        ("½", True, True),
        ("Ⅷ", True, True),
        ("1990s", False, True),
        ("mp3", False, True),
        ("x²", False, True),
        ("1-2", False, True),
        ("五", False, False),
        ("one", False, False),
        ("#", False, False),
    ],
)
def test_numbers(word, is_number, has_number):
    assert map_with("numbers(fold)", word) == ["#" if is_number else word]
    assert map_with("numbers(drop)", word) == [None if is_number else word]
    assert map_with("numbers(fold,mixed)", word) == ["#" if has_number else word]
    assert map_with("numbers(drop,mixed)", word) == [None if has_number else word]


def test_steps_act_in_the_order_written():
    assert map_with("numbers(fold) min(2)", "1990", "ab") == [None, "ab"]
    assert map_with("min(2) numbers(fold)", "1990", "7") == ["#", None]
    assert map_with("stop(smart) stem(porter)", "being") == [None]
    assert map_with("stem(porter) stop(smart)", "welcoming") == ["welcom"]


@given(word_lists, st.integers(1, 5), st.integers(1, 5))
def test_a_chain_is_its_steps_one_after_the_other(words, low, high):
    steps = [at_least(low), fold_numbers("fold", mixed=True), at_most(high)]
    one_by_one = []
    for word in words:
        result: str | None = word
        for step in steps:
            result = step([result])[0] if result is not None else None
        one_by_one.append(result)
    assert chain(steps)(words) == one_by_one


def test_a_chain_leaves_its_input_alone():
    words = ["a", "bb"]
    assert chain([at_least(2)])(words) == [None, "bb"]
    assert words == ["a", "bb"]

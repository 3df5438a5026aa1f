"""Porter's stemmer as its author amended it, beside the one of his paper."""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.text import stemmers
from postil.text.porter_amended import stem

# Consonants that the paper's program undoubles too, and letters that make its endings.
LETTERS = st.text(st.sampled_from("aeiouytnlsrmc"), max_size=6)
ENDINGS = st.sampled_from(
    [
        *("s", "sses", "ies", "eed", "ed", "ing", "y", "e", "ll", "at", "iz", "nn", "ss"),
        *("ational", "tional", "enci", "anci", "izer", "alli", "entli", "eli", "ousli", "ization"),
        *("ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "icate"),
        *("ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic"),
        *("ant", "ement", "ment", "ent", "sion", "tion", "ion", "ou", "ism", "ate", "iti", "ive"),
    ]
)


@pytest.mark.parametrize(
    ("words", "stems"),
    [
        ("possibly possible", "possibl possibl"),
        ("technology technologies technologist", "technolog technolog technologist"),
        ("technologie", "technologi"),  # where the ending comes up behind step 2
        ("revved trekking", "rev trek"),
        ("as is by", "as is by"),
        ("1980s Rates s\u00e9ances", "1980s Rates s\u00e9anc"),
        ("feed agreed plastered motoring sing", "feed agre plaster motor sing"),
        ("hopping hoping falling fizzed filing", "hop hope fall fizz file"),
        ("relational conditional probate rate cease", "relat condit probat rate ceas"),
    ],
)
def test_stems_by_hand(words, stems):
    assert [stem(word) for word in words.split()] == stems.split()


@settings(max_examples=2000)
@given(LETTERS, ENDINGS, st.one_of(st.just(""), ENDINGS))
def test_it_is_the_paper_s_where_no_amendment_applies(letters, ending, another):
    word = letters + ending + another
    amended = any(part in word for part in ("bli", "bly", "log", "cc", "yy"))
    if len(word) > 2 and not amended:
        assert stem(word) == Stemmer.Stemmer("porter").stemWord(word)


@given(st.text(max_size=12))
def test_any_word_has_a_stem(word):
    assert len(stem(word)) <= len(word) + 1


def test_it_is_a_word_step():
    step = stemmers.make_step("porter-amended")
    assert step(["possibly", "a", "oil"]) == ["possibl", "a", "oil"]

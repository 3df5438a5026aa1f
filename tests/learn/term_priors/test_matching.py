"""Lines of a prior file matched with terms: unknown names, and the two meanings of 0."""

from __future__ import annotations

import pytest

from postil.errors import InputError
from postil.learn.term_priors.files import CONSTANT, PriorLine, parse_prior_lines
from postil.learn.term_priors.matching import match_priors, near_terms
from postil.vectors.fields import Fields
from postil.vectors.vocabulary import Vocabulary

WORDS = Vocabulary.of_terms(["harbour", "rain", "council"])


def matched(*lines, vocabulary=WORDS, numbered=False):
    given = parse_prior_lines(lines, "p.txt")
    return match_priors(given, ("sport", "weather"), vocabulary, numbered=numbered)


def refused(*lines, **given):
    with pytest.raises(InputError) as refusal:
        matched(*lines, **given)
    return str(refusal.value)


def test_a_file_of_which_no_term_is_known_is_refused():
    told = refused("harbor 3 0.1", "Rain 0 1", "snow 0 1")
    assert told.startswith(
        "p.txt: no line matched; unknown terms: harbor (did you mean 'harbour'?), Rain, snow;"
        " terms are written as postil inspect shows them"
    )


def test_a_file_of_which_no_category_is_known_is_refused():
    assert refused("class wether rain 0 1", "class Sport rain 0 1") == (
        "p.txt: no line matched; unknown categories: wether (did you mean 'weather'?), Sport"
    )
    with pytest.raises(InputError, match=r"^the priors: no line matched"):
        match_priors([PriorLine("x", 0, 1)], [], WORDS)


def test_one_line_that_matches_is_enough():
    note = matched("harbor 3 0.1", "rain 0 1").note("p.txt")
    assert note == ("p.txt: 1 of 2 lines matched; unknown terms: harbor (did you mean 'harbour'?)")
    note = matched(f"{CONSTANT} 0 1", "zzz 0 1", "class wether rain 0 1").note("p.txt")
    assert note == (
        "p.txt: 1 of 3 lines matched; unknown terms: zzz; unknown categories: wether "
        "(did you mean 'weather'?)"
    )


def test_a_file_without_a_line_says_nothing_wrong():
    found = matched("# nothing yet")
    assert (found.matched, found.unmatched) == (0, 0)
    assert found.note("p.txt") == "p.txt: 0 of 0 lines matched"


def test_a_term_without_its_field_is_shown_with_it():
    vocabulary = Vocabulary.of_terms(["title:oil", "body:oil"], Fields(("title", "body"), True))
    told = refused("oil 1 1", vocabulary=vocabulary)
    assert "oil (did you mean 'title:oil' or 'body:oil'?)" in told


def test_what_a_name_may_have_meant():
    assert near_terms("", ["a", ":"]) == []
    assert near_terms("Harbors", ["harbour", "harrier", "hour", "harbour fee"]) == ["harbour"]
    assert near_terms("new yrok", ["newborn", "new york"]) == ["new york"]
    assert near_terms("new york", ["newborn"]) == []


def test_features_out_of_the_numbers_of_the_data():
    given = {"vocabulary": Vocabulary.of_terms(["7", "5", "9"]), "numbered": True}
    told = refused("harbour 0 1", **given)
    assert told == (
        "p.txt: no line matched; unknown terms: harbour (the data has features from 5 to 9); "
        "features of svmlight data are their numbers, as the data has them"
    )
    between = matched("6 0 1", "7 0 1", **given).note("p.txt")
    assert between == "p.txt: 1 of 2 lines matched; unknown terms: 6"


ZERO_NOTE = (
    "line 2: the data has a feature 0, and the line gives its prior; the constant is @constant"
)


def test_0_is_feature_0_where_the_data_has_one_and_a_note_says_so():
    vocabulary = Vocabulary.of_terms(["1", "0", "4"])
    lines = ("1 0 1", "0 5 1", f"{CONSTANT} -1 1")
    found = matched(*lines, vocabulary=vocabulary, numbered=True)
    assert {column: prior.mean for column, prior in found.priors.every.items()} == {
        vocabulary.column_of["1"]: 0.0,
        vocabulary.column_of["0"]: 5.0,
        3: -1.0,
    }
    assert found.note("p.txt") == f"p.txt: 3 of 3 lines matched; {ZERO_NOTE}"


def test_0_is_the_constant_where_the_data_has_no_feature_0():
    vocabulary = Vocabulary.of_terms(["1", "2", "4"])
    found = matched("1 0 1", "0 5 1", vocabulary=vocabulary, numbered=True)
    assert found.priors.every[3].mean == 5.0
    assert found.note("p.txt") == "p.txt: 2 of 2 lines matched"


def test_0_is_a_term_like_others_where_features_are_terms():
    found = matched("0 5 1", vocabulary=Vocabulary.of_terms(["0", "a", "b"]))
    assert found.priors.every[0].mean == 5.0
    assert found.remarks == []

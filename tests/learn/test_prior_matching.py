"""What a prior file means for the terms there are: unknown names, and the two meanings of 0."""

from __future__ import annotations

import pytest

from postil.errors import InputError
from postil.learn.term_priors.files import CONSTANT, PriorLine, parse_prior_lines
from postil.learn.term_priors.matching import (
    by_ids,
    by_named_ids,
    by_terms,
    match_priors,
    near_terms,
)
from postil.vectors.fields import Fields
from postil.vectors.vocabulary import Vocabulary

WORDS = Vocabulary.of_terms(["harbour", "rain", "council"])


def matched(*lines, features=None, categories=("sport", "weather")):
    known = features or by_terms(WORDS)
    return match_priors(parse_prior_lines(lines, "p.txt"), categories, known, 3)


def refused(*lines, **given):
    with pytest.raises(InputError) as refusal:
        matched(*lines, **given)
    return str(refusal.value)


def test_a_file_of_which_no_term_is_known_is_refused():
    told = refused("harbor 3 0.1", "Rain 0 1", "snow 0 1")
    assert told.startswith(
        "p.txt: no line matched; not among the terms: harbor (did you mean 'harbour'?), Rain, snow;"
        " terms are written as postil inspect shows them"
    )


def test_a_file_of_which_no_category_is_known_is_refused():
    assert refused("class wether rain 0 1", "class Sport rain 0 1") == (
        "p.txt: no line matched; not among the categories: wether (did you mean 'weather'?), Sport"
    )
    with pytest.raises(InputError, match=r"^the priors: no line matched"):
        match_priors([PriorLine("x", 0, 1)], [], by_terms(WORDS), 3)


def test_one_line_that_matches_is_enough():
    note = matched("harbor 3 0.1", "rain 0 1").note("p.txt")
    assert note == (
        "p.txt: 1 of 2 lines matched; not among the terms: harbor (did you mean 'harbour'?)"
    )
    note = matched(f"{CONSTANT} 0 1", "zzz 0 1", "class wether rain 0 1").note("p.txt")
    assert note == (
        "p.txt: 1 of 3 lines matched; not among the terms: zzz; not among the categories: wether "
        "(did you mean 'weather'?)"
    )


def test_a_file_without_a_line_says_nothing_wrong():
    found = matched("# nothing yet")
    assert (found.matched, found.unmatched) == (0, 0)
    assert found.note("p.txt") == "p.txt: 0 of 0 lines matched"


def test_a_term_without_its_field_is_shown_with_it():
    vocabulary = Vocabulary.of_terms(["title:oil", "body:oil"], Fields(("title", "body"), True))
    told = refused("oil 1 1", features=by_terms(vocabulary))
    assert "oil (did you mean 'title:oil' or 'body:oil'?)" in told


def test_what_a_name_may_have_meant():
    assert near_terms("", ["a", ":"]) == []
    assert near_terms("Harbors", ["harbour", "harrier", "hour", "harbour fee"]) == ["harbour"]
    assert near_terms("new yrok", ["newborn", "new york"]) == ["new york"]
    assert near_terms("new york", ["newborn"]) == []


def test_features_out_of_the_numbers_of_the_data():
    numbered = by_named_ids(Vocabulary.of_terms(["7", "5", "9"]))
    told = refused("harbour 0 1", features=numbered)
    assert told == (
        "p.txt: no line matched; not among the terms: harbour (the data has features from 5 to 9); "
        "features of svmlight data are their numbers, as the data has them"
    )
    between = matched("6 0 1", "7 0 1", features=numbered).note("p.txt")
    assert between == "p.txt: 1 of 2 lines matched; not among the terms: 6"


ZERO_NOTE = "line 2: the data has a feature 0, and the line is of it; the constant is @constant"


@pytest.mark.parametrize(
    "features", [by_named_ids(Vocabulary.of_terms(["1", "0", "4"])), by_ids(3, first=0)]
)
def test_0_is_feature_0_where_the_data_has_one_and_a_note_says_so(features):
    found = matched("1 0 1", "0 5 1", f"{CONSTANT} -1 1", features=features)
    assert {column: prior.mean for column, prior in found.priors.every.items()} == {
        features("1"): 0.0,
        features("0"): 5.0,
        3: -1.0,
    }
    assert features("0") != 3
    assert found.note("p.txt") == f"p.txt: 3 of 3 lines matched; {ZERO_NOTE}"


@pytest.mark.parametrize(
    "features", [by_named_ids(Vocabulary.of_terms(["1", "2", "4"])), by_ids(3)]
)
def test_0_is_the_constant_where_the_data_has_no_feature_0(features):
    found = matched("1 0 1", "0 5 1", features=features)
    assert found.priors.every[3].mean == 5.0
    assert found.note("p.txt") == "p.txt: 2 of 2 lines matched"


def test_0_is_a_term_like_others_where_features_are_terms():
    found = matched("0 5 1", features=by_terms(Vocabulary.of_terms(["0", "a", "b"])))
    assert found.priors.every[0].mean == 5.0
    assert found.remarks == ()

"""Names of labels that are spelled alike or mistyped."""

from __future__ import annotations

import pytest

from postil.corpus.likeness import Mistyped, edits, mistyped, spelled_alike


@pytest.mark.parametrize(
    "names",
    [
        ("Bug", "bug"),
        ("user interface", "user-interface", "UserInterface"),
        ("R&D/labs", "r&d labs"),
        ("ﬁnance", "finance"),
        ("Q1 2024", "q12024"),
    ],
)
def test_case_space_and_separators_are_looked_over(names):
    assert spelled_alike(names) == [list(names)]


@pytest.mark.parametrize(
    "names", [("C", "C++", "C#"), ("1.5", "15"), ("-", "/"), ("-1", "1"), ("a", "b")]
)
def test_other_signs_tell_names_apart(names):
    assert spelled_alike(names) == []


@pytest.mark.parametrize(
    ("rare", "frequent"),
    [
        ("wether", "weather"),
        ("sprots", "sports"),
        ("Sports", "sport"),
        ("transporation", "transportation"),
        ("enviromnet al", "environmental"),
    ],
)
def test_a_rare_name_that_is_off_by_a_slip_is_found(rare, frequent):
    assert mistyped({rare: 2, frequent: 40, "other": 99}) == [Mistyped(rare, frequent)]


@pytest.mark.parametrize(
    "documents",
    [
        {"weather": 40, "wether": 30},  # both are frequent
        {"gold": 100, "gild": 1},  # short names differ by a letter
        {"topic 12": 100, "topic 13": 1},  # other numbers are other names
        {"import": 100, "export": 1},  # two letters of six
    ],
)
def test_names_that_may_be_meant_are_left_alone(documents):
    assert mistyped(documents) == []


@pytest.mark.parametrize(
    ("first", "second", "count"), [("", "ab", 2), ("abc", "acb", 1), ("kitten", "sitting", 3)]
)
def test_edits(first, second, count):
    assert edits(first, second) == edits(second, first) == count


def test_many_names_are_not_compared_pair_by_pair():
    names = {f"name {''.join(chr(97 + int(d)) for d in str(i))} of a label": 1 for i in range(3000)}
    assert mistyped({**names, "name zzzzzz of a label": 50}) == []

"""Decisions on categories above others."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.decide.hierarchy import Hierarchy
from postil.errors import InputError

LABELS = LabelVocabulary(
    [
        LabelEntry("all"),
        LabelEntry("science", broader=("all",)),
        LabelEntry("arts", broader=("all",)),
        LabelEntry("physics", broader=("science",)),
        LabelEntry("optics", broader=("physics", "arts")),
    ]
)
NAMES = ["arts", "optics", "other", "physics", "science"]


def flags(*rows):
    return np.array([[name in row for name in NAMES] for row in rows])


def hierarchy(**settings):
    members = sp.csr_matrix(flags({"optics", "physics", "science", "arts"}, {"science"}, {"other"}))
    return Hierarchy.of(NAMES, LABELS, members, **settings)


def test_what_is_above_and_the_own_members():
    found = hierarchy()
    np.testing.assert_array_equal(
        found.above.toarray(),
        flags(set(), {"arts", "physics", "science"}, set(), {"science"}, set()),
    )
    np.testing.assert_array_equal(found.members, [0, 1, 1, 0, 1])


ACCEPTED = flags(
    {"optics", "physics", "science", "arts", "other"},
    {"optics"},
    {"physics", "arts"},
    {"physics", "science", "arts"},
    set(),
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ({"optics", "other"}, {"optics"}, {"physics", "arts"}, {"physics", "arts"}, set())),
        (
            {"consistent": True},
            ({"optics", "other"}, set(), {"arts"}, {"physics", "arts"}, set()),
        ),
        ({"one": True}, ({"other"}, {"optics"}, {"physics"}, {"physics"}, set())),
        ({"one": True, "consistent": True}, ({"other"}, {"optics"}, {"arts"}, {"physics"}, set())),
    ],
)
def test_the_most_specific_are_given(settings, expected):
    ranks = np.tile([0.1, 0.2, 0.9, 0.5, 0.8], (len(ACCEPTED), 1))
    before = ACCEPTED.copy()
    given = hierarchy(**settings).decided(ACCEPTED, ranks)
    np.testing.assert_array_equal(given, flags(*expected))
    np.testing.assert_array_equal(ACCEPTED, before)


def test_through_a_file():
    settings, arrays = hierarchy(consistent=True).to_parts()
    read = Hierarchy.from_parts(settings, arrays)
    assert (read.consistent, read.one) == (True, False)
    np.testing.assert_array_equal(read.above.toarray(), hierarchy().above.toarray())
    np.testing.assert_array_equal(read.members, hierarchy().members)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("above", np.array([0, 3, 9, 4], np.int32)),
        ("above", np.array([0, 3, -1, 4], np.int32)),
        ("above", np.array([3, 0, 4, 4], np.int32)),
        ("above", np.array([0.0])),
        ("starts", np.array([0, 0, 3, 3, 4, 9])),
        ("starts", np.array([0, 4, 3, 3, 4, 4])),
        ("starts", np.array([0, 0])),
        ("members", np.array([0, 1, 1, 0, -1])),
        ("members", np.array([0])),
    ],
)
def test_arrays_of_another_hand(name, value):
    settings, arrays = hierarchy().to_parts()
    with pytest.raises(InputError):
        Hierarchy.from_parts(settings, arrays | {name: value})
    with pytest.raises(InputError):
        Hierarchy.from_parts({"consistent": 1, "one": False}, arrays)

"""Options of named corpora."""

from __future__ import annotations

import pytest

from postil.corpus.named.entry import Choice, Switch, parse_options
from postil.errors import UsageError

COLOUR = Choice("colour", "help", ("red", "blue"), "red")
LOUD = Switch("loud", "help", False)


def test_defaults_and_values():
    assert parse_options("x", (COLOUR, LOUD), {}) == {"colour": "red", "loud": False}
    given = {"colour": "Blue", "loud": "yes"}
    assert parse_options("x", (COLOUR, LOUD), given) == {"colour": "blue", "loud": True}


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(True, True), (False, False), ("on", True), ("NO", False), ("1", True), ("false", False)],
)
def test_switches(value, meaning):
    assert LOUD.parse(value) is meaning


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"colour": "green"}, "colour must be one of red, blue, received 'green'"),
        ({"colour": True}, "colour must be one of red, blue, received True"),
        ({"loud": "very"}, "loud must be yes or no, received 'very'"),
        ({"loud": 2}, "loud must be yes or no, received 2"),
        ({"size": "1"}, "x has no option 'size'; it takes: colour, loud"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(UsageError) as info:
        parse_options("x", (COLOUR, LOUD), given)
    assert str(info.value) == message


def test_a_corpus_without_options_says_so():
    with pytest.raises(UsageError, match="it takes: no options"):
        parse_options("x", (), {"a": 1})

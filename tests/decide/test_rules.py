"""Decision rules as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.decide import RULES, parse_rule
from postil.decide.scores import Needs
from postil.errors import SpecError

CANONICAL = [
    "default",
    "default(0.5)",
    "default(-1.25)",
    "training-error",
    "f1",
    "f1 fbr.0(0.3)",
    "f1 fbr.1(0)",
    "f1 few(10)",
    "micro-f1 few(3) at-least(1)",
    "error",
    "precision(0.9)",
    "recall(0.95)",
    "recall(1) fbr.0(0.125)",
    "break-even",
    "f-beta(0.5)",
    "cost(0.2) fbr.1(0)",
    "balanced-error",
    "micro-f1",
    "micro-f-beta(2)",
    "best",
    "rank(3)",
    "proportional",
    "proportional(1.2)",
    "default at-least(1)",
    "f1 fbr.0(0.2) at-least(1) at-most(3)",
    "training-error at-most(2)",
    "proportional at-least(1)",
]


@pytest.mark.parametrize("spec", CANONICAL)
def test_canonical_specs_print_back(spec):
    assert str(parse_rule(spec)) == spec


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("  f1  ", "f1"),
        ("default(0)", "default"),
        ("default(-0.0)", "default"),
        ("default( 5e-1 )", "default(0.5)"),
        ("proportional(1.0)", "proportional"),
        ("rank(3.0)", "rank(3)"),
        ("f1 fbr.1(.3)", "f1"),
        ("f1 at-most(3) at-least(1)", "f1 at-least(1) at-most(3)"),
        ("f1\tat-most(3)\n", "f1 at-most(3)"),
        ("precision(1.)", "precision(1)"),
    ],
)
def test_specs_have_one_canonical_form(written, canonical):
    assert str(parse_rule(written)) == canonical


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "names no rule"),
        ("   ", "names no rule"),
        ("f2", r"no decision rule is called 'f2'.*Allowed: default, training-error, prob"),
        ("training_error", "did you mean 'training-error'"),
        ("precision", "needs the least precision, a number above 0 to 1"),
        ("precision(0)", "got '0'"),
        ("precision(1.1)", "got '1.1'"),
        ("precision(90%)", "got '90%'"),
        ("recall(nan)", "got 'nan'"),
        ("recall(-0.5)", "got '-0.5'"),
        ("rank", "a whole number from 1"),
        ("rank(0)", "got '0'"),
        ("rank(2.5)", "got '2.5'"),
        ("rank(99999999999999999999)", "got '9"),
        ("default(inf)", "got 'inf'"),
        ("default(1e999)", "got '1e999'"),
        ("default(1_000)", "got '1_000'"),
        ("proportional(0)", "a number above 0 up"),
        ("f1(0.3)", "'f1' takes no number"),
        ("f1(", "cannot read 'f1\\('"),
        ("f1()", "cannot read"),
        ("f1)x", "cannot read"),
        ("rank(3)best", "cannot read"),
        ("rank(1,2)", "got '1,2'"),
        ("f1 best", "'best' cannot follow a rule"),
        ("f1 at-least", "needs a number of categories"),
        ("f1 at-least(0)", "got '0'"),
        ("f1 at-mots(3)", "did you mean 'at-most'"),
        ("f1 at-least(3) at-most(2)", "at least 3 and at most 2"),
        ("f1 at-least(1) at-least(1)", "repeats an earlier part"),
        ("f1 fbr.0(0.1) fbr.1(0.1)", "repeats an earlier part"),
        ("f1 few(10) fbr.1(0.1)", "repeats an earlier part"),
        ("f1 few(0)", "a number of members, a whole number from 1"),
        ("f1 few(2.5)", "a number of members, a whole number from 1"),
        ("default few(3)", "tuned out of fold, and 'default' is not"),
        ("f1 fbr.1(1.5)", "the floor of F1, a number from 0 to 1, got '1.5'"),
        ("f1 fbr.2(0.1)", "'fbr.2' cannot follow a rule"),
        ("default fbr.1(0.3)", "tuned out of fold, and 'default' is not"),
        ("training-error fbr.1(0.3)", "is not"),
        ("rank(3) at-most(2)", "already sets the number"),
        ("best at-least(1)", "already sets the number"),
    ],
)
def test_bad_specs_are_refused_with_advice(spec, message):
    with pytest.raises(SpecError, match=message) as refused:
        parse_rule(spec)
    assert repr(spec) in str(refused.value)


def test_what_a_rule_needs_can_be_asked():
    assert parse_rule("default").needs is Needs.NOTHING
    assert parse_rule("training-error").needs is Needs.TRAINING
    assert parse_rule("f1 fbr.0(0.1)").needs is Needs.OUT_OF_FOLD


def test_every_rule_explains_itself():
    assert list(RULES) == [rule.name for rule in RULES.values()]
    assert all(rule.help for rule in RULES.values())


def test_a_rule_that_counts_sets_both_bounds():
    assert (parse_rule("best").at_least, parse_rule("best").at_most) == (1, 1)
    assert (parse_rule("rank(4)").at_least, parse_rule("rank(4)").at_most) == (4, 4)


def rule_texts():
    """Every rule, with any number it allows."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    numbers = {
        "default": finite,
        "precision": st.floats(0, 1, exclude_min=True),
        "recall": st.floats(0, 1, exclude_min=True),
        "sure-precision": st.floats(0, 1, exclude_min=True),
        "sure-recall": st.floats(0, 1, exclude_min=True),
        "f-beta": st.floats(0, exclude_min=True, allow_infinity=False),
        "cost": st.floats(0, exclude_min=True, allow_infinity=False),
        "micro-f-beta": st.floats(0, exclude_min=True, allow_infinity=False),
        "rank": st.integers(1, 2**31 - 1),
        "proportional": st.floats(0, exclude_min=True, allow_infinity=False),
    }
    return st.sampled_from(sorted(RULES)).flatmap(
        lambda name: numbers.get(name, st.none()).map(
            lambda number: name if number is None else f"{name}({number!r})"
        )
    )


@settings(deadline=None)
@given(spec=rule_texts(), floor=st.floats(0, 1), least=st.integers(1, 9), more=st.integers(0, 9))
def test_parsing_what_was_printed_gives_the_same(spec, floor, least, more):
    name = spec.split("(")[0]
    if RULES[name].falls_back:
        spec += f" fbr.0({floor!r})"
    if not RULES[name].counts:
        spec += f" at-least({least}) at-most({least + more})"
    parsed = parse_rule(spec)
    assert parse_rule(str(parsed)) == parsed
    assert math.isfinite(parsed.parameter)


@settings(deadline=None)
@given(spec=st.text(max_size=30))
def test_any_text_parses_or_is_refused(spec):
    try:
        parsed = parse_rule(spec)
    except SpecError:
        return
    assert parse_rule(str(parsed)) == parsed


@pytest.mark.parametrize("spec", [5, None, True, ["f1"], 0.5])
def test_what_is_no_text_is_no_rule(spec):
    with pytest.raises(SpecError, match="a rule must be text"):
        parse_rule(spec)

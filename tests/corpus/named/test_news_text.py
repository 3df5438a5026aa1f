"""Headers, quotes and signatures of Usenet articles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.named.newsgroups import (
    SIGNATURE_LINES,
    Article,
    parse_article,
    without_quotes,
    without_signature,
)


@pytest.mark.parametrize(
    ("text", "article"),
    [
        (
            "From: a@b\nSubject: Re: tea\nLines: 2\n\nHello.\n\nBye: now\n",
            Article("From: a@b\nLines: 2", "Re: tea", "Hello.\n\nBye: now"),
        ),
        (
            "Subject: a long\n\t one,  folded\nFrom: a@b\n\nx",
            Article("From: a@b", "a long one, folded", "x"),
        ),
        (" rest of a path\nSUBJECT: t\n\nx", Article("rest of a path", "t", "x")),
        ("From: a@b\n\nSubject: not this one", Article("From: a@b", "", "Subject: not this one")),
        ("From: a@b\nSubject: only headers\n", Article("From: a@b", "only headers", "")),
        ("No header here\n\nSubject: x\n", Article("", "", "No header here\n\nSubject: x")),
        ("From: a\nbroken line\n\nx", Article("", "", "From: a\nbroken line\n\nx")),
        ("", Article("", "", "")),
    ],
)
def test_articles_are_taken_apart(text, article):
    assert parse_article(text) == article


@pytest.mark.parametrize(
    "quoted",
    [
        "> text",
        ">text",
        "  >> text",
        ">",
        "JS> text",
        "abcd> text",
        "| text",
        "|",
        ": text",
    ],
)
def test_quoted_lines_go(quoted):
    assert without_quotes(f"before\n{quoted}\nafter") == "before\nafter"


@pytest.mark.parametrize(
    "plain", ["a > b", ":-) hello", "|x| is small", "abcde> prompt", "---> here", "x: y"]
)
def test_other_lines_stay(plain):
    assert without_quotes(f"{plain}\n> quoted") == plain


@pytest.mark.parametrize(
    "attribution",
    [
        "a@b (A. Nobody) writes:",
        "In article <1@x> a@b wrote:",
        "In article <1@x>, a@b\n(A. Nobody) says: ",
        "In <1@x> a@b writes:\n",
        "  somebody said:",
    ],
)
def test_attributions_go_above_a_quote_and_stay_elsewhere(attribution):
    assert without_quotes(f"first\n{attribution}\n> quoted\nlast").split() == ["first", "last"]
    assert without_quotes(f"first\n{attribution}\nlast") == f"first\n{attribution}\nlast"


@given(st.lists(st.text("ab >|:\t", max_size=6), max_size=12).map("\n".join))
def test_stripping_quotes_leaves_no_quote_and_adds_nothing(body):
    kept = without_quotes(body)
    assert without_quotes(kept) == kept
    assert {line.strip() for line in kept.split("\n")} <= {
        "",
        *(line.strip() for line in body.split("\n")),
    }


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nA. Nobody",
        "--\nA. Nobody\n\n",
        "-----\nA. Nobody",
        "  ==========\n  A. Nobody\n  ==========",
        "*****\n* box *\n*****",
        "_____________",
        "--\n\n" + "line\n" * (SIGNATURE_LINES - 2),
    ],
)
def test_signatures_go(signature):
    assert without_signature(f"text\nmore\n\n{signature}") == "text\nmore"


@pytest.mark.parametrize(
    "body",
    [
        "text",
        "text\n- a list\n- of things",
        "text\n---- short",
        "text\n-=-=-=-",
        "--\nnothing before it",
        "\n\n--\nnothing before it",
        "text\n--\n" + "line\n" * SIGNATURE_LINES,
        "",
    ],
)
def test_what_is_no_signature_stays(body):
    assert without_signature(body) == body

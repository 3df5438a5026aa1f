"""Explanations as text: aligned, of stated width, without a way into the terminal."""

from __future__ import annotations

import io
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.common.escaping import escaped
from postil.explain.explainer import Explainer
from postil.explain.rule import CategoryRule
from postil.explain.terminal import bar_of, cell_width, render_text, shortened, wants_colour
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

from .samples import cases

PLAIN = Weighting("counts", "none", "none")


@pytest.fixture
def model() -> tuple[Explainer, CategoryRule]:
    vectorizer = Vectorizer("words lower", weighting=PLAIN).fit(["oil price wheat tax"])
    column_of = vectorizer.vocabulary.column_of
    weights = np.zeros(4)
    for term, weight in {"oil": 1.5, "price": 0.25, "wheat": -0.5}.items():
        weights[column_of[term]] = weight
    return Explainer(vectorizer), CategoryRule("crude", weights, -1.0, 0.5)


def test_the_whole_page(model):
    explainer, rule = model
    explanation = explainer.explain(
        explainer.read("Oil, oil: the price of wheat. No tax.", "doc-7"), rule
    )
    assert render_text(explanation, width=60) == (
        "crude: yes (margin 1.750 ≥ threshold 0.500)\n"
        "document doc-7\n"
        "\n"
        "Pushed up: 2 terms, +3.250\n"
        "  term   count  weight  value   added\n"
        "  oil        2   1.500  2.000  +3.000  █████████████████████\n"
        "  price      1   0.250  1.000  +0.250  █▊\n"
        "\n"
        "Pushed down: 1 term, -0.500\n"
        "  term   count  weight  value   added\n"
        "  wheat      1  -0.500  1.000  -0.500  ███▌\n"
        "\n"
        "The margin\n"
        "  terms up    +3.250\n"
        "  terms down  -0.500\n"
        "  intercept   -1.000\n"
        "  margin      +1.750\n"
        "  threshold   +0.500\n"
        "\n"
        "1 known term added nothing\n"
        "3 terms unknown to the model: the, of, no\n"
        "\n"
        "What would flip it\n"
        "  Without oil the margin is -1.250: no.\n"
        "  The model gives no absent term any weight.\n"
    )


def test_a_stem_is_shown_with_its_word():
    vectorizer = Vectorizer("words lower stem(porter)", weighting=PLAIN).fit(["ponies run"])
    rule = CategoryRule("farm", np.ones(2), 0.0, 0.5)
    text = render_text(Explainer(vectorizer).explain("Ponies run. A pony", rule))
    assert "poni (ponies)      2" in text
    assert "  run                1" in text


def test_parts_of_words_are_added_up_by_word():
    vectorizer = Vectorizer("chars-in-words(2,3) lower", weighting=PLAIN).fit(["oil wheat"])
    rng = np.random.default_rng(2)
    rule = CategoryRule("crude", rng.normal(size=len(vectorizer.vocabulary)), 0.0, 0.5)
    explanation = Explainer(vectorizer).explain("Wheat oil and oil", rule)
    words = {share.word: share for share in explanation.words}
    assert {word: share.count for word, share in words.items()} == {"wheat": 1, "oil": 2, "and": 1}
    assert math.fsum(share.added for share in explanation.words) == pytest.approx(
        math.fsum(share.added for share in explanation.terms)
    )
    alone = Explainer(vectorizer).explain("wheat", rule)
    assert words["wheat"].added == pytest.approx(alone.words[0].added)
    text = render_text(explanation)
    assert re.search(r"word +count +added\n", text)
    assert "words up" in text


@pytest.mark.parametrize("spec", ["words", "chars-in-words(2)"])
def test_pairs_of_characters_are_no_parts_of_a_word(spec):
    text = "港口今天关闭了"
    vectorizer = Vectorizer(spec, weighting=PLAIN).fit([text])
    rule = CategoryRule("x", np.ones(vectorizer.columns))
    explanation = Explainer(vectorizer).explain(text, rule)
    assert explanation.words == ()
    terms = {share.term for share in explanation.terms}
    assert terms >= {"港口", "口今", "今天", "天关", "关闭", "闭了"}


def test_nothing_among_its_words(model):
    explainer, rule = model
    rule = CategoryRule("crude", rule.weights, 5.0)
    text = render_text(explainer.explain("oil price", rule))
    assert "Nothing among its words would" in text
    assert "No single absent term would; the nearest is wheat (margin 6.250)." in text


def test_absent_words_that_would_do(model):
    explainer, rule = model
    text = render_text(explainer.explain("price", rule))
    assert "crude: no (margin -0.750 < threshold 0.500)" in text
    assert "With this one added, once: oil (margin 0.750)." in text


def test_a_set_says_how_small_it_is():
    vectorizer = Vectorizer("words", weighting=PLAIN).fit(["a b c"])
    rule = CategoryRule("x", np.ones(3), threshold=1.5)
    text = render_text(Explainer(vectorizer).explain("a b c", rule))
    assert "Without a, b the margin is 1.000: no. No smaller set would do." in text


def test_a_decision_that_margins_have_no_part_in(model):
    explainer, rule = model
    rule = CategoryRule("crude", rule.weights, threshold=math.inf, note="no one has it")
    text = render_text(explainer.explain("oil", rule))
    assert "crude: no (no document is given it, whatever its margin, here 1.500)\n" in text
    assert "\nno one has it\n" in text
    assert "Nothing would: the decision does not depend on the margin." in text
    assert "threshold     +inf" in text


def test_probabilities_and_constants_are_told():
    weighting = Weighting("counts", "none", "none", constant=True)
    vectorizer = Vectorizer("words", weighting=weighting).fit(["a"])
    rule = CategoryRule("x", [1.0, 0.25], probability=lambda _: 0.8767)
    text = render_text(Explainer(vectorizer).explain("a", rule))
    assert "probability 0.877)" in text
    assert "  constant    +0.250\n" in text


def test_a_near_miss_is_written_out():
    vectorizer = Vectorizer("words", weighting=PLAIN).fit(["a"])
    rule = CategoryRule("x", [1.0], threshold=1.0 + 1e-7)
    text = render_text(Explainer(vectorizer).explain("a", rule))
    assert "x: no (margin 1.0000000 < threshold 1.0000001)" in text


def test_many_terms_are_summed_up():
    names = [f"w{i}" for i in range(30)]
    vectorizer = Vectorizer("words", weighting=PLAIN).fit([" ".join(names)])
    text = render_text(
        Explainer(vectorizer).explain(" ".join(names), CategoryRule("x", np.ones(30))), shown=4
    )
    assert "  … and 26 more terms, +26.000\n" in text
    assert len(re.findall(r"^  w\d+ ", text, re.MULTILINE)) == 4


def test_colour_only_where_asked_for(model):
    explainer, rule = model
    explanation = explainer.explain("oil wheat", rule)
    coloured = render_text(explanation, colour=True)
    assert "\x1b[32m█" in coloured
    assert "\x1b[31m█" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == render_text(explanation)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_wants_no_colour(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())


@settings(max_examples=50, deadline=None)
@given(st.text(), st.text(st.characters(exclude_categories=())))
def test_nothing_in_a_document_reaches_the_terminal_raw(name: str, text: str):
    vectorizer = Vectorizer("whitespace", weighting=PLAIN).fit([text + " x"])
    explainer = Explainer(vectorizer)
    document = explainer.read(text, document_id=name)
    rule = CategoryRule(name, np.ones(vectorizer.columns), note=name)
    shown = render_text(explainer.explain(document, rule))
    assert shown == escaped(shown)
    shown.encode()


def test_wide_and_combining_characters_line_up():
    text = "日本語 e\u0301te\u0301 oil"
    vectorizer = Vectorizer("whitespace", weighting=PLAIN).fit([text])
    explanation = Explainer(vectorizer).explain(text, CategoryRule("x", np.ones(3)))
    rows = [line for line in render_text(explanation).splitlines() if "█" in line]
    assert len({cell_width(row.partition("█")[0]) for row in rows}) == 1
    assert len(rows) == 3


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(60, 120))
def test_lines_keep_to_the_width(case, width):
    text = render_text(case.explain(), width=width)
    assert all(cell_width(line) <= width for line in text.splitlines())
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_long_terms_are_shortened():
    assert shortened("a" * 40, 10) == "a" * 9 + "…"
    assert shortened("日" * 10, 10) == "日" * 4 + "…"
    assert shortened("short", 10) == "short"


def test_bars_are_to_scale():
    assert bar_of(1.0, 1.0, 10) == "█" * 10
    assert bar_of(0.5, 1.0, 10) == "█" * 5
    assert bar_of(0.0001, 1.0, 10) == "▏"
    assert bar_of(0.0, 1.0, 10) == ""
    assert bar_of(1.0, 0.0, 10) == ""

"""Tokens and the places they stand in: the same tokens, and a direct computation of each place."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from postil import _native
from postil.text.analyzer import Analyzer, TokenizerOptions
from postil.text.spans import TokenSpan, term_spans, token_spans
from postil.text.spec import AnalyzerSpec

from . import reference
from .specs import spec_texts
from .test_native_agrees import TRICKY, options, stable, texts


def traced(text: str, case: str, fold_accents: bool) -> list[tuple[str, int]]:
    """Every normalised character with the place of the one it comes of."""
    text = re.sub("[\ud800-\udfff]", "�", text)
    whole = text.lower() if case == "lower" else ""
    found: list[tuple[str, int]] = []
    for place, char in enumerate(text):
        image = {"keep": char, "lower": char.lower(), "casefold": char.casefold()}[case]
        if char == "Σ" and case == "lower":
            image = whole[sum(len(c.lower()) for c in text[:place])]  # its form goes by context
        if fold_accents:
            image = unicodedata.normalize("NFKD", image)
            image = "".join(c for c in image if unicodedata.combining(c) == 0)
        found.extend((part, place) for part in image)
    return found


def expected_words(text: str, chosen: TokenizerOptions) -> list[TokenSpan]:
    """Cut the normalised text, and follow its characters back."""
    if chosen.kind == "trec":
        return [
            TokenSpan(token if chosen.case == "keep" else token.lower(), start, end)
            for token, start, end in reference.placed_trec(text)
            if len(token) >= chosen.min_length
        ]
    codes = traced(text, chosen.case, chosen.fold_accents)
    normal = "".join(char for char, _ in codes)
    assert normal == reference.normalise(text, chosen.case, chosen.fold_accents)
    places = [place for _, place in codes] + [len(text)]
    return [
        TokenSpan(token, places[start], max(places[end - 1] + 1, places[end]))
        for token, start, end in placed(normal, chosen.kind)
        if len(token) >= chosen.min_length
    ]


def placed(text: str, kind: str) -> list[tuple[str, int, int]]:
    if kind == "words":
        return reference.placed_words(text)  # they overlap
    found, at = [], 0
    for token in reference.WORD_KINDS[kind](text):
        at = text.index(token, at)
        found.append((token, at, at + len(token)))
        at += len(token)
    return found


def token_columns(text, chosen: TokenizerOptions):
    return _native.token_places(text, chosen.to_native())


def spans_of(text: str | bytes, chosen: TokenizerOptions) -> list[TokenSpan]:
    tokens, starts, ends = token_columns(text, chosen)
    return [TokenSpan(*each) for each in zip(tokens, starts.tolist(), ends.tolist(), strict=True)]


@settings(max_examples=800, deadline=None)
@given(texts, options())
@example("½ İs ß- \ud800x", TokenizerOptions("words", "casefold", True))
@example("e\u0301\u0301a\u0301 '\u0301x-\u0301y", TokenizerOptions("compounds", "lower", True))
@example("don'", TokenizerOptions("compounds"))
def test_tokens_with_places_are_the_tokens(text: str, chosen: TokenizerOptions):
    found = spans_of(text, chosen)
    assert [span.token for span in found] == _native.tokenize(text, chosen.to_native())
    assert all(0 <= span.start <= span.end <= len(text) for span in found)


@settings(max_examples=800, deadline=None)
@given(texts, options().filter(lambda chosen: not chosen.makes_char_grams))
@example("½ İs ß- \ud800x", TokenizerOptions("words", "casefold", True))
@example("e\u0301\u0301a\u0301 '\u0301x-\u0301y", TokenizerOptions("compounds", "lower", True))
@example("o-\u0301", TokenizerOptions("compounds", "keep", True))
def test_words_stand_where_their_characters_come_from(text: str, chosen: TokenizerOptions):
    text = stable(text)
    assert spans_of(text, chosen) == expected_words(text, chosen)


@settings(max_examples=500, deadline=None)
@given(texts, options().filter(lambda chosen: chosen.kind != "trec"))
def test_a_stretch_normalises_to_its_token(text: str, chosen: TokenizerOptions):
    """Up to characters that became several, of which a token may hold a part."""
    text = stable(text)
    for token, start, end in spans_of(text, chosen):
        # The form of a sigma goes by what stands around it, beyond the stretch as well.
        stretch = reference.normalise(text[start:end], chosen.case, chosen.fold_accents)
        one_to_one = len(stretch) == end - start
        if chosen.makes_char_grams:
            stretch = re.sub(r"\s\s+", " ", stretch)
        seen = stretch.replace("ς", "σ")
        wanted = (token.strip() if chosen.kind == "chars-in-words" else token).replace("ς", "σ")
        assert wanted in seen
        if one_to_one and not chosen.fold_accents:
            assert wanted == seen


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(["keep", "lower", "casefold"]), st.booleans(), st.integers(1, 4))
def test_character_grams_stand_from_first_to_last_character(text, case, fold_accents, size):
    chosen = TokenizerOptions("chars", case, fold_accents, gram_min=size, gram_max=size)
    singles = spans_of(text, TokenizerOptions("chars", case, fold_accents))
    assert [(span.start, span.end) for span in spans_of(text, chosen)] == [
        (first.start, last.end) for first, last in zip(singles, singles[size - 1 :], strict=False)
    ]


@settings(max_examples=300, deadline=None)
@given(texts)
def test_single_characters_cover_the_text_without_a_gap(text: str):
    spans = spans_of(text, TokenizerOptions("chars"))
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert not spans or spans[-1].end == len(text)


def test_padding_has_no_place_of_its_own():
    chosen = TokenizerOptions("chars-in-words", "lower", gram_min=2, gram_max=2)
    assert spans_of("Ab  c", chosen) == [
        (" a", 0, 1), ("ab", 0, 2), ("b ", 1, 2), (" c", 4, 5), ("c ", 4, 5),
    ]  # fmt: skip
    alone = spans_of("x", TokenizerOptions("chars-in-words"))
    assert alone == [(" ", 0, 0), ("x", 0, 1), (" ", 1, 1)]


def test_white_space_stands_whole():
    chosen = TokenizerOptions("chars", gram_min=3, gram_max=3)
    assert spans_of("a \t\nb", chosen) == [("a b", 0, 5)]


def test_places_go_on_over_the_window_of_character_grams():
    """Longer than what the tokenizer holds at once, where n-grams begin anew with size one."""
    text = "ab cd" * 210_000
    tokens, starts, ends = token_columns(text, TokenizerOptions("chars", gram_min=2, gram_max=2))
    assert (ends - starts == 2).all()
    assert len(tokens) == len(text) - 1
    assert tokens == [text[start : start + 2] for start in starts.tolist()]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), options())
def test_bytes_are_counted_as_they_read(data: bytes, chosen: TokenizerOptions):
    assert spans_of(data, chosen) == spans_of(data.decode("utf-8", "replace"), chosen)


@settings(max_examples=300, deadline=None)
@given(st.one_of(texts, st.text(st.sampled_from(TRICKY + " ab"))), spec_texts)
def test_terms_with_places_are_the_tokens_of_the_analyzer(text: str, spec: str):
    lists = AnalyzerSpec.parse(spec).stop_lists
    for part in Analyzer(spec, resources=dict.fromkeys(lists, ("a", "ab"))).parts:
        spans = term_spans(part, text)
        assert spans.tokens == part.tokens(text)
        assert len(spans.starts) == len(spans.ends) == len(spans)
        assert all(0 <= start <= end <= len(text) for _, start, end in spans)


def test_word_grams_stand_from_first_to_last_word():
    analyzer = Analyzer("words lower stop(sklearn) ngrams(1,2)")
    text = "The Price of the Oil rose"
    assert [(term, text[start:end]) for term, start, end in term_spans(analyzer, text)] == [
        ("price", "Price"),
        ("oil", "Oil"),
        ("rose", "rose"),
        ("price oil", "Price of the Oil"),
        ("oil rose", "Oil rose"),
    ]


def test_dropped_words_have_no_term():
    analyzer = Analyzer("words lower min(2) numbers(drop) stop(sklearn) stem(porter)")
    text = "In 1987 wheats x were"
    assert list(term_spans(analyzer, text)) == [("wheat", 8, 14)]
    assert token_spans(analyzer, text).tokens == ["in", "1987", "wheats", "were"]


def test_grams_longer_than_the_text_are_none():
    assert list(term_spans(Analyzer("words ngrams(2,5)"), "one")) == []
    assert list(term_spans(Analyzer("words ngrams(2)"), "")) == []


def test_an_index_gives_a_span():
    assert token_spans(Analyzer("words"), "a bc")[1] == TokenSpan("bc", 2, 4)


def test_only_texts_have_places():
    with pytest.raises(TypeError, match="a text must be str or UTF-8 bytes, not int"):
        token_spans(Analyzer("words"), 3)  # type: ignore[arg-type]

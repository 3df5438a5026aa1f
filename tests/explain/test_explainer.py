"""Explanations add up to the model's score, and say what they should of every term."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.explain.explainer import Explainer
from postil.explain.page import segments_of
from postil.explain.rule import CategoryRule, Figures
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import Weighting

from .samples import cases


@settings(max_examples=100, deadline=None)
@given(cases())
def test_the_parts_add_up_to_the_score(case):
    explanation = case.explain()
    parts = [explanation.intercept, explanation.constant]
    parts += [share.added for share in explanation.terms]
    assert explanation.margin == math.fsum(parts)
    np.testing.assert_allclose(explanation.margin, case.score(case.text), rtol=1e-12, atol=1e-12)
    assert explanation.accepted == (explanation.margin >= explanation.threshold)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_every_term_has_its_weight_value_and_count(case):
    explanation = case.explain()
    vocabulary = case.vectorizer.vocabulary
    row = case.vectorizer.transform([case.text]).toarray()[0]
    words = case.text.split()
    for share in explanation.terms:
        column = vocabulary.column_of[share.term]
        assert share.count == words.count(share.term)
        assert share.weight == case.rule.weights[column]
        assert share.value == row[column]
        assert share.added == share.weight * share.value
    unknown = {term.term: term.count for term in explanation.unknown}
    known = {share.term for share in explanation.terms}
    assert unknown == {w: words.count(w) for w in words if w not in vocabulary.column_of}
    assert known == set(words) - set(unknown)
    sizes = [abs(share.added) for share in explanation.terms]
    assert sizes == sorted(sizes, reverse=True)
    assert len(explanation.up) + len(explanation.down) + len(explanation.neutral) == len(known)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_every_occurrence_has_its_place(case):
    explanation = case.explain()
    words = [(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+", case.text)]
    found = [
        (term, start, end)
        for term, places in explanation.places.items()
        for _, start, end in places
    ]
    assert sorted(found) == sorted(words)


@settings(max_examples=50, deadline=None)
@given(cases())
def test_a_dict_is_strict_json(case):
    told = case.explain().to_dict(texts=True)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["fields"] == [{"field": "", "text": case.text}]
    assert told["margin"] == math.fsum(
        [told["intercept"], told["constant"], *(term["added"] for term in told["terms"])]
    )


def test_an_infinite_threshold_is_null_in_json():
    vectorizer = Vectorizer("whitespace").fit(["a"])
    told = Explainer(vectorizer).explain("a", CategoryRule("x", [1.0], threshold=math.inf))
    assert told.to_dict()["threshold"] is None
    assert told.to_dict()["decision"] is False


@pytest.fixture
def words() -> Vectorizer:
    weighting = Weighting("counts", "none", "none")
    return Vectorizer("words lower", weighting=weighting).fit(["oil price wheat"])


def rule_of(vectorizer: Vectorizer, **weights: float) -> CategoryRule:
    columns = vectorizer.vocabulary.column_of
    listed = np.zeros(vectorizer.columns)
    for term, weight in weights.items():
        listed[columns[term.replace("__", ":")]] = weight
    return CategoryRule("oil", listed)


def test_a_score_that_is_the_model_s_is_taken(words):
    rule = rule_of(words, oil=2.0)
    assert Explainer(words).explain("Oil oil", rule, score=4.00001).margin == 4.0


def test_a_score_of_another_model_is_refused(words):
    rule = rule_of(words, oil=2.0)
    with pytest.raises(UsageError, match="'oil': the terms add up to 4 and the model's score is 3"):
        Explainer(words).explain("Oil oil", rule, score=3.0)


def test_the_decision_rests_on_the_score_that_was_given(words):
    rule = CategoryRule("oil", rule_of(words, oil=1.0).weights, threshold=2.0)
    assert not Explainer(words).explain("oil oil", rule, score=2.0 - 1e-9).accepted


def test_fields_apart_have_terms_and_places_of_their_own():
    fields = Fields(("title", "body"), apart=True)
    vectorizer = Vectorizer("words lower", fields=fields, weighting=Weighting(norm="none"))
    vectorizer.fit({"title": ["Oil"], "body": ["Oil and wheat"]})
    document = {"body": "The oil", "title": "OIL up", "date": "oil"}
    rule = rule_of(vectorizer, title__oil=2.0, body__oil=-1.0)
    explanation = Explainer(vectorizer).explain(document, rule)
    assert {share.term: share.added for share in explanation.terms} == {
        "title:oil": 2.0,
        "body:oil": -1.0,
    }
    assert explanation.places["title:oil"] == (("title", 0, 3),)
    assert explanation.places["body:oil"] == (("body", 4, 7),)
    assert [term.term for term in explanation.unknown] == ["title:up", "body:the"]


def test_the_parts_of_a_union_add_up_where_they_stand():
    spec = "words lower + words lower stem(porter) + chars-in-words(3) lower"
    vectorizer = Vectorizer(spec, weighting=Weighting(norm="none")).fit(["ran runs", "running"])
    weights = np.arange(1.0, 1 + len(vectorizer.vocabulary)) / 8
    rule = CategoryRule("x", weights, intercept=-1.0)
    explanation = Explainer(vectorizer).explain("Runs on", rule)
    vector = vectorizer.transform(["Runs on"])
    assert explanation.margin == pytest.approx((vector @ weights)[0] - 1.0)
    assert explanation.places["runs"] == explanation.places["stem:run"] == (("", 0, 4),)
    assert explanation.places["chars: ru"] == (("", 0, 2),)
    first = segments_of(explanation)[0][0]
    names = {explanation.document.names[term] for term in first.terms}
    assert names == {"runs", "stem:run", "chars: ru", "chars:run"}
    added = {share.term: share.added for share in explanation.terms}
    assert first.added == pytest.approx(sum(added[name] for name in names))


def test_joined_fields_have_one_term_and_many_places():
    fields = Fields(("title", "body"))
    vectorizer = Vectorizer("words lower", fields=fields)
    vectorizer.fit({"title": ["Oil"], "body": ["wheat"]})
    explanation = Explainer(vectorizer).explain(
        {"title": "Oil", "body": "no oil"}, rule_of(vectorizer, oil=1.0)
    )
    assert explanation.terms[0].count == 2
    assert explanation.places["oil"] == (("title", 0, 3), ("body", 3, 6))


def test_without_named_fields_a_gram_may_stand_in_two():
    vectorizer = Vectorizer("words lower ngrams(2)").fit(["crude oil price"])
    explanation = Explainer(vectorizer).explain(
        {"title": "Crude", "body": "", "end": "oil price"}, CategoryRule("x", np.ones(2))
    )
    assert explanation.places["crude oil"] == (("title", 0, 5), ("end", 0, 3))
    assert explanation.places["oil price"] == (("end", 0, 9),)
    score = vectorizer.transform(["Crude\n\noil price"]).sum()
    np.testing.assert_allclose(explanation.margin, score)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.text("abc", min_size=1), st.text("xy z\n", max_size=12), max_size=4),
    st.sampled_from(["chars(1,3)", "words ngrams(1,2)", "chars-in-words(2)"]),
)
def test_unnamed_fields_are_read_as_a_corpus_reads_them(document, spec):
    vectorizer = Vectorizer(spec, buckets=64, weighting=Weighting(idf="none"))
    weights = np.arange(64.0)
    explanation = Explainer(vectorizer).explain(document, CategoryRule("x", weights))
    row = vectorizer.transform(["\n".join(document.values())]).toarray()[0]
    np.testing.assert_allclose(explanation.margin, row @ weights, rtol=1e-6)
    pieces = explanation.document.pieces
    for part, start, end in zip(pieces.parts, pieces.starts, pieces.ends, strict=True):
        assert 0 <= start < end <= len(explanation.document.parts[part].text)


def test_a_plain_text_is_the_only_field_there_is():
    vectorizer = Vectorizer("words", fields=Fields(("body",))).fit({"body": ["a"]})
    explanation = Explainer(vectorizer).explain("a", CategoryRule("x", [1.0]))
    assert explanation.places["a"] == (("body", 0, 1),)


def test_a_plain_text_for_several_fields_is_refused():
    fields = Fields(("title", "body"))
    vectorizer = Vectorizer("words", fields=fields).fit({"title": ["a"], "body": ["b"]})
    with pytest.raises(UsageError, match="title, body: pass a mapping"):
        Explainer(vectorizer).explain("a", CategoryRule("x", [1.0, 1.0]))


def test_a_document_without_any_field_that_is_read_is_refused():
    vectorizer = Vectorizer("words", fields=Fields(("body",))).fit({"body": ["a"]})
    with pytest.raises(UsageError, match="has the fields text, the vectorizer takes body"):
        Explainer(vectorizer).explain({"text": "a"}, CategoryRule("x", [1.0]))


def test_bytes_read_as_utf8(words):
    explanation = Explainer(words).explain("öl oil".encode(), rule_of(words, oil=1.0))
    assert explanation.places["oil"] == (("", 3, 6),)


def test_terms_of_one_bucket_are_one_term():
    vectorizer = Vectorizer("words", buckets=1, weighting=Weighting(idf="none", norm="none"))
    explanation = Explainer(vectorizer).explain("b a b", CategoryRule("x", [2.0]))
    (share,) = explanation.terms
    assert (share.term, share.count, share.added) == ("b | a", 3, 6.0)
    assert len(explanation.places["b | a"]) == 3


def test_lone_surrogates_are_read_as_the_replacement_character():
    vectorizer = Vectorizer("whitespace").fit(["\ufffd b"])
    explanation = Explainer(vectorizer).explain("\ud800 b", CategoryRule("x", np.ones(2)))
    assert explanation.places["\ufffd"] == (("", 0, 1),)
    assert not explanation.unknown


def test_a_probability_is_that_of_the_margin(words):
    rule = CategoryRule(
        "oil", rule_of(words, oil=1.0).weights, probability=lambda margin: 1 / (1 + np.exp(-margin))
    )
    probability = Explainer(words).explain("oil", rule).probability
    assert isinstance(probability, float)
    assert probability == pytest.approx(1 / (1 + math.exp(-1)))


def test_one_rule_over_another_explains_a_choice(words):
    first = CategoryRule("oil", rule_of(words, oil=2.0).weights, 0.5)
    second = CategoryRule("grain", rule_of(words, wheat=3.0).weights, 0.25)
    explanation = Explainer(words).explain("oil wheat", first.over(second))
    assert (explanation.category, explanation.rather_than) == ("oil", "grain")
    assert explanation.title == "oil rather than grain"
    assert explanation.margin == 2.0 - 3.0 + 0.25
    assert not explanation.accepted


def test_rules_of_different_models_are_not_compared():
    with pytest.raises(UsageError, match="only categories of one model"):
        CategoryRule("a", [1.0]).over(CategoryRule("b", [1.0, 2.0]))


def test_an_empty_document_has_the_intercept(words):
    explanation = Explainer(words).explain({}, CategoryRule("oil", np.ones(3), -1.0))
    assert explanation.margin == -1.0
    assert explanation.terms == ()
    assert explanation.flips.removals == ()


def test_several_categories_share_one_reading(words):
    explainer = Explainer(words)
    document = explainer.read("oil")
    first = explainer.explain(document, rule_of(words, oil=1.0), score=1.0)
    second = explainer.explain(document, rule_of(words, wheat=1.0), score=0.0)
    assert first.document is second.document


def test_weights_must_fit_the_vectorizer(words):
    with pytest.raises(UsageError, match="has 2 weights, the vectorizer 3 columns"):
        Explainer(words).explain("oil", CategoryRule("oil", np.ones(2)))


@pytest.mark.parametrize(
    ("weights", "settings"),
    [
        (np.ones((2, 2)), {}),
        ([math.nan], {}),
        ([1.0], {"intercept": math.inf}),
        ([1.0], {"threshold": math.nan}),
    ],
)
def test_numbers_that_are_none_are_refused(weights, settings):
    with pytest.raises(UsageError, match="category 'oil'"):
        CategoryRule("oil", weights, **settings)


def test_a_vectorizer_that_has_learned_nothing_is_refused():
    with pytest.raises(UsageError, match="call fit first"):
        Explainer(Vectorizer("words"))


def test_a_vocabulary_with_its_idf_put_in_will_do():
    vocabulary = Vocabulary.of_terms(["oil", "wheat"])
    vectorizer = Vectorizer("words", vocabulary=vocabulary, weighting=Weighting(idf="none"))
    explanation = Explainer(vectorizer).explain("oil tax", CategoryRule("x", [3.0, 1.0]))
    assert explanation.margin == 3.0


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([0.0], "0.000"),
        ([12.5], "12.50"),
        ([123456.0, 1.0], "123456"),
        ([0.00012], "0.0001200"),
        ([1e-30], "0.000000000"),
        ([math.inf], "inf"),
        ([], None),
    ],
)
def test_figures_have_four_digits_that_count(numbers, written):
    figures = Figures(numbers)
    if numbers:
        assert figures.plain(numbers[0]) == written

"""Flips of a decision, against every subset of the words, through the vectorizer itself."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postil.explain.explainer import Explainer
from postil.explain.flips import Goal, by_parts, by_ratio, everything, one_by_one
from postil.explain.rule import CategoryRule
from postil.explain.variants import Variants, variants_of
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

from .samples import WORDS, away_from_threshold, cases, numbers


def subset_margins(case) -> list[float]:
    words = sorted(set(case.text.split()))
    return [
        case.score(case.text_without(removed))
        for size in range(len(words) + 1)
        for removed in itertools.combinations(words, size)
    ]


@settings(max_examples=125, deadline=None)
@given(cases())
def test_a_set_is_found_exactly_where_one_exists(case):
    assume(away_from_threshold(case, subset_margins(case)))
    explanation = case.explain()
    possible = case.flipping_sets(explanation.accepted)
    removals = explanation.flips.removals
    assert bool(removals) == bool(possible)
    for removal in removals:
        margin = case.score(case.text_without(removal.terms))
        assert case.rule.accepts(margin) != explanation.accepted
        np.testing.assert_allclose(removal.margin, margin, rtol=1e-6, atol=1e-6)
        if removal.smallest:
            assert len(removal.terms) == len(possible[0])


@settings(max_examples=100, deadline=None)
@given(cases(norms=("none", "l1")))
def test_without_a_norm_and_with_l1_the_first_set_is_the_smallest(case):
    assume(away_from_threshold(case, subset_margins(case)))
    explanation = case.explain(sets=1)
    possible = case.flipping_sets(explanation.accepted)
    for removal in explanation.flips.removals:
        assert removal.smallest
        assert len(removal.terms) == len(possible[0])


@settings(max_examples=50, deadline=None)
@given(cases(norms=("l2",)))
def test_with_cosine_no_term_of_a_set_is_needless(case):
    assume(away_from_threshold(case, subset_margins(case)))
    explanation = case.explain(sets=1)
    for removal in explanation.flips.removals:
        for back in removal.terms:
            fewer = set(removal.terms) - {back}
            if fewer and len(removal.terms) > 1 and not removal.everything:
                margin = case.score(case.text_without(fewer))
                assert case.rule.accepts(margin) == explanation.accepted


@settings(max_examples=100, deadline=None)
@given(cases())
def test_sets_have_no_term_in_common(case):
    terms = [term for removal in case.explain().flips.removals for term in removal.terms]
    assert len(terms) == len(set(terms))


@settings(max_examples=100, deadline=None)
@given(cases())
def test_absent_terms_that_flip_are_all_counted(case):
    explanation = case.explain()
    held = set(case.text.split())
    vocabulary = case.vectorizer.vocabulary
    absent = {
        name: case.score(f"{case.text} {name}")
        for name in vocabulary.names
        if name not in held and case.rule.weights[vocabulary.column_of[name]] != 0
    }
    assume(away_from_threshold(case, [*absent.values(), explanation.margin]))
    flipping = {
        name: margin
        for name, margin in absent.items()
        if case.rule.accepts(margin) != explanation.accepted
    }
    flips = explanation.flips
    assert flips.additions_in_all == len(flipping)
    assert {addition.term for addition in flips.additions} == set(flipping)
    for addition in flips.additions:
        np.testing.assert_allclose(addition.margin, flipping[addition.term], rtol=1e-6, atol=1e-6)
    if absent and not flipping:
        nearest = flips.nearest_addition
        best = (min if explanation.accepted else max)(absent.values())
        np.testing.assert_allclose(nearest.margin, best, rtol=1e-6, atol=1e-6)
    else:
        assert flips.nearest_addition is None


def test_additions_stop_at_the_bound_and_go_by_strength():
    vectorizer = Vectorizer("whitespace", weighting=Weighting("binary", "none", "none"))
    vectorizer.fit([" ".join(WORDS)])
    columns = vectorizer.vocabulary.column_of
    weights = np.zeros(len(columns))
    for strength, word in enumerate(WORDS):
        weights[columns[word]] = strength
    rule = CategoryRule("x", weights, threshold=2.5)
    flips = Explainer(vectorizer, additions=2).explain("ab", rule).flips
    assert [addition.term for addition in flips.additions] == ["mn", "kl"]
    assert flips.additions_in_all == 4


@st.composite
def rows(draw) -> Variants:
    size = draw(st.integers(0, 6))
    listed = st.lists(numbers, min_size=size, max_size=size).map(np.array)
    sizes = st.lists(st.integers(0, 6), min_size=size, max_size=size).map(np.array)
    return Variants(
        draw(st.sampled_from(["none", "l1", "l2"])),
        draw(sizes).astype(float) / 2,
        draw(listed).astype(float),
        draw(numbers),
        np.arange(size),
    )


@settings(max_examples=200, deadline=None)
@given(rows(), numbers)
def test_each_search_gives_only_sets_that_flip(row: Variants, threshold: float):
    margin = row.margin_of(np.ones(len(row.weights), dtype=bool))
    goal = Goal(threshold, margin >= threshold)
    for search in (by_parts, one_by_one, by_ratio, everything):
        if search is by_parts and row.norm == "l2":
            continue
        removed = search(row, goal, row.counting)
        if removed is not None:
            assert len(removed) > 0
            kept = np.setdiff1d(np.arange(len(row.weights)), removed)
            flags = np.isin(np.arange(len(row.weights)), kept)
            assert (row.margin_of(flags) >= threshold) != goal.accepted


@settings(max_examples=200, deadline=None)
@given(rows(), numbers)
def test_ratio_sets_exist_wherever_any_set_does(row: Variants, threshold: float):
    """The claim that lets "nothing among its words would" be said for cosine."""
    ids = np.arange(len(row.weights))
    margin = row.margin_of(np.ones(len(ids), dtype=bool))
    goal = Goal(threshold, margin >= threshold)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(ids.tolist(), size) for size in range(1, len(ids) + 1)
    )
    margins = [row.margin_of(~np.isin(ids, removed)) for removed in subsets]
    assume(all(abs(m - threshold) > 1e-5 for m in [*margins, margin]))
    found = by_ratio(row, goal, row.counting)
    if found is None:
        found = everything(row, goal, row.counting)
    if row.norm != "none":
        assert (found is not None) == any(map(goal.reached, margins))


def test_removal_is_weighed_anew_and_not_subtracted():
    """Under cosine, taking a neutral word away strengthens the others."""
    vectorizer = Vectorizer("whitespace", weighting=Weighting("binary", "none", "l2"))
    vectorizer.fit(["good plain dull"])
    columns = vectorizer.vocabulary.column_of
    weights = np.zeros(3)
    weights[columns["good"]] = 1.0
    rule = CategoryRule("x", weights, threshold=0.7)
    explanation = Explainer(vectorizer).explain("good plain dull", rule)
    assert not explanation.accepted
    assert [removal.terms for removal in explanation.flips.removals] == [("plain",), ("dull",)]
    np.testing.assert_allclose(explanation.flips.removals[0].margin, 1 / np.sqrt(2), rtol=1e-6)


def test_unknown_words_count_where_the_norm_counts_them():
    vectorizer = Vectorizer("whitespace", weighting=Weighting.named("glm2004"))
    vectorizer.fit(["good", "plain", "dull", "other"])
    weights = np.zeros(4)
    weights[vectorizer.vocabulary.column_of["good"]] = 1.0
    rule = CategoryRule("x", weights, threshold=0.9)
    explanation = Explainer(vectorizer).explain("good never", rule)
    assert not explanation.accepted
    assert explanation.flips.removals[0].terms == ("never",)


def test_an_infinite_threshold_cannot_be_reached():
    vectorizer = Vectorizer("whitespace").fit(["a b"])
    for threshold, accepted in ((np.inf, False), (-np.inf, True)):
        rule = CategoryRule("x", np.array([1.0, -1.0]), threshold=threshold)
        explanation = Explainer(vectorizer).explain("a b", rule)
        assert explanation.accepted is accepted
        assert explanation.flips.removals == ()
        assert explanation.flips.additions == ()
        assert explanation.flips.nearest_addition is None


def test_hash_buckets_have_no_absent_terms():
    vectorizer = Vectorizer("whitespace", buckets=16).fit(["a b"])
    flips = Explainer(vectorizer).explain("a", CategoryRule("x", np.ones(16))).flips
    assert not flips.named
    assert flips.additions == ()


@settings(max_examples=50, deadline=None)
@given(cases())
def test_a_row_weighs_as_the_vectorizer_does(case):
    explainer = Explainer(case.vectorizer)
    row = variants_of(case.vectorizer, explainer.read(case.text), case.rule)
    weighed = row.margin_of(np.ones(len(row.weights), dtype=bool))
    np.testing.assert_allclose(weighed, case.score(case.text), rtol=1e-12, atol=1e-12)

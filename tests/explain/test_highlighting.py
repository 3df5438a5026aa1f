"""Segments: every character of a term with a push, once, with the terms that stand on it."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.explain.explainer import Explainer
from postil.explain.page import segments_of
from postil.explain.rule import CategoryRule
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

SPECS = [
    *("whitespace", "words ngrams(1,3)", "chars(1,3)", "chars-in-words(2,3)", "compounds lower"),
    *("trec", "trec lower ngrams(1,2)"),
]


@settings(max_examples=75, deadline=None)
@given(st.text("aab B-é\n.'sS<>", max_size=30), st.sampled_from(SPECS), st.integers(0, 3))
def test_segments_are_what_one_gets_character_by_character(text, spec, seed):
    weighting = Weighting("log", "none", "l2")
    vectorizer = Vectorizer(spec, buckets=101, weighting=weighting, threads=1)
    weights = np.random.default_rng(seed).integers(-1, 2, 101).astype(float)
    explanation = Explainer(vectorizer, sets=1).explain(text, CategoryRule("x", weights))
    pieces = explanation.document.pieces
    standing: list[set[int]] = [set() for _ in text]
    for term, start, end in zip(pieces.terms, pieces.starts, pieces.ends, strict=True):
        if explanation.added[term] != 0:
            for at in range(start, end):
                standing[at].add(int(term))
    (segments,) = segments_of(explanation)
    covered: list[set[int]] = [set() for _ in text]
    for segment in segments:
        assert segment.start < segment.end
        np.testing.assert_allclose(
            segment.added, sum(explanation.added[list(segment.terms)]), atol=1e-12
        )
        sizes = [abs(explanation.added[term]) for term in segment.terms]
        assert sizes == sorted(sizes, reverse=True)
        for at in range(segment.start, segment.end):
            assert not covered[at]
            covered[at] = set(segment.terms)
    assert covered == standing
    assert all(a.end <= b.start for a, b in itertools.pairwise(segments))


def test_a_word_is_one_segment():
    vectorizer = Vectorizer("words lower", weighting=Weighting("counts", "none", "none"))
    vectorizer.fit(["oil wheat"])
    rule = CategoryRule("x", np.array([2.0, 0.0]))
    (segments,) = segments_of(Explainer(vectorizer).explain("Oil, wheat and OIL", rule))
    assert [(s.start, s.end, s.added) for s in segments] == [(0, 3, 4.0), (15, 18, 4.0)]


def test_overlapping_grams_are_cut_where_they_begin_and_end():
    vectorizer = Vectorizer("words ngrams(1,2)", weighting=Weighting("counts", "none", "none"))
    vectorizer.fit(["crude oil price"])
    column_of = vectorizer.vocabulary.column_of
    weights = np.zeros(5)
    weights[column_of["oil"]] = 1.0
    weights[column_of["crude oil"]] = 2.0
    weights[column_of["oil price"]] = -4.0
    (segments,) = segments_of(
        Explainer(vectorizer).explain("crude oil price", CategoryRule("x", weights))
    )
    assert [(s.start, s.end, s.added) for s in segments] == [
        (0, 6, 2.0),
        (6, 9, -1.0),
        (9, 15, -4.0),
    ]

"""Weights against their formulas, evaluated directly."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from postil.errors import SpecError
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import IDFS, NAMED, NORMS, TFS, Weighting

from . import reference
from .samples import FRESH, TRAINING, corpora, filled_corpora

GLM = Weighting("log", "glm2004", "l2")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("tf", "idf", "norm"), list(product(TFS, IDFS, NORMS)))
def test_every_combination_is_its_formula(tf: str, idf: str, norm: str, threads: int):
    vectorizer = Vectorizer("whitespace", weighting=Weighting(tf, idf, norm), threads=threads)
    found = vectorizer.fit_transform(TRAINING)
    rows = reference.count(TRAINING)
    names = reference.ranked(rows)
    assert vectorizer.vocabulary.names == names
    assert found.dtype == np.float32
    expected = reference.weigh(rows, names, rows, (tf, idf, norm))
    np.testing.assert_allclose(found.toarray(), expected, rtol=2e-7, atol=1e-7)

    fresh = reference.weigh(reference.count(FRESH), names, rows, (tf, idf, norm))
    np.testing.assert_allclose(vectorizer.transform(FRESH).toarray(), fresh, rtol=2e-7, atol=1e-7)


@settings(max_examples=60, deadline=None)
@given(filled_corpora, corpora)
def test_glm2004_is_section_5_1_of_the_paper_for_any_texts(training: list[str], fresh: list[str]):
    vectorizer = Vectorizer("whitespace", weighting=GLM, threads=1).fit(training)
    names = vectorizer.vocabulary.names
    rows = reference.count(training)
    expected = reference.weigh(reference.count(fresh), names, rows, ("log", "glm2004", "l2"))
    np.testing.assert_allclose(vectorizer.transform(fresh).toarray(), expected, atol=1e-6)


def test_glm2004_by_hand():
    """Four training documents; wool is in two, ferry in one; quay in none of them."""
    vectorizer = Vectorizer("words", weighting=GLM, threads=1)
    vectorizer.fit(["wool", "wool", "ferry ferry", ""])
    found = vectorizer.transform(["wool wool ferry quay quay quay"]).toarray()[0]
    wool = (1 + math.log(2)) * math.log(5 / 3)
    ferry = (1 + math.log(1)) * math.log(5 / 2)
    quay = (1 + math.log(3)) * math.log(5 / 1)
    length = math.sqrt(wool**2 + ferry**2 + quay**2)
    np.testing.assert_allclose(found, [wool / length, ferry / length], rtol=1e-6)


def test_glm2004_gives_a_term_of_all_documents_no_weight():
    matrix = Vectorizer("words", weighting=GLM, threads=1).fit_transform(["a b", "a", "a c"])
    np.testing.assert_array_equal(matrix.toarray()[:, 0], 0.0)
    assert matrix.toarray()[1].tolist() == [0.0, 0.0, 0.0]


def test_the_constant_is_a_last_column_of_ones_outside_the_norm():
    with_constant = Vectorizer(
        "whitespace", weighting=Weighting("log", "glm2004", "l2", constant=True), threads=2
    )
    found = with_constant.fit_transform(TRAINING)
    plain = Vectorizer("whitespace", weighting=GLM, threads=2).fit_transform(TRAINING)
    assert with_constant.columns == with_constant.terms + 1 == found.shape[1]
    np.testing.assert_array_equal(found[:, :-1].toarray(), plain.toarray())
    np.testing.assert_array_equal(found[:, -1].toarray(), 1.0)
    assert found.has_sorted_indices
    fresh = with_constant.transform(FRESH)
    np.testing.assert_array_equal(fresh[:, -1].toarray(), 1.0)


def test_unseen_terms_lengthen_the_norm_of_glm2004_alone():
    known, mixed = ["wool ferry"], ["wool ferry unseen"]
    for idf in IDFS:
        vectorizer = Vectorizer("words", weighting=Weighting("log", idf, "l2"), threads=1)
        vectorizer.fit(["wool", "ferry", "quay"])
        same = np.array_equal(
            vectorizer.transform(known).toarray(), vectorizer.transform(mixed).toarray()
        )
        assert same == (idf != "glm2004")


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_rows_of_known_terms_have_length_one(norm: str):
    for idf in ("none", "smooth", "plain"):
        weighting = Weighting("log", idf, norm)
        matrix = Vectorizer("whitespace", weighting=weighting, threads=1).fit_transform(TRAINING)
        order = {"l1": 1, "l2": 2}[norm]
        lengths = np.linalg.norm(matrix.toarray(), order, axis=1)
        np.testing.assert_allclose(lengths, [1, 1, 0, 1, 1, 1], atol=1e-6)


def test_a_given_term_no_document_holds_has_a_finite_idf():
    vocabulary = Vocabulary.of_terms(["wool", "nowhere"])
    for idf in ("smooth", "plain", "glm2004"):
        vectorizer = Vectorizer("words", weighting=Weighting(idf=idf), vocabulary=vocabulary)
        assert np.isfinite(vectorizer.fit(TRAINING).idf).all()


def test_large_counts_keep_their_weight():
    vectorizer = Vectorizer("words", weighting=Weighting("counts", "none", "none"), threads=1)
    assert vectorizer.fit_transform(["a " * 70_000]).toarray().tolist() == [[70_000.0]]


def test_named_weightings():
    for name, (tf, idf) in NAMED.items():
        assert Weighting.named(name, norm="l1", constant=True) == Weighting(tf, idf, "l1", True)
    assert Weighting.named("glm2004") == GLM


def test_no_idf_is_none():
    assert Weighting(idf="none").idf_of(np.zeros(3, np.uint64), 3) is None


@pytest.mark.parametrize("wrong", [{"tf": "sqrt"}, {"idf": "bm25"}, {"norm": "max"}])
def test_unknown_parts_are_refused(wrong: dict[str, str]):
    ((part, value),) = wrong.items()
    with pytest.raises(SpecError, match=f"{part} must be one of .*, got '{value}'"):
        Weighting(**wrong)


def test_unknown_names_are_refused():
    with pytest.raises(SpecError, match=r"weights must be one of binary, counts.* got 'bm25'"):
        Weighting.named("bm25")

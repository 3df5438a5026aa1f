"""TextVectorizer gives TfidfVectorizer's numbers and lives in scikit-learn's world."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import postil
from postil.errors import UsageError
from postil.vectors.lsi import Lsi

TEXTS = [
    "The harbour wall was breached; the HARBOUR master asked for stone.",
    "Café owners naïvely asked the council for a wall of their own.",
    "Stone walls do not a prison make, nor iron bars a cage.",
    "",
    "Ice on the wall, ice on the road: 14 cars, 3 lorries & a bus.",
    "ΟΔΟΣ and İstanbul, straße and STRASSE, e\u0301 and é",
]

SETTINGS = [
    {},
    {"sublinear_tf": True, "min_df": 2},
    {"ngram_range": (1, 2), "stop_words": "english"},
    {"ngram_range": (2, 3), "max_df": 0.5},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (3, 5)},
    {"analyzer": "char_wb", "ngram_range": (9, 9)},
    {"lowercase": False, "norm": "l1"},
    {"use_idf": False, "norm": None},
    {"smooth_idf": False, "binary": True},
    {"strip_accents": "unicode"},
    {"stop_words": ["wall", "the"], "token_pattern": r"(?u)\b\w+\b"},
    {"vocabulary": ["wall", "stone", "zebra"]},
    {"vocabulary": {"zebra": 1, "wall": 0}, "smooth_idf": True},
]


def assert_same_matrix(ours, theirs, ours_names, theirs_names):
    assert sorted(ours_names) == sorted(theirs_names)
    column_of = {name: column for column, name in enumerate(theirs_names)}
    order = [column_of[name] for name in ours_names]
    np.testing.assert_allclose(ours.toarray(), theirs[:, order].toarray(), atol=1e-6, rtol=0)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_values_equal_scikit_learns(settings):
    theirs = TfidfVectorizer(**settings)
    ours = postil.TextVectorizer(**settings)
    expected = theirs.fit_transform(TEXTS)
    names = theirs.get_feature_names_out()
    assert_same_matrix(ours.fit_transform(TEXTS), expected, ours.get_feature_names_out(), names)
    fresh = ["a stone wall of ice", "nothing known here", "ΣΊΣΥΦΟΣ café"]
    assert_same_matrix(
        ours.transform(fresh), theirs.transform(fresh), ours.get_feature_names_out(), names
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=8))
def test_any_texts_give_scikit_learns_values(texts):
    theirs, ours = TfidfVectorizer(), postil.TextVectorizer()
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    try:
        expected = theirs.fit_transform(clean)
    except ValueError:
        with pytest.raises(postil.PostilError, match="no terms"):
            ours.fit_transform(clean)
        return
    result = ours.fit_transform(clean)
    assert_same_matrix(
        result, expected, ours.get_feature_names_out(), theirs.get_feature_names_out()
    )


def test_fit_then_transform_is_fit_transform():
    vectorizer = postil.TextVectorizer(weights="glm2004")
    together = vectorizer.fit_transform(TEXTS)
    apart = postil.TextVectorizer(weights="glm2004").fit(TEXTS).transform(TEXTS)
    assert (together != apart).nnz == 0


def test_columns_stand_by_falling_document_frequency():
    vectorizer = postil.TextVectorizer(use_idf=False).fit(TEXTS)
    frequency = (vectorizer.transform(TEXTS) > 0).sum(axis=0).A1
    assert (np.diff(frequency) <= 0).all()


def test_idf_and_vocabulary_agree_with_scikit_learn():
    theirs, ours = TfidfVectorizer().fit(TEXTS), postil.TextVectorizer().fit(TEXTS)
    assert ours.vocabulary_.keys() == theirs.vocabulary_.keys()
    for term, column in ours.vocabulary_.items():
        assert ours.idf_[column] == pytest.approx(theirs.idf_[theirs.vocabulary_[term]], rel=1e-12)


def test_inverse_transform_names_the_terms():
    vectorizer = postil.TextVectorizer()
    matrix = vectorizer.fit_transform(TEXTS)
    terms = " ".join(sorted(vectorizer.inverse_transform(matrix)[2]))
    assert terms == "bars cage do iron make nor not prison stone walls"


def test_constant_is_a_last_column_of_ones_outside_the_norm():
    vectorizer = postil.TextVectorizer(constant=True)
    matrix = vectorizer.fit_transform(TEXTS)
    assert matrix.shape[1] == len(vectorizer.vocabulary_) + 1
    assert vectorizer.get_feature_names_out()[-1] == "(constant)"
    np.testing.assert_array_equal(matrix[:, -1].toarray().ravel(), np.ones(len(TEXTS)))
    np.testing.assert_allclose(
        np.sqrt(matrix[:, :-1].power(2).sum(axis=1)).A1, [1, 1, 1, 0, 1, 1], rtol=1e-6
    )


def test_buckets_hold_every_occurrence():
    vectorizer = postil.TextVectorizer(buckets=7, use_idf=False, norm=None)
    matrix = vectorizer.fit_transform(TEXTS)
    plain = postil.TextVectorizer(use_idf=False, norm=None).fit_transform(TEXTS)
    assert matrix.shape == (len(TEXTS), 7)
    np.testing.assert_array_equal(matrix.sum(axis=1), plain.sum(axis=1))
    with pytest.raises(AttributeError, match="no vocabulary"):
        _ = vectorizer.vocabulary_


def test_works_in_pipelines_grid_search_clone_and_pickle():
    texts = (TEXTS[:3] + TEXTS[4:]) * 6
    labels = [0, 1, 0, 1, 0] * 6
    pipeline = make_pipeline(postil.TextVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"textvectorizer__min_df": [1, 2]}, cv=2).fit(texts, labels)
    assert search.best_score_ == 1.0
    vectorizer = clone(postil.TextVectorizer(analyzer="words lower stem(porter)")).fit(texts)
    restored = pickle.loads(pickle.dumps(vectorizer))
    assert (restored.transform(texts) != vectorizer.transform(texts)).nnz == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"analyzer": str.split}, "Python callable"),
        ({"analyzer": "words lower", "stop_words": "english"}, "put it into the spec"),
        ({"token_pattern": "[a-z]+"}, "describe other tokens by a spec"),
        ({"stop_words": "french"}, "stop_words must be 'english'"),
        ({"strip_accents": "ascii"}, "None or 'unicode'"),
        ({"analyzer": "wrods lower"}, "words"),
        ({"min_df": 1.5}, "must be a share from"),
        ({"min_df": 3, "max_df": 2}, "fewer documents"),
        ({"weights": "tf-idf"}, "one of binary, counts"),
        ({"vocabulary": ["a", "a"]}, "twice"),
        ({"vocabulary": {"a": 0, "b": 2}}, "without gaps"),
    ],
)
def test_bad_settings_say_the_way_out(settings, message):
    with pytest.raises(ValueError, match=message):
        postil.TextVectorizer(**settings).fit(TEXTS)


def test_one_text_instead_of_a_list_is_refused():
    with pytest.raises(ValueError, match="string object received"):
        postil.TextVectorizer().fit("one text")


def test_a_text_that_is_no_text_is_refused_by_type():
    with pytest.raises(TypeError, match="text 1: a text must be str or UTF-8 bytes, not float"):
        postil.TextVectorizer().fit(["fine", float("nan")])


def test_usage_errors_are_value_errors():
    assert issubclass(UsageError, ValueError)


# scikit-learn's generator stops at the first check for estimators of text; these further ones
# never look at the data.
CHECKS = [
    estimator_checks.check_estimator_cloneable,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_valid_tag_types,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_mixin_order,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_set_params,
    estimator_checks.check_get_feature_names_out_error,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_estimator_checks(check):
    check("TextVectorizer", postil.TextVectorizer())


def test_texts_may_be_named_as_scikit_learn_names_them():
    assert postil.TextVectorizer().fit_transform(raw_documents=TEXTS).shape[0] == len(TEXTS)


def test_lsi_works_in_a_pipeline():
    pipeline = make_pipeline(postil.TextVectorizer(), Lsi(2), LogisticRegression())
    texts = (TEXTS[:3] + TEXTS[4:]) * 3
    assert pipeline.fit(texts, [0, 1, 0, 1, 0] * 3).predict(texts).shape == (15,)

"""Margins of models on the documents of a corpus."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import postil_papers.margins as margins_module
from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.errors import CorpusError, InputError, UsageError
from postil.model.numbered import NumberedDocuments
from postil.recipes.recipe import load_recipe
from postil.train.train import train_vectors
from postil_papers.margins import MarginTally, measure_margins, measure_vector_margins

TEXTS = {
    "road": ("transport",),
    "road bridge": ("transport",),
    "snow": ("weather",),
    "snow rain": ("weather",),
    "road snow": ("transport", "weather"),
    "bread": (),
}
DOCUMENTS = [
    Document(str(number), {"title": text, "body": f"{text} here"}, labels)
    for number, (text, labels) in enumerate(TEXTS.items())
]


@pytest.fixture(scope="module", params=["svm", "logistic", "lin-reg", "naive-bayes-1"])
def model(request):
    return TextCategorizer(request.param).fit_documents(DOCUMENTS).model


def vectors_of(model):
    columns = model.vectorizer.fields.columns_of(DOCUMENTS)
    return model.vectorizer.transform_columns(columns).toarray().astype(float)


def test_a_model_is_measured_as_it_scores(model, monkeypatch):
    whole = measure_margins(model, DOCUMENTS)
    monkeypatch.setattr(margins_module, "MOST_DOCUMENTS", 2)
    passed = []
    in_blocks = measure_margins(
        model, iter(DOCUMENTS), progress=lambda *step: passed.append(step[1])
    )
    assert passed == [2, 4, 6]
    vectors = vectors_of(model)
    scores = vectors @ model.weights.toarray().astype(float).T + model.intercepts
    signs = np.array([[1 if n in d.labels else -1 for n in model.names] for d in DOCUMENTS])
    for measured in (whole, in_blocks):
        assert measured.learned_from
        assert measured.unknown == ()
        found = measured.margins
        assert found.names == model.names
        assert found.least == pytest.approx((signs * scores).min(axis=0), abs=1e-6)
        assert found.members.tolist() == (signs > 0).sum(axis=0).tolist()
        assert found.constant == bool(model.intercepts.any())


def test_some_categories_are_a_part_of_all(model):
    every = measure_margins(model, DOCUMENTS).margins
    (column,) = (model.names.index("weather"),)
    one = measure_margins(model, DOCUMENTS, columns=[column]).margins
    assert one.names == ("weather",)
    assert one.norms == every.norms
    assert one.least[0] == every.least[column]
    assert one.ratio[0] == every.ratio[column]


def test_gamma_moves_the_terms_and_not_their_ratio(model):
    near, far = (measure_margins(model, DOCUMENTS, gamma=gamma).margins for gamma in (1.0, 2.0))
    assert near.additive == pytest.approx(4 * far.additive)
    assert near.ratio == pytest.approx(far.ratio)
    assert (near.under <= far.under).all()


def test_without_an_intercept_there_is_no_constant(model):
    plain = dataclasses.replace(model, intercepts=np.zeros(model.categories))
    found = measure_margins(plain, DOCUMENTS).margins
    assert not found.constant
    vectors = vectors_of(plain)
    assert found.norms.one.largest == pytest.approx(np.abs(vectors).sum(axis=1).max())


def test_other_documents_and_labels_are_told(model):
    others = [*DOCUMENTS, Document("more", {"title": "sheep", "body": ""}, ("farming", "art"))]
    measured = measure_margins(model, others)
    assert not measured.learned_from
    assert measured.unknown == ("art", "farming")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "notes.csv has no document"),
        ([Document("1", {"title": "road", "body": ""}, ())], "no document has a label"),
        (
            [Document("1", {"title": "road", "body": ""}, ("oil",))],
            "shares no category.* oil, the model trans",
        ),
    ],
)
def test_nothing_to_measure(model, documents, message):
    with pytest.raises(InputError, match=message):
        measure_margins(model, documents, source="notes.csv")


def test_fields_that_are_read_must_be_there():
    model = TextCategorizer("svm").fit_documents(DOCUMENTS).model
    with pytest.raises(CorpusError, match=r"notes.csv: no document has the field body"):
        measure_margins(model, [Document("1", {"title": "road"}, ("weather",))], source="notes.csv")


def numbered(labels):
    matrix = sp.csr_matrix(
        np.array([[0, 1, 0.5, 0], [0, -1, 0, 2], [0, 2, 0, 0], [0, 0, 0, 1]], dtype=np.float32)
    )
    return NumberedDocuments(matrix, labels, "vectors.svm")


def test_vectors_are_measured_as_they_are(monkeypatch):
    documents = numbered([("1",), ("-1",), ("1",), ("-1",)])
    model = train_vectors(documents, load_recipe("svm"))
    monkeypatch.setattr(margins_module, "MOST_DOCUMENTS", 3)
    measured = measure_vector_margins(model, documents)
    assert measured.learned_from
    found = measured.margins
    assert found.documents == 4
    assert found.members.tolist() == [2]
    assert found.least == pytest.approx([1.0], abs=1e-3)
    assert found.norms.infinity.largest == 2.0
    assert found.norms.two.largest == pytest.approx(np.sqrt(5 + float(found.constant)))
    with pytest.raises(UsageError, match="numbered features"):
        measure_margins(model, DOCUMENTS)
    with pytest.raises(InputError, match="no document has a label"):
        measure_vector_margins(model, numbered([(), (), (), ()]))


# ---------------------------------------------------------------- documents in blocks


def drawn(seed, documents=23, columns=7, categories=3):
    """Vectors, weights, intercepts and label sets; the last category may have no weight."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(documents, columns)) * (
        generator.random((documents, columns)) < 0.4
    )
    weights = generator.normal(size=(categories, columns)).round(1)
    weights[-1] = 0.0
    names = [f"c{c}" for c in range(categories)]
    members = generator.random((documents, categories)) < 0.3
    labels = [tuple(np.array(names)[row]) for row in members]
    return vectors, weights, generator.normal(size=categories), names, members, labels


@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans(), st.sampled_from([0.1, 1.0]))
def test_blocks_add_up_to_the_direct_formulas(seed, block, constant, gamma):
    vectors, weights, intercepts, names, members, labels = drawn(seed)
    intercepts = intercepts * constant
    tally = MarginTally(names, sp.csr_matrix(weights), intercepts, constant, gamma)
    for start in range(0, len(labels), block):
        tally.add(sp.csr_matrix(vectors[start : start + block]), labels[start : start + block])
    found = tally.margins()

    x = np.hstack([vectors, np.ones((len(vectors), int(constant)))])
    w = np.hstack([weights, intercepts[:, np.newaxis]]) if constant else weights
    signed = np.where(members, 1, -1) * (x @ w.T)
    assert found.documents == len(labels)
    assert found.members.tolist() == members.sum(axis=0).tolist()
    assert found.least == pytest.approx(signed.min(axis=0))
    assert found.under.tolist() == (signed < gamma).sum(axis=0).tolist()
    for norm, order in ((found.norms.two, 2), (found.norms.infinity, np.inf), (found.norms.one, 1)):
        each = np.linalg.norm(x, order, axis=1)
        assert norm == pytest.approx((each.max(), each.mean()))
    assert found.sizes.one == pytest.approx(np.abs(w).sum(axis=1))
    assert found.sizes.two == pytest.approx(np.linalg.norm(w, axis=1))

    longest, largest = np.linalg.norm(x, axis=1).max(), np.abs(x).max()
    one, two, entropy = found.sizes
    assert found.additive == pytest.approx(two**2 * longest**2 / gamma**2)
    assert found.multiplicative == pytest.approx(largest**2 * (one**2 + one * entropy) / gamma**2)
    for column in range(len(names)):
        separated = signed[:, column].min() > 0
        assert np.isfinite(found.perceptron_mistakes[column]) == separated
        assert np.isfinite(found.winnow_mistakes[column]) == separated
    if not constant:
        assert found.favoured[-1] == "neither"
        assert found.least[-1] == 0.0


def test_dense_documents_and_sparse_weights_favour_multiplicative_updates():
    generator = np.random.default_rng(0)
    vectors = np.where(generator.random((40, 500)) < 0.5, 1.0, -1.0)
    labels = [("yes",) if row[0] > 0 else () for row in vectors]
    dense = (vectors * np.where(vectors[:, :1] > 0, 1.0, -1.0)).sum(axis=0)
    favours = {}
    for name, weights in (("sparse", np.eye(1, 500)), ("dense", dense[np.newaxis] / 500)):
        tally = MarginTally(["yes"], sp.csr_matrix(weights), np.zeros(1), False, 1.0)
        tally.add(sp.csr_matrix(vectors), labels)
        found = tally.margins()
        (favours[name],) = found.favoured
    assert favours == {"sparse": "multiplicative", "dense": "additive"}


def test_categories_without_members_are_named():
    tally = MarginTally(["a", "b"], sp.csr_matrix(np.eye(2)), np.zeros(2), False, 1.0)
    tally.add(sp.csr_matrix(np.eye(2)), [("a", "other"), ()])
    assert tally.margins().memberless == ("b",)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.inf, np.nan])
def test_gamma_is_a_margin(gamma):
    with pytest.raises(UsageError, match="--margin-at"):
        MarginTally(["a"], sp.csr_matrix(np.eye(1)), np.zeros(1), False, gamma)

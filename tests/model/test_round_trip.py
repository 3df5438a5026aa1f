"""Through the file and back: everything a decision needs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from postil.decide.decision import Shares, Thresholds
from postil.model import Model, load_model, model_from_bytes, model_to_bytes, save_model
from postil.model.weights import weights_to_parts
from postil.vectors.vectorizer import Vectorizer

from .samples import (
    TEXTS,
    apart_vectorizer,
    bucket_model,
    labelled_model,
    lies_in_a_map,
    models,
    scores,
    small_model,
    tiny_model,
    union_vectorizer,
)

EXAMPLES = {
    "small": small_model,
    "tiny": tiny_model,
    "buckets": bucket_model,
    "labelled": labelled_model,
    "union": lambda: small_model(vectorizer=union_vectorizer()),
    "buckets by term": lambda: bucket_model("csc"),
    "by term": lambda: small_model(weights=small_model().weights.tocsc()),
    "no calibration": lambda: small_model(calibration=None),
    "no category": lambda: small_model(
        names=(),
        weights=sp.csr_matrix((0, apart_vectorizer().columns)),
        intercepts=np.empty(0),
        **{name: getattr(no_category(), name) for name in ("decision", "training", "calibration")},
    ),
}
EVERY = pytest.mark.parametrize("name", EXAMPLES)


def no_category():
    from .samples import fingerprint, platt, rule

    class Nothing:
        decision, training, calibration = rule(0), fingerprint([]), platt(0)

    return Nothing


def assert_same(a: Model, b: Model) -> None:
    assert a.names == b.names
    assert a.weights.format == b.weights.format
    assert a.weights.dtype == b.weights.dtype == np.float32
    # Entry by entry, stored zeros too: whoever adds them up gets the same to the last bit.
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name))
    np.testing.assert_array_equal(a.intercepts, b.intercepts)
    assert a.labels == b.labels
    for name in ("recipe", "method", "reports", "evaluation", "created", "created_by"):
        assert getattr(a, name) == getattr(b, name)
    assert_same_vectorizer(a.vectorizer, b.vectorizer)
    assert_same_parts(a.decision.to_parts(), b.decision.to_parts())
    assert type(a.calibration) is type(b.calibration)
    if a.calibration is not None:
        arrays = a.calibration.to_arrays(), b.calibration.to_arrays()
        assert_same_parts(({}, arrays[0]), ({}, arrays[1]))
    for name in ("corpus", "documents", "sha256"):
        assert getattr(a.training, name) == getattr(b.training, name)
    np.testing.assert_array_equal(a.training.members, b.training.members)


def assert_same_parts(a, b):
    assert a[0] == b[0]
    assert a[1].keys() == b[1].keys()
    for name, array in a[1].items():
        assert array.dtype == b[1][name].dtype
        np.testing.assert_array_equal(array, b[1][name])


def assert_same_vectorizer(a: Vectorizer, b: Vectorizer) -> None:
    assert a.analyzer == b.analyzer
    for name in ("fields", "weighting", "bounds", "buckets", "documents", "fixed_vocabulary"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.vocabulary == b.vocabulary
    assert (a.idf is None) == (b.idf is None)
    if a.idf is not None:
        np.testing.assert_array_equal(a.idf, b.idf)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_whatever_the_model(model):
    written = model_to_bytes(model)
    read = model_from_bytes(written)
    assert_same(model, read)
    assert model_to_bytes(read) == written
    texts = ["a é the 油", "b"]
    columns = dict.fromkeys(model.vectorizer.fields.names, texts) or texts
    np.testing.assert_array_equal(scores(model, columns), scores(read, columns))


@EVERY
def test_through_a_file(name, tmp_path):
    model, path = EXAMPLES[name](), tmp_path / "model.postil"
    save_model(model, path)
    read = load_model(str(path), threads=2)
    assert read.vectorizer.threads == 2
    assert_same(model, read)
    assert model_to_bytes(read) == path.read_bytes() == model_to_bytes(model)


def test_decisions_stay(tmp_path):
    model, path = small_model(), tmp_path / "model.postil"
    save_model(model, path)
    read = load_model(path)
    found, expected = scores(read, TEXTS), scores(model, TEXTS)
    np.testing.assert_array_equal(found, expected)
    assert (read.decision.accept(found) == model.decision.accept(expected)).all()
    np.testing.assert_array_equal(
        read.calibration.probabilities(found), model.calibration.probabilities(expected)
    )
    assert isinstance(read.decision.acceptance, Thresholds)
    assert isinstance(model_from_bytes(model_to_bytes(bucket_model())).decision.acceptance, Shares)


@EVERY
def test_weights_stay_in_the_file(name, tmp_path):
    path = tmp_path / "model.postil"
    model = EXAMPLES[name]()
    save_model(model, path)
    read = load_model(path)
    if model.weights.nnz:
        assert lies_in_a_map(read.weights.data)
        assert not read.weights.data.flags.writeable
    if read.vectorizer.idf is not None:
        assert lies_in_a_map(read.vectorizer.idf)


def test_wide_indices_stay_in_the_file(tmp_path):
    vectorizer = Vectorizer("words", buckets=70_000, threads=1).fit(["a"])
    weights = sp.random(3, 70_000, 0.01, "csr", np.float32, np.random.default_rng(0))
    path = tmp_path / "model.postil"
    save_model(small_model(vectorizer=vectorizer, weights=weights), path)
    read = load_model(path)
    assert lies_in_a_map(read.weights.indices)
    assert read.weights.indices.dtype == np.int32
    assert (read.weights != weights).nnz == 0


def test_a_mapped_model_outlives_its_file(tmp_path):
    path = tmp_path / "model.postil"
    save_model(small_model(), path)
    first = load_model(path)
    save_model(bucket_model(), path)
    assert_same(first, small_model())
    path.unlink()
    assert_same(first, small_model())


def test_the_file_does_not_depend_on_the_order_things_were_said_in():
    recipe = {"b": {"y": 1, "x": 2}, "a": 3}
    turned = {"a": 3, "b": {"x": 2, "y": 1}}
    weights = small_model().weights
    shuffled = sp.csr_matrix(weights.tocsc())  # the same numbers, made another way
    noisy = weights.copy()
    noisy.data[:] /= 2
    noisy = sp.coo_matrix(noisy)
    twice = sp.coo_matrix(
        (np.tile(noisy.data, 2), (np.tile(noisy.row, 2), np.tile(noisy.col, 2))), noisy.shape
    )
    expected = model_to_bytes(small_model(recipe=recipe))
    for other in (shuffled, twice, weights.astype(np.float64)):
        assert model_to_bytes(small_model(recipe=turned, weights=other)) == expected
    assert model_to_bytes(small_model(recipe=recipe, created="today")) != expected


@pytest.mark.parametrize("order", ["csr", "csc"])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_equal_weights_have_one_form(order, zero):
    vectorizer = Vectorizer("words", buckets=50, threads=1).fit(["a"])
    for zeros in (3, 140):
        dense = np.ones((3, 50))
        dense.reshape(-1)[:zeros] = 0.0
        stored = sp.csr_matrix(np.ones((3, 50)))
        stored.data[:zeros] = zero
        models = [
            small_model(vectorizer=vectorizer, weights=weights.asformat(order))
            for weights in (sp.csr_matrix(dense), stored)
        ]
        assert_same(*models)
        assert models[0].weights.nnz == (150 if zeros == 3 else 10)
        assert model_to_bytes(models[0]) == model_to_bytes(models[1])


def test_zeros_are_not_stored():
    stored = sp.coo_matrix(small_model().weights)
    weights = sp.csr_matrix(
        (np.append(stored.data, 0), (np.append(stored.row, 2), np.append(stored.col, 4))),
        stored.shape,
    )
    assert weights.nnz == small_model().weights.nnz + 1
    assert model_to_bytes(small_model(weights=weights)) == model_to_bytes(small_model())


@pytest.mark.parametrize("order", ["csr", "csc"])
@pytest.mark.parametrize(("density", "storage"), [(0.1, "sparse"), (0.97, "dense")])
def test_the_smaller_storage_is_taken(order, density, storage):
    random = np.random.default_rng(3)
    dense = random.normal(size=(3, 400)) * (random.random((3, 400)) < density)
    vectorizer = Vectorizer("words", buckets=400, threads=1).fit(["a"])
    model = small_model(vectorizer=vectorizer, weights=sp.csr_matrix(dense).asformat(order))
    read = model_from_bytes(model_to_bytes(model))
    assert read.weights.format == order
    np.testing.assert_array_equal(read.weights.toarray(), dense.astype(np.float32))
    parts = weights_to_parts(read.plain_weights)
    assert parts.settings["storage"] == storage
    taken = sum(array.nbytes for array in parts.arrays.values())
    assert taken <= dense.size * 4
    assert read.weights.has_sorted_indices

"""Variances beside the weights of a model: in memory, in a file, in scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.decide.calibration import Moderated
from postil.decide.decision import State
from postil.errors import InputError, ModelFileError, UsageError
from postil.model import describe, load_model, model_to_bytes, save_model
from postil.model.parts import to_parts
from postil.model.save import packed
from postil.model.stored import Parts
from postil.model.weights import score_variances
from postil.train.predict import Predictor

from .samples import bucket_model, models, small_model

VALUES, INTERCEPTS = "variances.values", "variances.intercepts"


def uncertain(model, seed=0, **changes):
    """The model with variances of its weights, and of some cells that have none."""
    rng = np.random.default_rng(seed)
    variances = sp.csr_matrix(rng.uniform(0.1, 2.0, model.weights.shape))
    spread = rng.uniform(0.1, 1.0, model.categories)
    return replace(model, variances=variances, intercept_variances=spread, **changes)


def test_variances_are_of_the_weights_alone():
    model = uncertain(small_model())
    given = np.random.default_rng(0).uniform(0.1, 2.0, model.weights.shape)
    expected = np.where(model.weights.toarray() != 0, given, 0.0)
    assert model.variances.dtype == np.float32
    np.testing.assert_allclose(model.variances.toarray(), expected, rtol=1e-6)
    assert (model.variances.indices == model.weights.indices).all()


def test_equal_entries_in_another_order_are_put_in_order():
    model = small_model()
    shuffled = model.weights.tocoo()
    order = np.random.default_rng(1).permutation(shuffled.nnz)
    values = np.arange(1.0, shuffled.nnz + 1)
    coo = sp.coo_matrix(
        (values, (shuffled.row[order], shuffled.col[order])), shape=model.weights.shape
    )
    made = replace(model, variances=coo, intercept_variances=np.zeros(3))
    assert (made.variances.toarray() == coo.toarray()).all()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(model=models(), seed=st.integers(0, 9))
def test_a_file_holds_them(tmp_path_factory, model, seed):
    made = uncertain(model, seed)
    path = tmp_path_factory.mktemp("models") / "m.postil"
    save_model(made, path)
    again = load_model(path, threads=1)
    assert (again.variances.toarray() == made.variances.toarray()).all()
    assert (again.intercept_variances == made.intercept_variances).all()
    assert again.weights.format == again.variances.format
    assert model_to_bytes(again) == model_to_bytes(made)


def test_a_file_without_them_is_what_it_was():
    plain = small_model()
    arrays = to_parts(plain).arrays
    assert not any(name.startswith("variances") for name in arrays)
    assert to_parts(uncertain(plain)).arrays.keys() - arrays.keys() == {VALUES, INTERCEPTS}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda arrays: arrays.pop(VALUES), f"the tensor {VALUES!r} is missing"),
        (lambda arrays: arrays.pop(INTERCEPTS), f"the tensor {INTERCEPTS!r} is missing"),
        (lambda arrays: arrays.update({VALUES: np.ones(2, "f4")}), "should have 5 entries, has 2"),
        (lambda arrays: arrays.update({VALUES: -np.ones(5, "f4")}), "variances must be finite"),
        (
            lambda arrays: arrays.update({INTERCEPTS: np.full(3, np.nan)}),
            "intercept_variances must be",
        ),
        (lambda arrays: arrays.update({"variances.more": np.ones(3)}), "belongs to no part"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path, damage, told):
    settings_, arrays = to_parts(uncertain(small_model()))
    damage(arrays)
    path = tmp_path / "wrong.postil"
    path.write_bytes(b"".join(packed(Parts(settings_, arrays))))
    with pytest.raises(ModelFileError, match=told):
        load_model(path)


def test_what_does_not_fit_is_refused():
    model = small_model()
    zeros = sp.csr_matrix(model.weights.shape)
    spread = np.zeros(3)
    with pytest.raises(UsageError, match="shape of the weights, 3 × 14"):
        replace(model, variances=zeros.T, intercept_variances=spread)
    with pytest.raises(UsageError, match="variances must be a scipy sparse matrix"):
        replace(model, variances=np.zeros((3, 14)), intercept_variances=spread)
    with pytest.raises(UsageError, match="give both, or neither"):
        replace(model, variances=zeros)
    with pytest.raises(UsageError, match="one finite number of 0 or more"):
        replace(model, variances=zeros, intercept_variances=-np.ones(3))
    with pytest.raises(InputError, match="variances must be finite as float32"):
        replace(model, variances=model.weights.astype(float) * 1e300, intercept_variances=spread)
    with pytest.raises(UsageError, match="moderated needs variances of the weights"):
        replace(model, calibration=Moderated(3))
    with pytest.raises(UsageError, match="keeps no variances"):
        score_variances(model, sp.csr_matrix((1, 14)))


@pytest.mark.parametrize("make", [small_model, bucket_model])
def test_probabilities_are_of_moderated_scores(make):
    plain = make()
    model = uncertain(plain, calibration=Moderated(plain.categories))
    predictor = Predictor(model, threads=1)
    fields = model.vectorizer.fields.spaces
    columns = [["sheep and boats on the sea", "", "a boat"]] * len(fields)
    vectors = model.vectorizer.transform_columns(columns).toarray().astype(float)
    variances = vectors**2 @ model.variances.toarray().T + model.intercept_variances
    np.testing.assert_allclose(predictor.variances(columns), variances, rtol=1e-6)
    scores = predictor.scores(columns)
    expected = 1 / (1 + np.exp(-scores / np.sqrt(1 + np.pi * variances / 8)))
    found = predictor.probabilities(scores, predictor.variances(columns))
    decided = ~np.isin(model.decision.states, (State.ALL_MEMBERS, State.NO_MEMBERS))
    np.testing.assert_allclose(found[:, decided], expected[:, decided], rtol=1e-6)
    with pytest.raises(UsageError, match="need the variances of the scores"):
        predictor.probabilities(scores)


def test_other_calibrations_ask_for_no_variances():
    predictor = Predictor(uncertain(small_model()), threads=1)
    columns = [["sheep"]] * len(predictor.model.vectorizer.fields.spaces)
    assert predictor.variances(columns) is None
    assert predictor.probabilities(predictor.scores(columns)) is not None


def test_a_description_has_deviations():
    model = uncertain(small_model())
    dense, weights = model.variances.toarray(), model.weights.toarray()
    found = describe(model)["categories"]
    for category, facts in enumerate(found):
        assert facts["intercept_deviation"] == model.intercept_variances[category] ** 0.5
        for term in facts["up"] + facts["down"]:
            (place,) = np.flatnonzero(weights[category] == term["weight"])
            assert term["deviation"] == pytest.approx(dense[category, place] ** 0.5)
    assert describe(model)["bytes"]["variances"] == 5 * 4 + 3 * 8
    by_term = replace(model, weights=model.weights.tocsc(), variances=model.variances.tocsc())
    assert describe(by_term)["categories"] == found

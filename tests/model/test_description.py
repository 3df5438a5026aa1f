"""A model in plain values."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

from postil.errors import UsageError
from postil.model import describe, model_to_bytes
from postil.model.description import CONSTANT

from .samples import REPORTS, apart_vectorizer, bucket_model, models, small_model


def test_a_small_model():
    model = small_model()
    found = describe(model)
    terms = apart_vectorizer().vocabulary.names
    sheep, boats, ghosts = found["categories"]
    assert sheep == {
        "name": "sheep",
        "members": 2,
        "nonzeros": 3,
        "intercept": -0.5,
        "threshold": -0.125,
        "state": "fitted",
        "up": [{"term": terms[0], "weight": 0.5}, {"term": CONSTANT, "weight": 0.125}],
        "down": [{"term": terms[2], "weight": -0.25}],
    }
    assert boats["up"] == [{"term": terms[3], "weight": 2.0}]
    assert (ghosts["threshold"], ghosts["state"], ghosts["up"]) == (None, "no_members", [])
    assert found["weights"] == {
        "categories": 3,
        "columns": 14,
        "nonzeros": 5,
        "density": 5 / 42,
        "order": "category",
        "storage": "sparse",
    }
    assert found["vectorizer"]["analyzer"] == "words lower stop(file:none.txt)"
    assert found["vectorizer"]["fields"] == ["title", "body"]
    assert found["decision"]["rule"] == "f1 at-most(2)"
    assert found["decision"]["notes"] == [
        "ghosts: no training document has it, so it is never given"
    ]
    assert found["calibration"] == "platt"
    assert found["training"]["corpus"] == "sheep and boats"
    assert found["recipe"]["name"] == "small"
    assert found["report"] == {
        "categories": 3,
        "seconds": 0.75,
        "iterations": 52,
        "stopped": {"certified": 1, "constant": 1, "iterations": 1},
        "worst": {
            "category": "boats",
            "kind": "duality gap",
            "certificate": 0.001,
            "iterations": 40,
        },
        "notes": [f"ghosts: {REPORTS[2]['note']}"],
    }


def test_bytes_add_up():
    for model in (small_model(), bucket_model()):
        sizes = describe(model)["bytes"]
        total = sizes.pop("total")
        assert total == len(model_to_bytes(model)) == sum(sizes.values())
        assert sizes["intercepts"] == 8 * model.categories


def test_hashed_terms_and_shares():
    found = describe(bucket_model("csc"), top=2)
    assert found["vectorizer"]["hashed"]
    assert found["weights"]["storage"] == "dense"
    assert found["categories"][1]["up"] == [
        {"term": "bucket 4", "weight": 2.5},
        {"term": "bucket 3", "weight": 2.25},
    ]
    assert found["categories"][0]["share"] == 0.5
    assert "threshold" not in found["categories"][0]
    assert found["report"]["worst"] is None


@pytest.mark.parametrize("top", [0, 1, 3, 100])
def test_top_terms_by_the_definition(top):
    columns = apart_vectorizer().columns
    weights = np.random.default_rng(2).integers(-3, 4, (3, columns)).astype(float)
    found = describe(small_model(weights=sp.csr_matrix(weights)), top=top)
    names = [*apart_vectorizer().vocabulary.names, CONSTANT]
    for row, category in zip(weights, found["categories"], strict=True):
        ranked = sorted(range(columns), key=lambda column: (-row[column], column))
        up = [(names[c], row[c]) for c in ranked if row[c] > 0][:top]
        ranked = sorted(range(columns), key=lambda column: (row[column], column))
        down = [(names[c], row[c]) for c in ranked if row[c] < 0][:top]
        assert [(each["term"], each["weight"]) for each in category["up"]] == up
        assert [(each["term"], each["weight"]) for each in category["down"]] == down
    with pytest.raises(UsageError, match="at least 0, got -1"):
        describe(small_model(), top=-1)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_any_model_is_described_in_json(model):
    found = describe(model)
    json.dumps(found, allow_nan=False)
    assert [category["name"] for category in found["categories"]] == list(model.names)
    assert found["weights"]["nonzeros"] == np.count_nonzero(model.weights.toarray())

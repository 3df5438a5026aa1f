"""The parts of a model, and those that do not fit."""

from __future__ import annotations

import dataclasses
import datetime
import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import postil.model
from postil import __version__
from postil.errors import InputError, UsageError
from postil.learn.fit import FitReport
from postil.model import (
    DocumentDigest,
    TrainingFingerprint,
    model_from_bytes,
    model_to_bytes,
    save_model,
)
from postil.vectors.vectorizer import Vectorizer

from .samples import DIGEST, fingerprint, platt, rule, small_model

WIDTH = small_model().vectorizer.columns


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"names": ("a", "b")}, f"weights are 3 × {WIDTH}, and there are 2 category names"),
        ({"names": ("a", "b", "a")}, "given twice"),
        ({"names": "abc"}, "a sequence of texts"),
        ({"names": ("a", "b", 3)}, "a sequence of texts"),
        ({"weights": np.zeros((3, WIDTH))}, "wrap it in scipy.sparse.csr_matrix"),
        ({"weights": sp.csr_matrix((3, WIDTH + 1))}, f"and {WIDTH} columns of the vectorizer"),
        ({"intercepts": np.zeros(2)}, "intercepts must be one finite number for each of 3 rows"),
        ({"intercepts": np.array([0, 0, np.nan])}, "finite"),
        ({"intercepts": np.zeros((3, 1))}, "one finite number for each"),
        ({"decision": rule(4)}, "the decision rule is for 4"),
        ({"calibration": platt(1)}, "the calibration is for 1"),
        ({"training": fingerprint([1, 1])}, "members are for 2"),
        ({"recipe": {"a": {1, 2}}}, r"recipe\['a'\]: a model file cannot keep set"),
        ({"recipe": {"a": {3: 1}}}, r"the key 3 must be a text"),
        ({"recipe": ["a"]}, "recipe: must be a mapping"),
        ({"method": {"a": np.zeros(2)}}, "cannot keep ndarray"),
        ({"reports": ["certified"]}, "reports: must be a mapping"),
        ({"evaluation": {"a": [b"x"]}}, r"evaluation\['a'\]\[0\]: a model file cannot keep bytes"),
        ({"created": datetime}, "created: a model file cannot keep module"),
        ({"vectorizer": Vectorizer()}, "is not fitted"),
        ({"vectorizer": Vectorizer(buckets=4)}, "is not fitted"),
    ],
)
def test_parts_that_do_not_fit(changes, sentence):
    given = {"weights": small_model().weights} | changes
    with pytest.raises(UsageError, match=sentence):
        dataclasses.replace(small_model(), **given)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_weights_are_finite_as_float32(value):
    with pytest.raises(InputError, match="finite as float32"):
        small_model(weights=sp.csr_matrix(([value], ([0], [0])), shape=(3, WIDTH)))


def test_it_does_not_change():
    model = small_model()
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.names = ()
    with pytest.raises(ValueError, match="read-only"):
        model.intercepts[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.training.members[0] = 1


def test_what_the_caller_keeps_is_not_shared():
    intercepts, recipe = np.zeros(3), {"a": [1]}
    model = small_model(intercepts=intercepts, recipe=recipe)
    intercepts[0] = 7.0
    recipe["a"].append(2)
    assert model.intercepts[0] == 0.0
    assert model.recipe == {"a": [1]}


def test_weights_in_float32_are_not_copied():
    weights = small_model().weights
    for given in (weights, weights.tocsc()):
        assert np.shares_memory(small_model(weights=given).weights.data, given.data)


def test_plain_values():
    recipe = {
        "tuple": (1, 2.5),
        "numpy": np.float32(0.5),
        "number": np.int64(3),
        "truth": np.True_,
        "undefined": math.nan,
        "endless": [math.inf, -math.inf],
        "day": datetime.date(2001, 4, 5),
        "hour": datetime.time(6, 7),
        "lone": "\ud800",
    }
    model = small_model(recipe=recipe)
    assert model.recipe == {
        "tuple": [1, 2.5],
        "numpy": 0.5,
        "number": 3,
        "truth": True,
        "undefined": None,
        "endless": [None, None],
        "day": "2001-04-05",
        "hour": "06:07:00",
        "lone": "\ud800",
    }
    assert model_from_bytes(model_to_bytes(model)).recipe == model.recipe


def test_values_nested_too_deep():
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested more than"):
        small_model(recipe={"a": deep})


def test_reports_of_learning_fit():
    report = FitReport("a", 1, 0.1, 2, 0.5, math.inf, "duality gap", "iterations", 0.1, 3)
    model = small_model(reports=[report.to_dict()])
    assert model.reports[0]["certificate"] is None
    assert model_from_bytes(model_to_bytes(model)).reports == model.reports


def test_the_version_that_made_it():
    model = dataclasses.replace(small_model(), created_by=f"postil {__version__}")
    assert model_from_bytes(model_to_bytes(model)).created_by == f"postil {__version__}"


@pytest.mark.parametrize(
    ("documents", "digest", "members", "sentence"),
    [
        (3, DIGEST, [4], "from 0 to 3 members"),
        (3, DIGEST, [-1], "from 0 to 3 members"),
        (3, DIGEST, [0.5], "one whole number"),
        (3, DIGEST, [[1]], "one whole number"),
        (3, DIGEST.upper(), [1], "64 hexadecimal digits"),
        (3, "", [1], "64 hexadecimal digits"),
    ],
)
def test_fingerprints_that_cannot_be(documents, digest, members, sentence):
    with pytest.raises(UsageError, match=sentence):
        TrainingFingerprint("corpus", documents, digest, np.array(members))


def digest(*documents):
    made = DocumentDigest()
    for fields, labels in documents:
        made.add(fields, labels)
    assert made.documents == len(documents)
    return made.hexdigest()


def test_the_digest_sees_what_is_learned_from():
    first = ({"title": "ab", "body": "c"}, ["x", "y"])
    others = [
        ({"title": "a", "body": "bc"}, ["x", "y"]),
        ({"title": "ab", "body": "c", "": ""}, ["x", "y"]),
        ({"titl": "eab", "body": "c"}, ["x", "y"]),
        ({"title": "ab", "body": "c"}, ["x"]),
        ({"title": "ab", "body": "c"}, ["xy"]),
        ({"title": "ab"}, ["body", "c", "x", "y"]),
        ({"body": "c", "title": "ab"}, ["x", "y"]),
    ]
    found = [digest(first), digest(), digest(first, first), *(digest(other) for other in others)]
    assert len(set(found)) == len(found)
    assert digest(first, others[0]) != digest(others[0], first)


def test_the_digest_does_not_see_how_it_is_said():
    assert digest(({"": "é\ud800"}, ["b", "a", "b"])) == digest(
        ({"": "é\ud800".encode("utf-8", "surrogatepass")}, ("a", "b"))
    )
    assert TrainingFingerprint("corpus", 1, digest(({"": "x"}, [])), np.array([], int)).documents


def test_every_name_is_there():
    for name in postil.model.__all__:
        assert getattr(postil.model, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'luck'"):
        postil.model.luck  # noqa: B018


def test_importing_loads_no_numpy():
    code = "import sys, postil.model; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_text_is_decided_without_scipy_and_scikit_learn(tmp_path):
    path = tmp_path / "model.postil"
    save_model(small_model(), path)
    code = f"""
import sys
from postil.model import load_model
from postil.train.predict import Predictor

model = load_model({str(path)!r})
predictor = Predictor(model, 1)
scores = predictor.scores([["wool prices"], ["fleece and wool rise"]])
print(predictor.names(scores))
sys.exit(bool({{"scipy", "sklearn"}} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[(")

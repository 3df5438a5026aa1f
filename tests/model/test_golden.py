"""Files of every format version keep loading; write those that are absent with POSTIL_GOLDEN=write.

A golden file is written once, with its version; after that it never changes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from postil.model import describe, load_model, model_to_bytes, save_model
from postil.model.versions import READERS, version_of

from .combined_samples import STORIES, forest_model, rivals_model
from .samples import TEXTS, bucket_model, scores, small_model

GOLDEN = Path(__file__).parents[1] / "golden"
# By the newest version that holds them, and must still be written as it was.
MODELS = {
    "vocabulary-1": (small_model, TEXTS),
    "buckets-1": (bucket_model, ["wool", "ferry", ""]),
    "forest-2": (forest_model, STORIES),
    "rivals-2": (rivals_model, STORIES),
}
FILES = [f"model-{name}" for name in MODELS]


def texts_of(name):
    return MODELS[name.removeprefix("model-")][1]


def test_every_version_has_a_file():
    assert {int(name.rpartition("-")[2]) for name in FILES} == set(READERS)
    for name, (make, _) in MODELS.items():
        assert version_of(make()) == int(name.rpartition("-")[2])


def facts(model, texts):
    """What a reader must find in the file, however it is written."""
    found = scores(model, texts)
    return {
        "describe": describe(model),
        "scores": found.tolist(),
        "decisions": model.decision.accept(found).tolist(),
        "probabilities": model.calibration.probabilities(found).tolist(),
        "reports": list(model.reports),
    }


@pytest.fixture(autouse=True, scope="module")
def _written_anew():
    if os.environ.get("POSTIL_GOLDEN") != "write":
        return
    for name, (make, texts) in MODELS.items():
        path = GOLDEN / f"model-{name}.postil"
        if path.exists():
            continue
        save_model(make(), path)
        written = json.dumps(facts(make(), texts), ensure_ascii=False, indent=1, sort_keys=True)
        path.with_suffix(".json").write_text(written + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_version_load(name):
    model = load_model(GOLDEN / f"{name}.postil")
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(facts(model, texts_of(name))))
    for what in ("scores", "probabilities"):
        # Their last digits are the machine's; the file's own numbers are compared below.
        np.testing.assert_allclose(found.pop(what), expected.pop(what), rtol=1e-6, atol=1e-9)
    assert found == expected


@pytest.mark.parametrize("name", MODELS)
def test_models_are_written_as_they_were(name):
    path = GOLDEN / f"model-{name}.postil"
    assert model_to_bytes(load_model(path)) == path.read_bytes()

"""The golden model files keep loading, with the same facts, and are written with the same bytes.

Write them again after a change of the format that is meant, which needs a new format version once
postil is released: delete ``tests/golden/model-*`` and run
``POSTIL_GOLDEN=write python -m pytest -p no:xdist tests/model/test_golden.py``.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from postil.features.selection import Selection
from postil.learn.combining import Rivals
from postil.model import describe, load_model, model_to_bytes, save_model

from .combined_samples import STORIES, forest_model
from .samples import TEXTS, bucket_model, scores, small_model

GOLDEN = Path(__file__).parents[1] / "golden"


def vocabulary_model():
    """A vocabulary with fields apart, and the parts that updates need."""
    chosen = [np.array(ids, dtype=np.int32) for ids in ([0, 2, 13], [1, 3], [])]
    return replace(small_model(), units=np.ones(3), selection=Selection.of(chosen, 14))


def rivals_model():
    """Hash buckets, dense weights, and rivals."""
    return replace(bucket_model(), combination=Rivals(2, 2.5))


MODELS = {
    "model-vocabulary": (vocabulary_model, TEXTS),
    "model-rivals": (rivals_model, ["wool", "ferry", ""]),
    "model-forest": (forest_model, STORIES),
}


def facts(model, texts):
    """Return the facts that a reader must find in the file, however it is written."""
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
        path = GOLDEN / f"{name}.postil"
        if path.exists():
            continue
        save_model(make(), path)
        written = json.dumps(facts(make(), texts), ensure_ascii=False, indent=1, sort_keys=True)
        path.with_suffix(".json").write_text(written + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_golden_files_load(name):
    model = load_model(GOLDEN / f"{name}.postil")
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(facts(model, MODELS[name][1])))
    for what in ("scores", "probabilities"):
        # Their last digits are the machine's; the file's own numbers are compared below.
        np.testing.assert_allclose(found.pop(what), expected.pop(what), rtol=1e-6, atol=1e-9)
    assert found == expected


@pytest.mark.parametrize("name", MODELS)
def test_models_are_written_as_they_were(name):
    path = GOLDEN / f"{name}.postil"
    assert model_to_bytes(load_model(path)) == path.read_bytes()


def test_words_of_earlier_files_keep_scripts_without_spaces_whole(tmp_path):
    """In a file ``words`` means what it meant when the golden files were written."""
    golden = load_model(GOLDEN / "model-forest.postil")
    assert golden.vectorizer.analyzer.tokens("東京都 a") == ["東京都", "a"]
    assert golden.recipe["representation"]["analyzer"] == "words(whole-runs) lower"
    assert forest_model().vectorizer.analyzer.tokens("東京都 a") == ["東京", "京都", "a"]
    save_model(forest_model(), tmp_path / "new.postil")
    assert b"words(bigrams) lower" in (tmp_path / "new.postil").read_bytes()
    again = load_model(tmp_path / "new.postil")
    assert again.vectorizer.analyzer == forest_model().vectorizer.analyzer
    assert again.recipe == forest_model().recipe

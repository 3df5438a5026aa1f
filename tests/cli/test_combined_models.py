"""The commands on models with a projection or a combination."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.model.combined_samples import (
    COMBINED,
    STORIES,
    forest_model,
    projected_model,
    rivals_model,
)

from postil.model.load import load_model
from postil.model.save import save_model
from postil.train.predict import Predictor

RECIPE = """
name = "directions"
[representation]
lsi = 20
length = 3.0
[learn]
loss = "logistic"
lam = 1e-3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


def saved(folder, make):
    path = folder / f"{make.__name__}.postil"
    save_model(make(), path)
    return str(path)


@pytest.fixture(scope="module")
def trained(folder):
    (folder / "recipe.toml").write_text(RECIPE)
    return str(folder / "recipe.toml"), str(folder / "trained.postil")


def test_from_training_to_reasons(postil, trained):
    recipe, model = trained
    result = postil("train", "demo", "--recipe", recipe, "-o", model)
    assert result.code == 0, result.err
    loaded = load_model(model)
    assert loaded.projection.directions == 20
    out = postil("inspect", model).out
    assert "directions  20 of LSI; each document is scaled to the length 3 in them" in out
    told = json.loads(postil("inspect", model, "--json").out)
    assert told["projection"] == {"directions": 20, "length": 3.0}
    assert told["bytes"]["projection"] == 20 * loaded.vectorizer.columns * 4 + 20 * 8
    result = postil("explain", model, "demo", "--json")
    assert result.code == 0
    (document,) = json.loads(result.out)["documents"]
    for one in document["explanations"]:
        parts = [one["intercept"], one["constant"], -one["bar"]]
        parts += [term["added"] for term in one["terms"]]
        assert sum(parts) == pytest.approx(one["margin"])
        assert one["scaling"][0]["length"] == 3.0
    assert postil("predict", model, "demo").code == 0
    result = postil("update", model, "demo", "-o", model + "2")
    assert result.code == 2
    assert "learned in the directions of LSI" in result.err
    result = postil("inspect", model, "--margins", "demo")
    assert result.code == 2
    assert "margins need a linear model" in result.err


def test_a_path_has_terms(postil, trained, tmp_path):
    result = postil("path", "demo", "--recipe", trained[0], "--category", "sport")
    assert result.code == 2
    assert "learns weights of directions, not of terms" in result.err


def test_nodes_of_trees_are_inspected(postil, folder):
    model = saved(folder, forest_model)
    out = postil("inspect", model).out
    assert "trees: 5 nodes in all; the last one on the way decides" in out
    for name in ("boats: root", "boats: yes", "sheep: root", "sheep: yes", "sheep: yes/no"):
        assert f"  {name} " in out
    assert "2 categories" in out.splitlines()[0]
    rows, columns = forest_model().weights.shape
    assert f"of {rows * columns:,} not 0" in out
    out = postil("inspect", model, "--category", "sheep", "--top", "2").out
    assert "tree       3 nodes" in out
    assert out.count("sheep: yes/no: terms") == 2
    assert "boats" not in out.partition("\n")[2]


def test_rivals_are_inspected(postil, folder):
    model = saved(folder, rivals_model)
    out = postil("inspect", model).out
    assert "less the bar that the others set (sharpness 2.5)" in out
    told = json.loads(postil("inspect", model, "--json").out)
    assert told["combination"] == {
        "kind": "rivals",
        "rows": 2,
        "sharpness": 2.5,
        "categories": 2,
        "capped": False,
    }


def test_directions_without_a_length_are_told(postil, folder):
    path = folder / "unscaled.postil"
    save_model(projected_model(length=None), path)
    out = postil("inspect", str(path)).out
    assert "directions  learned in 3 of LSI, folded back to terms" in out


@pytest.mark.parametrize("kind", COMBINED)
def test_predictions_and_reasons_agree(postil, folder, kind):
    model = COMBINED[kind]()
    path = folder / "one.postil"
    save_model(model, path)
    scores = Predictor(model).scores([STORIES])
    for text, row in zip(STORIES[:4], scores, strict=False):
        told = json.loads(postil("explain", str(path), "--text", text, "--json").out)
        given = {model.names[c] for c in np.flatnonzero(row >= model.decision.thresholds)}
        assert set(told["documents"][0]["given"]) == given
        shown = postil("explain", str(path), "--text", text)
        assert shown.code == 0
        assert "Traceback" not in shown.err
    page = folder / "why.html"
    assert postil("explain", str(path), "--text", STORIES[4], "--html", str(page)).code == 0
    assert "<h3>The margin</h3>" in page.read_text(encoding="utf-8")

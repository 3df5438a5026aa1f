"""`postil train --for`, and its messages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from postil.cli.search_text import aim_sentence
from postil.model.load import load_model
from postil.train import choice as training_choice


@pytest.fixture
def stand_in(monkeypatch):
    """A quick learner in the place of the one that trains for figures."""
    table = {"loss": "logistic", "solver": "dual-coordinate", "lam": 1e-3}
    monkeypatch.setattr(training_choice, "OTHER_WAYS", {"training": lambda _: table})
    monkeypatch.setattr(
        training_choice, "other_recipe", lambda recipe, learn: replace(recipe, learn=learn)
    )


def train(postil, *options):
    return postil("train", "demo", "-o", "aimed.postil", *options)


@pytest.mark.parametrize(
    ("measure", "rule"),
    [("f1", "f1"), ("recall>=0.95", "sure-recall(0.95)"), ("cost(fp=1, fn=5)", "cost(0.2)")],
)
def test_the_measure_goes_to_thresholds_and_report(postil, tmp_path, measure, rule):
    result = train(postil, "--for", measure, "--no-compare", "--budget", "none")
    assert result.code == 0
    assert f"aimed at {measure}" in result.out
    assert f"aimed at {measure}: thresholds by the rule {rule}" in result.err
    model = load_model(tmp_path / "aimed.postil")
    assert model.decision.spec.startswith(rule)
    assert model.recipe["aim"] == {"measure": measure, "compare": False}
    inspected = postil("inspect", "aimed.postil").out
    assert f"aim         {measure}: thresholds by the rule {rule}" in inspected
    told = json.loads(postil("evaluate", "aimed.postil", "demo", "--json").out)["aim"]
    assert told["measure"] == measure


@pytest.mark.usefixtures("stand_in")
def test_both_ways_are_told(postil):
    result = train(postil, "--for", "f1", "--json")
    assert result.code == 0
    told = json.loads(result.out)
    compared = told["aim"]["compared"]
    assert compared["folds"] == 5
    ahead = compared["training"]["value"] - compared["thresholds"]["value"]
    better = ahead > compared["training"]["error_bar"]
    assert told["aim"]["taken"] == ("training" if better else "thresholds")
    assert told["evaluation"]["aim"]["measure"] == "f1"
    sentence = aim_sentence(told["aim"])
    assert f"{compared['thresholds']['value']:.4f}" in sentence
    assert f"{compared['training']['value']:.4f}" in sentence
    assert "in 5 folds" in sentence
    inspected = postil("inspect", "aimed.postil", "--json")
    assert json.loads(inspected.out)["method"]["aim"] == told["aim"]


def test_a_search_goes_by_the_measure(postil):
    grid = ("--search-grid", "1e-2,1e-4", "--search-folds", "2", "--no-test")
    result = train(postil, "--for", "recall>=0.9", "--no-compare", *grid)
    assert "for all categories by recall>=0.9 in 2 folds" in result.err
    other = train(postil, "--search-measure", "cost(fp=2, fn=1)", *grid)
    assert "by cost(fp=2, fn=1) in 2 folds" in other.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--for", "eror"), "did you mean 'error'"),
        (("--for", "recall>=95"), "above 0 and up to 1"),
        (("--no-compare",), "need --for: give a measure"),
        (("--search-measure", "recall>=95"), "above 0 and up to 1"),
        (("--for", "f1", "-r", "polychotomous-lasso"), "one-vs-rest"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(postil, tmp_path, options, said):
    result = train(postil, *options)
    assert result.code == 2
    assert said in " ".join(result.err.split())
    assert not (tmp_path / "aimed.postil").exists()


def test_sentences():
    floor = {"value": 0.5, "holds": True, "reached": 3, "categories": 4}
    aim = {
        "measure": "recall>=0.9",
        "rule": "recall(0.9)",
        "taken": "training",
        "compared": {"folds": 5, "thresholds": {**floor, "value": 0.25}, "training": floor},
    }
    assert aim_sentence(aim) == (
        "aimed at recall>=0.9: took learning for it, 0.5000 (the floor holds in 3 of 4) held out "
        "in 5 folds; thresholds tuned for it had 0.2500 (the floor holds in 3 of 4)"
    )
    aim["compared"]["thresholds"] = floor
    assert aim_sentence(aim).endswith("in 5 folds; thresholds tuned for it came to the same")
    aim["left_out"] = {"together": "it is too large"}
    assert aim_sentence(aim).endswith("; learning for it as rivals was left out: it is too large")
    del aim["left_out"]
    del aim["compared"]
    assert aim_sentence(aim) == (
        "aimed at recall>=0.9: learned for it, and thresholds tuned by the rule recall(0.9)"
    )
    aim["figure"] = "error"
    assert aim_sentence(aim).startswith("aimed at recall>=0.9: learned for error, and thresholds")
    assert aim_sentence(None) == ""


@pytest.mark.parametrize(("falls", "sign"), [(False, 1), (True, -1)])
def test_what_is_better_and_not_taken_has_its_error_bar(falls, sign):
    values = {
        way: {"value": 0.5 + sign * more} for way, more in [("training", 0.01), ("together", -0.1)]
    }
    for told in values.values():
        told["error_bar"] = 0.02
    compared = {"folds": 5, "less_is_better": falls, "thresholds": {"value": 0.5}, **values}
    aim = {"measure": "m", "rule": "r", "taken": "thresholds", "compared": compared}
    assert aim_sentence(aim) == (
        "aimed at m: took thresholds tuned for it, 0.5000 held out in 5 folds; learning for it had "
        f"{values['training']['value']:.4f}, within an error bar of 0.0200; learning for it as "
        f"rivals had {values['together']['value']:.4f}"
    )

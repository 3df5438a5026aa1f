"""Recipes that want fields, on a user's own documents."""

from __future__ import annotations

import json

import pytest

from postil.model.load import load_model
from postil.recipes.recipe import load_recipe, recipe_names


def write_csv(path, *columns, count=20):
    lines = [",".join([*columns, "label"])]
    texts = ("plum and pear", "iron and tin")
    lines += [",".join([texts[i % 2]] * len(columns) + [f"c{i % 2}"]) for i in range(count)]
    path.write_text("\n".join(lines) + "\n")
    return path.name


@pytest.mark.parametrize("recipe", recipe_names())
def test_every_recipe_learns_from_texts_of_one_field(postil, tmp_path, recipe):
    own = write_csv(tmp_path / "own.csv", "text")
    result = postil("train", own, "-o", "own.postil", "-r", recipe)
    assert result.code == 0
    note = f"recipe {recipe} wants the fields title, body; own.csv has text alone, so that is read"
    assert result.err.count(note) == bool(load_recipe(recipe).representation.fields)
    predicted = postil("predict", "own.postil", own)
    assert len(predicted.out.splitlines()) == 20
    labels = [json.loads(line)["labels"] for line in predicted.out.splitlines()]
    assert labels == [["c0"], ["c1"]] * 10


def test_predict_reads_what_was_learned_and_refuses_others(postil, tmp_path):
    own = write_csv(tmp_path / "own.csv", "body")
    assert postil("train", own, "-o", "own.postil", "-r", "logistic-dual").code == 0
    assert load_model(tmp_path / "own.postil").vectorizer.fields.names == ("body",)
    other = write_csv(tmp_path / "other.csv", "text")
    result = postil("predict", "own.postil", other)
    assert (result.code, result.out) == (1, "")
    assert "no document has the field body, which the model reads" in result.err


def test_several_other_fields_are_asked_about(postil, tmp_path):
    own = write_csv(tmp_path / "own.csv", "subject", "message")
    result = postil("train", own, "-o", "own.postil", "-r", "logistic-dual")
    assert result.code == 1
    assert "no document has the field title, body, which recipe logistic-dual reads" in result.err
    columns = ("--text-columns", "subject=title", "--text-columns", "message=body")
    result = postil("train", own, "-o", "own.postil", "-r", "logistic-dual", *columns)
    assert result.code == 0
    assert "wants" not in result.err


def test_compare_says_it_of_each_recipe(postil, tmp_path):
    rows = [
        {"text": f"word{i % 2} here", "labels": [f"c{i % 2}"], "split": ["train", "test"][i > 11]}
        for i in range(20)
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = postil("compare", "c.jsonl", "default", "logistic-dual", "mod-svm")
    assert result.code == 0
    assert result.err.count("has text alone, so that is read") == 2

"""`postil train`, and the commands that use its models."""

from __future__ import annotations

import json

import pytest

from postil.corpus.opening import open_corpus
from postil.model.load import load_model
from postil.recipes.recipe import load_recipe, recipe_names

# The search for a recipe is tested in tests/train/test_auto.py.
UNSEARCHED = ("--budget", "none")


@pytest.fixture
def model(postil, tmp_path):
    result = postil("train", "demo", "-o", "demo.postil", *UNSEARCHED)
    assert result.code == 0
    return tmp_path / "demo.postil"


def test_train_measures_on_test_documents_and_writes_a_model(postil, model, tmp_path):
    result = postil("train", "demo", "-o", "again.postil", "--json", *UNSEARCHED)
    told = json.loads(result.out)
    assert told["documents"] == 252
    assert told["categories"] == 12
    assert len(told["reports"]) == 12
    assert all(report["certificate"] <= 1e-3 for report in told["reports"])
    assert told["evaluation"]["micro"]["f1"] > 0.5
    assert (tmp_path / "again.postil").read_bytes() == model.read_bytes()


def test_train_without_test_documents(postil, tmp_path):
    rows = [{"id": str(i), "text": f"word{i % 2} here", "labels": [f"c{i % 2}"]} for i in range(20)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = postil("train", "c.jsonl", "-o", "c.postil")
    assert result.code == 0
    assert result.out.startswith("out of fold on 20 training documents")
    assert load_model(tmp_path / "c.postil").names == ("c0", "c1")


def test_predict_keeps_ids_and_order(postil, model):
    result = postil("predict", str(model), "demo", "--top", "2", "--chunk", "7")
    lines = [json.loads(line) for line in result.out.splitlines()]
    documents = list(open_corpus("demo"))
    assert [line["id"] for line in lines] == [document.id for document in documents]
    names = set(load_model(model).names)
    for line in lines:
        assert set(line["labels"]) <= names
        assert set(line["probabilities"]) == set(line["labels"])
        assert len(line["top"]) == 2
    whole = postil("predict", str(model), "demo", "--top", "2", "-o", "out.jsonl")
    assert whole.out == ""
    assert (model.parent / "out.jsonl").read_text().splitlines() == result.out.splitlines()


def test_evaluate_says_what_train_said(postil, model):
    told = json.loads(postil("evaluate", str(model), "demo", "--json").out)
    again = postil("train", "demo", "-o", "x.postil", "--json", *UNSEARCHED)
    trained = json.loads(again.out)["evaluation"]
    assert told["micro"] == trained["micro"]
    text = postil("evaluate", str(model), "demo", "--top", "3").out
    assert "micro" in text
    assert "… and 9 more" in text


def test_recipes(postil):
    listed = postil("recipes").out
    assert "mod-least-squares" in listed
    assert 'loss = "modified-squared"' in postil("recipes", "mod-least-squares").out
    assert json.loads(postil("recipes", "svm", "--json").out)["learn"]["solver"] == "smo"
    assert {recipe["name"] for recipe in json.loads(postil("recipes", "--json").out)} >= {"svm"}
    unknown = postil("recipes", "svn")
    assert unknown.code == 2
    assert "did you mean 'svm'" in unknown.err


def test_what_is_no_model_is_refused(postil, tmp_path):
    (tmp_path / "no.postil").write_bytes(b"nothing of the kind")
    result = postil("predict", "no.postil", "demo")
    assert result.code == 1
    assert "no.postil" in result.err
    assert "Traceback" not in result.err


def test_demo_learns_tests_decides_and_explains(postil, tmp_path):
    result = postil("demo", "-o", "here")
    assert result.code == 0
    for step in ("1. Learning", "2. Testing", "3. Deciding", "4. Explaining"):
        assert step in result.out
    assert len(load_model(tmp_path / "here" / "demo.postil").names) == 12
    assert "<html" in (tmp_path / "here" / "why.html").read_text()


def test_compare_puts_recipes_side_by_side(postil):
    told = json.loads(postil("compare", "demo", "default", "naive-bayes-1", "--json").out)
    assert [run["recipe"] for run in told["runs"]] == ["default", "naive-bayes-1"]
    trained = postil("train", "demo", "-r", "default", "-o", "m.postil", "--json")
    alone = json.loads(trained.out)["evaluation"]
    assert told["runs"][0]["evaluation"]["micro"] == alone["micro"]
    assert 0 <= told["comparisons"][0]["tests"]["micro_sign"]["p_value"] <= 1
    shown = postil("compare", "demo", "default", "naive-bayes-1")
    assert shown.out.splitlines()[0].startswith("recipe")
    assert "100 test documents" in shown.err
    assert postil("compare", "demo", "default").code == 2


def test_documents_without_the_fields_of_the_model_are_refused(postil, tmp_path):
    assert postil("train", "demo", "-o", "t.postil", "-r", "mod-svm", "--no-test").code == 0
    (tmp_path / "lines.txt").write_text("snow closed the road\n")
    result = postil("predict", "t.postil", "lines.txt")
    assert result.code == 1
    assert result.out == ""
    assert "no document has the field title, body" in result.err


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
    note = (
        f"recipe {recipe} wants the fields title, body; own.csv has only text, which is read "
        "instead"
    )
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
    assert result.err.count("has only text, which is read instead") == 2

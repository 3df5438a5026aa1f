"""`postil import-model`, svmlight files in `train`, `predict` and `evaluate`, `train --priors`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from postil.model.load import load_model

BBR = """\
Bayesian Binary Regression ver 2
tfMethod 0
idfMethod 0
cosineNormalize 1
endofheader
topic grain
modelType 1 1 0 0
design 0
topicFeats 2 3 5
beta 0.3 0.2 2.2 -1.1
threshold 0.5
endoftopic
"""
BMR = """\
Bayesian Polytomous Regression model file ver 2.5
classes 1 2
endofheader
betaClassSparse 1 0:-0.5 2:3
betaClassSparse 2 0:0.1 5:2.2
"""
DOCUMENTS = """\
1 2:1 5:1.5
-1 3:2 # none of it
1 5:0.5
-1 9:1
"""
RECIPE = """\
name = "lasso"
[learn]
loss = "logistic"
prior = "laplace"
solver = "primal-coordinate"
lam = 0.01
"""


@pytest.fixture
def folder(postil):
    """An empty folder with what users of BBR have."""
    for name, text in {
        "grain.bbr": BBR,
        "topics.bmr": BMR,
        "test.svm": DOCUMENTS,
        "train.svm": DOCUMENTS * 10,
        "lasso.toml": RECIPE,
        "words.txt": "\n".join(f"word{number}" for number in range(1, 10)),
    }.items():
        Path(name).write_text(text)
    return Path.cwd()


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_model_is_imported_and_predicts(postil, folder):
    result = postil("import-model", "grain.bbr", "-o", "grain.postil")
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines() == [
        "note: vectors were divided by their norm (cosineNormalize 1) before learning: give "
        "the model vectors of that kind",
        "imported 1 category and 3 weights from grain.bbr; wrote grain.postil",
    ]
    result = postil("predict", "grain.postil", "test.svm", "--top", "1", "--scores")
    assert result.code == 0
    found = lines(result.out)
    assert [line["id"] for line in found] == ["1", "2", "3", "4"]
    assert [line["labels"] for line in found] == [["grain"], [], [], []]
    assert [line["top"]["grain"] for line in found] == [2.5, -0.7, 0.0, -1.1]
    assert found[0]["probabilities"]["grain"] == pytest.approx(1 / (1 + np.exp(-2.5)), abs=1e-6)
    assert [line.get("terms") for line in found] == [None, None, None, 0]
    assert 'no term that the model knows ("terms": 0); the first: 4' in result.err
    from_stream = ("predict", "grain.postil", "-", "--format", "svmlight", "--top", "1", "--scores")
    assert lines(postil(*from_stream, stdin=DOCUMENTS.encode()).out) == found
    assert postil(*from_stream, "-o", "p.jsonl").code == 0
    assert Path("p.jsonl").read_text() == ""
    shown = postil("inspect", "grain.postil").out
    assert "imported from grain.bbr" in shown
    assert "those of svmlight files; terms are their numbers" in shown


def test_a_model_with_names(postil, folder):
    assert postil(
        "import-model", "topics.bmr", "-o", "t.postil", "--terms", "words.txt"
    ).err.endswith("imported 2 categories and 2 weights from topics.bmr; wrote t.postil\n")
    found = lines(postil("predict", "t.postil", "test.svm", "--top", "2", "--scores").out)
    assert [line["labels"] for line in found] == [["2"], ["2"], ["2"], ["2"]]
    assert found[0]["top"] == {"2": 3.4, "1": 2.5}
    shown = json.loads(postil("inspect", "t.postil", "--json").out)
    assert shown["categories"][0]["up"] == [{"term": "word2", "weight": 1.5}]  # over the mean


def test_an_imported_threshold_is_called_that(postil, folder):
    postil("import-model", "grain.bbr", "-o", "grain.postil")
    shown = postil("inspect", "grain.postil", "--category", "grain").out
    assert "(imported)\n" in shown
    assert "members" not in shown


def test_an_imported_model_is_measured(postil, folder):
    postil("import-model", "grain.bbr", "-o", "grain.postil")
    told = json.loads(postil("evaluate", "grain.postil", "test.svm", "--json").out)
    assert told["micro"]["precision"] == 1.0
    assert told["micro"]["recall"] == 0.5
    assert told["learned_from"] is False


TRAIN = ("train", "train.svm", "-o", "x.postil")


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (("import-model", "train.svm", "-o", "x.postil"), 1, "train.svm, line 1: '1 2:1 5:1.5' is"),
        (("import-model", "absent.bbr", "-o", "x.postil"), 1, "absent.bbr"),
        (("import-model", "grain.bbr", "-o", "grain.bbr"), 2, "would replace it"),
        (("import-model", "grain.bbr", "-o", "x.postil", "--terms", "p.txt"), 1, "none for the"),
        (("predict", "g.postil", "--text", "a"), 2, "give it an svmlight file"),
        (("predict", "g.postil", "words.txt"), 2, "give it an svmlight file"),
        (("explain", "g.postil", "--text", "a"), 2, "give it an svmlight file"),
        (("predict", "g.postil", "test.svm", "--split", "test"), 2, "--split does not apply"),
        (("predict", "g.postil", "absent.svm"), 1, "absent.svm"),
        (("predict", "d.postil", "test.svm"), 2, "test.svm: the model reads texts"),
        (("evaluate", "d.postil", "test.svm"), 2, "test.svm: the model reads texts"),
        ((*TRAIN, "--priors", "lasso.toml"), 1, "lasso.toml, line"),
        ((*TRAIN, "--priors", "none.txt"), 1, "none.txt"),
        (
            (*TRAIN, "--priors", "p.txt"),
            2,
            "p.txt: the solver dual-coordinate takes no per-term priors",
        ),
        ((*TRAIN, "-r", "naive-bayes-1", "--priors", "p.txt"), 2, "p.txt: Naive Bayes counts"),
        ((*TRAIN, "-r", "lasso.toml", "--priors", "alien.txt"), 1, "no line matched"),
        ((*TRAIN, "-r", "lasso.toml", "--priors", "nothing.svm"), 1, "holds no prior: a line is"),
        ((*TRAIN, "-r", "lasso.toml", "--priors", "."), 1, "folder"),
        (("train", "nothing.svm", "-o", "x.postil"), 1, "nothing.svm: the file is empty"),
        (("predict", "g.postil", "nothing.svm"), 1, "nothing.svm: the file is empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_said_in_a_line(postil, folder, command, code, told):
    postil("import-model", "grain.bbr", "-o", "g.postil")
    Path("p.txt").write_text("2 0 1\n")
    Path("alien.txt").write_text("harbour 0 1\n")
    Path("nothing.svm").touch()
    if "d.postil" in command:
        rows = [{"text": f"word{i % 2} here", "labels": [f"c{i % 2}"]} for i in range(20)]
        Path("c.jsonl").write_text("\n".join(map(json.dumps, rows)))
        postil("train", "c.jsonl", "-o", "d.postil")
    result = postil(*command)
    assert result.code == code
    assert told in result.err
    assert not Path("x.postil").exists()


def test_training_on_vectors_with_priors(postil, folder):
    Path("p.txt").write_text("2 0.75 0\n0 -2 0\n999 0 1\nclass 1 3 -1 1 -1\nclass 7 3 0 1\n")
    result = postil("train", "train.svm", "-o", "v.postil", "-r", "lasso.toml", "--priors", "p.txt")
    assert result.code == 0
    assert "vectors are used as given; [representation] of lasso does not apply" in result.err
    assert (
        "p.txt: 3 of 5 lines matched; unknown terms: 999 (the data has features from 2 to "
        "9); unknown categories: 7\n"
    ) in result.err
    model = load_model("v.postil")
    assert model.names == ("1",)
    assert model.training.documents == 40
    assert model.vectorizer.vocabulary.names == ["2", "3", "5", "9"]
    weights = model.weights.toarray()[0]
    assert weights[0] == 0.75
    assert model.intercepts.tolist() == [-2.0]
    assert weights[1] <= -1
    kept = model.method["priors"]
    assert (kept["matched"], kept["unmatched"], kept["file"]) == (3, 2, "p.txt")
    assert len(kept["sha256"]) == 64
    told = postil("evaluate", "v.postil", "train.svm")
    assert "these are the documents that v.postil learned from" in told.err
    assert postil("evaluate", "v.postil", "test.svm").err == ""


def test_0_is_said_to_be_a_feature_where_the_data_has_one(postil, folder):
    Path("zero.svm").write_text("1 0:1 2:1\n-1 3:2\n" * 10)
    Path("p.txt").write_text("2 0 1\n0 0.75 0\n@constant -2 0\n")
    result = postil("train", "zero.svm", "-o", "z.postil", "-r", "lasso.toml", "--priors", "p.txt")
    assert result.code == 0
    assert (
        "p.txt: 3 of 3 lines matched; line 2: the data has a feature 0, and the line gives its "
        "prior; the constant is @constant\n"
    ) in result.err
    model = load_model("z.postil")
    assert model.weights.toarray()[0, model.vectorizer.vocabulary.column_of["0"]] == 0.75
    assert model.intercepts.tolist() == [-2.0]


def test_training_on_several_labels(postil, folder):
    Path("many.svm").write_text("0,2 1:1\n2 2:1\n0 1:1 3:1\n 4:1\n" * 5)
    assert postil("train", "many.svm", "-o", "m.postil", "--json").code == 0
    assert load_model("m.postil").names == ("0", "2")
    Path("bare.svm").write_text(" 4:1\n 5:1\n")
    result = postil("train", "bare.svm", "-o", "m.postil")
    assert (result.code, result.err) == (
        1,
        "bare.svm: vectors are used as given; [representation] of default does not apply\n"
        "postil: bare.svm: none of the documents (2) has a label\n",
    )


def test_priors_by_terms(postil, folder):
    rows = [
        {"text": f"good{i % 2} some words of no use", "labels": [f"c{i % 2}"]} for i in range(30)
    ]
    Path("c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path("p.txt").write_text("# priors\ngood0 0 0\nclass c1 good1 2.5 0\n@constant 0 0\nbad 0 1\n")
    command = ("train", "c.jsonl", "-o", "c.postil", "-r", "lasso.toml", "--priors", "p.txt")
    result = postil(*command, "--json")
    assert json.loads(result.out)["priors"]["matched"] == 3
    assert "p.txt: 3 of 4 lines matched; unknown terms: bad\n" in result.err
    model = load_model("c.postil")
    column = model.vectorizer.vocabulary.column_of
    weights = model.weights.toarray()
    assert weights[:, column["good0"]].tolist() == [0, 0]
    assert weights[1, column["good1"]] == 2.5
    assert model.intercepts.tolist() == [0, 0]
    first = Path("c.postil").read_bytes()
    postil(*command)
    assert Path("c.postil").read_bytes() == first

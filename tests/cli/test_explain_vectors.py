"""`postil explain` of models whose documents are vectors of numbered features."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.cli.explain import numbered_documents
from postil.model.bbr_import import import_model
from postil.model.numbered import read_numbered
from postil.train.predict import VectorPredictor
from postil.train.reasons import VectorReasons

BBR = """Bayesian Binary Regression ver 2
tfMethod 0
idfMethod 0
cosineNormalize 0
featRestrict 2 3 5
endofheader
topic grain
modelType 1 1 0 0
design 0
topicFeats 2 3 5
beta 0.3 0.2 2.2 -1.1
threshold 0.5
endoftopic
"""
TEST = "1 2:1 5:1.5 77:1\n-1 3:2\n-1\n-1 88:4\n"


@pytest.fixture
def folder(postil, tmp_path):
    (tmp_path / "grain.bbr").write_text(BBR)
    (tmp_path / "test.svm").write_text(TEST)
    (tmp_path / "names.txt").write_text("un\ndeux\ntrois\nquatre\ncinq\n")
    assert postil("import-model", "grain.bbr", "-o", "g.postil").code == 0
    return tmp_path


def explained(postil, *options):
    result = postil("explain", "g.postil", "test.svm", *options, "--json")
    assert result.code == 0
    return json.loads(result.out)["documents"]


def test_features_add_up_to_the_score(postil, folder):
    (told,) = explained(postil)
    assert (told["id"], told["labels"], told["given"]) == ("1", ["grain"], ["grain"])
    (reason,) = told["explanations"]
    added = {term["term"]: term["added"] for term in reason["terms"]}
    assert added == pytest.approx({"5": 3.3, "2": 0.3})
    assert reason["margin"] == pytest.approx(2.5)
    assert [term["value"] for term in reason["terms"]] == [1.5, 1.0]
    assert [term["term"] for term in reason["unknown"]] == ["77"]
    (removal,) = reason["flips"]["removals"]
    assert removal["terms"] == ["5"]
    assert removal["margin"] == pytest.approx(-1.1 + 0.3)


def test_documents_are_chosen_by_their_numbers(postil, folder):
    told = explained(postil, "--id", "4", "--id", "2", "--id", "3")
    assert [each["id"] for each in told] == ["4", "2", "3"]
    notes = [each["explanations"][0]["note"] for each in told]
    assert notes == [
        "the model knows no feature of the document: the intercept alone decides",
        "",
        "the document has no feature: the intercept alone decides",
    ]
    addition = told[2]["explanations"][0]["flips"]["additions"][0]
    assert (addition["term"], addition["margin"]) == ("5", pytest.approx(1.1))


def test_features_are_called_by_their_names(postil, folder):
    command = ("import-model", "grain.bbr", "-o", "g.postil", "--terms", "names.txt")
    assert postil(*command).code == 0
    (told,) = explained(postil)
    assert [term["term"] for term in told["explanations"][0]["terms"]] == ["cinq", "deux"]
    shown = postil("explain", "g.postil", "test.svm").out
    assert shown.startswith("1: given grain; labelled grain\n")
    assert "Without cinq the margin is -0.800: no." in shown


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (("g.postil", "test.svm", "--id", "5"), 1, "no document '5': its documents are numbered"),
        (("g.postil", "test.svm", "--id", "x"), 1, "from 1 to 4"),
        (("g.postil", "test.svm", "--html", "x.html"), 2, "--html shows a text"),
        (("g.postil", "test.svm", "--category", "grian"), 2, "did you mean 'grain'"),
        (("g.postil", "empty.svm"), 1, "empty.svm: the file is empty"),
        (("g.postil", "--text", "a"), 2, "g.postil: the model's terms are numbered features"),
        (("t.postil", "test.svm"), 2, "test.svm: the model reads texts"),
    ],
)
def test_what_cannot_be_is_said(postil, folder, command, code, told):
    (folder / "empty.svm").write_text("")
    if "t.postil" in command:
        rows = [{"text": f"word{i % 2} here", "labels": [f"c{i % 2}"]} for i in range(20)]
        (folder / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert postil("train", "c.jsonl", "-o", "t.postil").code == 0
    result = postil("explain", *command)
    assert result.code == code
    assert told in " ".join(result.err.split())


NUMBERS = st.dictionaries(st.integers(1, 12), st.floats(-8, 8, width=32).filter(bool), max_size=8)


@settings(max_examples=40)
@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_any_vector_is_explained_as_it_is_scored(tmp_path_factory, rows):
    """Margins are the predictor's scores, and what is said to flip a decision does."""
    folder = tmp_path_factory.mktemp("vectors")
    (folder / "grain.bbr").write_text(BBR)
    lines = [" ".join(["1", *(f"{n}:{row[n]!r}" for n in sorted(row))]) for row in rows]
    (folder / "any.svm").write_text("\n".join(lines) + "\n")
    documents = read_numbered(folder / "any.svm")
    predictor = VectorPredictor(import_model(folder / "grain.bbr").model)
    reasons = VectorReasons(predictor)
    scores = predictor.scores(predictor.vectors(documents))
    for row, document in enumerate(numbered_documents(documents, documents.ids, ("grain",))):
        told = reasons.explain(documents, row, [0])
        explanation = told.reasons[0]
        assert explanation.margin == pytest.approx(scores[row, 0], abs=1e-5)
        assert explanation.accepted == ("grain" in told.given)
        assert told.document.id == document.id
        for removal in explanation.flips.removals:
            left = sum(s.added for s in explanation.terms if s.term not in removal.terms)
            assert removal.margin == pytest.approx(-1.1 + left, abs=1e-4)
            assert (removal.margin >= 0.5) != explanation.accepted

"""`postil inspect --margins`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from postil.corpus.opening import open_corpus
from postil.model.load import load_model
from postil_papers.margins import measure_margins

from ..helpers import save_model

NUMBERS = (
    "one_norm",
    "two_norm",
    "entropy",
    "least_margin",
    "perceptron_mistakes",
    "winnow_mistakes",
    "additive",
    "multiplicative",
    "ratio",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("models") / "demo.postil", "svm")


def rows_under(out, title):
    """The header and the rows of the table under a title, as lists of words."""
    lines = out.splitlines()
    start = lines.index(title) + 1
    end = lines.index("", start)
    return [line.split() for line in lines[start:end]]


def test_json_holds_every_number(postil, model):
    result = postil("inspect", model, "--margins", "demo", "--json")
    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    loaded = load_model(model)
    documents = [d for d in open_corpus("demo") if d.split != "test"]
    margins = measure_margins(loaded, documents).margins
    whole = told["margins"]
    assert list(whole) == [
        "corpus",
        "documents",
        "learned_from",
        "constant",
        "gamma",
        "norms",
        "separated",
        "favours",
        "median",
        "unknown_labels",
    ]
    assert (whole["corpus"], whole["documents"], whole["learned_from"]) == ("demo", 252, True)
    assert (whole["constant"], whole["gamma"], whole["unknown_labels"]) == (True, 1.0, [])
    assert whole["norms"]["two"] == margins.norms.two._asdict()
    assert set(whole["norms"]) == {"two", "infinity", "one"}
    assert whole["separated"] == int((margins.least > 0).sum())
    assert sum(whole["favours"].values()) == loaded.categories
    by_name = {facts["name"]: facts["margins"] for facts in told["categories"]}
    assert set(by_name) == set(loaded.names)
    for column, name in enumerate(loaded.names):
        facts = by_name[name]
        assert list(facts) == ["members", *NUMBERS[:4], "under", *NUMBERS[4:], "favours"]
        assert facts["members"] == margins.members[column] == loaded.training.members[column]
        assert facts["one_norm"] == margins.sizes.one[column]
        assert facts["entropy"] == margins.sizes.entropy[column]
        assert facts["least_margin"] == margins.least[column]
        assert facts["under"] == margins.under[column]
        assert facts["winnow_mistakes"] == margins.winnow_mistakes[column]
        assert facts["ratio"] == facts["multiplicative"] / facts["additive"]
        assert facts["favours"] == margins.favoured[column]
    for name in NUMBERS:
        assert whole["median"][name] == np.median([facts[name] for facts in by_name.values()])


def test_tables_show_what_json_holds(postil, model):
    out = postil("inspect", model, "--margins", "demo", "--sort", "name").out
    told = json.loads(postil("inspect", model, "--margins", "demo", "--json").out)
    by_name = {facts["name"]: facts["margins"] for facts in told["categories"]}
    by_name["median"] = told["margins"]["median"]
    assert "Vectors of 252 documents of demo, which it learned from" in out
    assert "Bytes" not in out
    header, *rows = rows_under(out, "Weights found, and margins y(w·x + b)")
    assert header[-2:] == ["below", "1"]
    assert [row[0] for row in rows] == [*sorted(set(by_name) - {"median"}), "median"]
    for name, members, one, two, entropy, least, under in rows:
        facts = by_name[name]
        assert [float(members), float(under)] == [facts["members"], facts["under"]]
        assert float(one) == pytest.approx(facts["one_norm"], rel=1e-3)
        assert float(two) == pytest.approx(facts["two_norm"], rel=1e-3)
        assert float(entropy) == pytest.approx(facts["entropy"], rel=1e-3)
        assert float(least) == pytest.approx(facts["least_margin"], rel=1e-3)
    _, *rows = rows_under(out, "Mistakes at most, and the bounds' terms")
    for name, *cells in rows:
        facts = by_name[name]
        for cell, column in zip(cells, NUMBERS[4:], strict=False):
            assert float(cell) == pytest.approx(facts[column], rel=1e-3)
        if name != "median":
            assert cells[-1] == facts["favours"]
    said = " ".join(out.split())
    count = told["margins"]["favours"]["additive"]
    assert f"favour additive updates (Perceptron, SVM) for {count} of 12 categories" in said
    assert "the two may differ" in said
    assert "not separable" not in said


def test_named_categories_in_the_order_they_were_named(postil, model):
    named = ("--category", "sport", "--category", "council")
    out = postil("inspect", model, "--margins", "demo", *named).out
    _, *rows = rows_under(out, "Weights found, and margins y(w·x + b)")
    assert [row[0] for row in rows] == ["sport", "council", "median"]
    one = postil("inspect", model, "--margins", "demo", "--category", "sport").out
    _, *rows = rows_under(one, "Weights found, and margins y(w·x + b)")
    assert [row[0] for row in rows] == ["sport"]
    assert "1 of 1 category" in " ".join(one.split())


def test_another_margin_and_other_documents(postil, model):
    asked = ("inspect", model, "--margins", "demo", "--json")
    usual = json.loads(postil(*asked).out)
    wide = json.loads(postil(*asked, "--margin-at", "2").out)
    test = json.loads(postil(*asked, "--split", "test").out)
    assert wide["margins"]["gamma"] == 2.0
    assert wide["margins"]["median"]["additive"] == usual["margins"]["median"]["additive"] / 4
    assert (test["margins"]["documents"], test["margins"]["learned_from"]) == (100, False)
    unseparated = [f["margins"] for f in test["categories"] if f["margins"]["least_margin"] <= 0]
    assert unseparated
    assert all(m["perceptron_mistakes"] is m["winnow_mistakes"] is None for m in unseparated)
    shown = postil("inspect", model, "--margins", "demo", "--split", "test").out
    assert "not separable by these weights" in shown
    assert "which it learned from" not in shown


def test_what_is_odd_about_labels_is_said(postil, model, tmp_path):
    lines = [
        {"title": "", "body": "the match was lost", "labels": ["sport", "chess"]},
        {"title": "", "body": "nothing of note", "labels": []},
    ]
    path = tmp_path / "few.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    options = ("--category", "sport", "--category", "health")
    result = postil("inspect", model, "--margins", "few.jsonl", *options)
    assert result.code == 0
    assert "1 label unknown to the model: chess (not counted)" in result.err
    assert "1 category without a member in few.jsonl: health" in result.err
    streamed = ("inspect", model, "--margins", "-", "--json")
    told = json.loads(postil(*streamed, stdin=path.read_bytes()).out)
    assert told["margins"]["documents"] == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"title": "", "body": "a road"}], "no document has a label"),
        ([{"title": "", "body": "a road", "labels": ["oil"]}], "shares no category with the model"),
        (
            [{"title": "", "body": "a road", "labels": ["sport"], "split": "test"}],
            "every document is marked test",
        ),
        ([{"body": "a road", "labels": ["sport"]}], "no document has the field title"),
        ([], "empty"),
    ],
)
def test_nothing_to_measure(postil, model, tmp_path, lines, message):
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = postil("inspect", model, "--margins", "notes.jsonl")
    assert result.code != 0
    assert result.out == ""
    assert message in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--split", "test"), "--split: these options need --margins"),
        (("--margin-at", "2"), "--margin-at: these options need --margins"),
        (("--margins", "demo", "--margin-at", "0"), "--margin-at"),
        (("--margins", "demo", "--margin-at", "nan"), "--margin-at"),
        (("--margins", "demo", "--category", "sports"), "did you mean 'sport'"),
        (("--margins", "vectors.svm"), "the model reads texts"),
    ],
)
def test_what_makes_no_sense_is_refused(postil, model, tmp_path, options, message):
    (tmp_path / "vectors.svm").write_text("1 1:1\n-1 2:1\n")
    result = postil("inspect", model, *options)
    assert result.code != 0
    assert message in result.err


def test_vectors(postil, tmp_path):
    (tmp_path / "vectors.svm").write_text("1 1:1 2:0.5\n-1 1:-1 3:2\n1 1:2\n-1 3:1\n")
    assert postil("train", "vectors.svm", "-r", "svm", "-o", "v.postil").code == 0
    told = json.loads(postil("inspect", "v.postil", "--margins", "vectors.svm", "--json").out)
    assert told["margins"]["learned_from"]
    (facts,) = told["categories"]
    assert facts["margins"]["members"] == 2
    assert facts["margins"]["least_margin"] == pytest.approx(1, abs=1e-3)
    assert postil("inspect", "v.postil", "--margins", "demo").code != 0


def test_models_that_compare_categories_say_so(postil, tmp_path):
    path = save_model(tmp_path / "nb.postil", "naive-bayes-1")
    out = postil("inspect", path, "--margins", "demo").out
    assert "The model compares categories with each other" in out

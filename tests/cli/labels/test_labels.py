"""Names of labels, from the file to everything that a user sees."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from postil.model.load import load_model

LABELS = """id,label@en,label@de,notation,altLabel,broader,deprecated
all,Everything,Alles,,,,
people,People,Leute,P,,all,
land,Land,Land,L,,all,
11,Town council,Stadtrat,P1,council,people,
12,Schools and teachers,Schulen,schools,,people,
13,Health,Gesundheit,P3,,people,
14,Sport,Sport,P4,games,people,
21,Environment,Umwelt,L1,,land,
22,Farming,Landwirtschaft,L2,,land,
23,Weather forecasts,Wetter,weather,,land,true
"""


@pytest.fixture
def trained(postil):
    Path("labels.csv").write_text(LABELS)
    options = ("--labels", "labels.csv", "--budget", "none", "--no-test")
    result = postil("train", "demo", "-o", "demo.postil", *options)
    assert result.code == 0, result.err
    return result


def test_training_says_how_labels_match(trained):
    lines = trained.err.splitlines()
    assert "labels.csv: 10 labels, 9 of them below another; names in en" in lines
    absent = next(line for line in lines if "not in the label vocabulary" in line)
    assert absent.startswith("5 labels of the documents, of 12, are not")
    old = next(line for line in lines if "deprecated" in line)
    assert old.endswith("'Weather forecasts'")
    # Documents name labels by notation, name and alternative name; categories are ids.
    assert {"11", "12", "13", "14", "21", "22", "23", "housing"} < set(
        load_model("demo.postil").names
    )


def test_a_column_of_labels_is_found_by_its_values(postil):
    Path("labels.csv").write_text(LABELS)
    rows = [f"line {at},{name}" for at, name in enumerate(["P1", "games;Weather forecasts", "99"])]
    Path("books.csv").write_text("\n".join(["text,subject", *rows, "more,22", ""]))
    options = ("-o", "books.postil", "-r", "default", "--no-test")
    result = postil("train", "books.csv", *options, "--labels", "labels.csv")
    assert "text from text; labels from subject (separator ';')" in result.err
    assert load_model("books.postil").names == ("11", "14", "22", "23", "99")
    unnamed = postil("predict", "books.postil", "books.csv")
    assert "labels from subject" in unnamed.err
    assert "no label column" in postil("train", "books.csv", *options).err


def test_commands_show_names(postil, trained):
    line = json.loads(postil("predict", "demo.postil", "demo", "--top", "1").out.split("\n")[0])
    assert set(line["names"]) == {*line["labels"], *line["top"]}
    assert line["names"].get("23", "Weather forecasts") == "Weather forecasts"

    shown = postil("explain", "demo.postil", "demo", "--id", "gz-101", "--category", "games")
    assert "labelled transport, Weather forecasts" in shown.out
    assert "\nSport: " in shown.out
    told = json.loads(
        postil("explain", "demo.postil", "demo", "--id", "gz-101", "--category", "P4", "--json").out
    )["documents"][0]
    assert told["explanations"][0]["category"] == "14"
    assert told["names"]["14"] == "Sport"

    inspected = postil("inspect", "demo.postil", "--category", "council").out
    assert "\nTown council\n" in inspected
    assert "  id         11\n" in inspected
    assert "Schools and teachers" in postil("inspect", "demo.postil").out

    measured = postil("evaluate", "demo.postil", "demo", "--errors", "wrong.csv").out
    assert "Town council" in measured
    assert "Town council" in Path("wrong.csv").read_text()
    rows = json.loads(postil("evaluate", "demo.postil", "demo", "--json").out)["per_category"]
    assert {row["category"]: row["name"] for row in rows}["12"] == "Schools and teachers"

    assert postil("report", "demo.postil", "demo", "-o", "report.html").code == 0
    page = Path("report.html").read_text()
    assert "Schools and teachers" in page
    assert "<bdi>23" not in page
    assert "Schools and teachers" in postil("corpus", "info", "demo", "--labels", "labels.csv").out


def test_the_documents_that_it_learned_from_are_known_again(postil, trained):
    found = postil("evaluate", "demo.postil", "demo", "--split", "train", "--json")
    assert json.loads(found.out)["learned_from"]


def train(postil, *options, corpus="demo", labels="labels.csv"):
    where = ("-o", "h.postil", "--labels", labels, "--budget", "none")
    result = postil("train", corpus, *where, *options)
    assert result.code == 0, result.err
    return result


@pytest.mark.parametrize("use", ["back-off", "consistent"])
def test_hierarchy(postil, use):
    Path("labels.csv").write_text(LABELS)
    told = train(postil, "--hierarchy", use)
    assert "with the labels above: F1" in told.out
    model = load_model("h.postil")
    # "all" is above everything, and says nothing.
    assert {"people", "land"} < set(model.names)
    assert "all" not in model.names
    assert model.hierarchy.consistent == (use == "consistent")

    above = {"11": "people", "12": "people", "13": "people", "14": "people"}
    above |= {"21": "land", "22": "land", "23": "land"}
    lines = postil("predict", "h.postil", "demo", "--split", "test").out.splitlines()
    given = [json.loads(line)["labels"] for line in lines]
    assert any("people" in labels for labels in given)
    for labels in given:
        assert not any(above.get(label) in labels for label in labels)

    shown = json.loads(postil("evaluate", "h.postil", "demo", "--json").out)
    assert 0 < shown["hierarchical"]["f1"] < 1
    # Flat measures are on the labels that documents have, and those that are given.
    rows = {row["category"]: row for row in shown["per_category"]}
    assert rows["people"]["members"] == 0 < rows["people"]["false_positives"]
    found = postil("evaluate", "h.postil", "demo", "--split", "train", "--json")
    assert json.loads(found.out)["learned_from"]
    assert postil("report", "h.postil", "demo", "-o", "report.html").code == 0
    assert "hierarchical F1" in Path("report.html").read_text()


def test_hierarchy_with_a_sure_label_above(postil):
    Path("labels.csv").write_text(LABELS)
    train(postil, "--hierarchy", "back-off", "--no-test")
    ask = ("predict", "h.postil", "demo", "--split", "test", "--min-probability")
    lines = [json.loads(line) for line in postil(*ask, "0.8").out.splitlines()]
    backed = [line for line in lines if "people" in line["labels"] and line.get("withheld")]
    assert backed  # a label below was not sure enough
    assert all(line["probabilities"]["people"] >= 0.8 for line in backed)
    told = postil("explain", "h.postil", "demo", "--id", "gz-101", "--category", "land").out
    assert "given as" in told


def test_hierarchy_of_one_label(postil):
    Path("labels.csv").write_text(LABELS)
    Path("one.jsonl").write_text(
        "\n".join(
            json.dumps({"id": f"{n} {label}", "text": f"{text} {n % 3}", "labels": [label]})
            for n in range(12)
            for label, text in (
                ("11", "town council vote"),
                ("14", "town game goal"),
                ("22", "land sheep farm"),
                ("23", "land rain snow"),
            )
        )
    )
    told = train(postil, "--hierarchy", "back-off", corpus="one.jsonl")
    assert "single-label: the model gives every document exactly one category" in told.err
    texts = ("--text", "town")
    assert json.loads(postil("predict", "h.postil", *texts).out)["labels"] in (["people"], ["14"])
    assert json.loads(postil("predict", "h.postil", "--text", "goal").out)["labels"] == ["14"]
    wrong = postil("train", "one.jsonl", "-o", "x.postil", "--hierarchy", "back-off")
    assert wrong.code == 2
    assert "needs a label vocabulary in which labels have broader ones" in wrong.err
    rule = ("--rule", "best", "--labels", "labels.csv", "--hierarchy", "back-off")
    wrong = postil("train", "one.jsonl", "-o", "x.postil", *rule)
    assert "the rule best has no threshold for each category" in wrong.err


def test_tables_have_names_of_all_labels(postil, trained):
    ways = ("--min-probability", "0.9", "--top", "2", "-o", "t.parquet")
    assert postil("predict", "demo.postil", "demo", *ways).code == 0
    model = load_model("demo.postil")
    names = dict(zip(model.names, model.titles, strict=True))
    rows = pyarrow.parquet.read_table("t.parquet").to_pylist()
    for ids, called in (
        ("labels", "names"),
        ("withheld", "withheld names"),
        ("top labels", "top names"),
    ):
        assert any(row[ids] for row in rows)
        assert all([names[label] for label in row[ids]] == row[called] for row in rows)


def test_labels_under_one(postil, trained):
    ask = ("predict", "demo.postil", "demo", "--split", "test", "--under")
    lines = [json.loads(line) for line in postil(*ask, "People").out.splitlines()]
    given = {label for line in lines for label in line["labels"]}
    assert given == {"11", "12", "13", "14"}
    both = postil(*ask, "land", "--exclude", "weather", "-o", "given.csv")
    assert both.code == 0, both.err
    text = Path("given.csv").read_text()
    assert "Environment" in text
    assert "Weather forecasts" not in text
    inside = json.loads(postil(*ask, "People", "--include", "Health").out.split("\n")[0])
    assert set(inside["labels"]) <= {"13"}
    apart = postil(*ask, "People", "--include", "Farming")
    assert apart.code == 2
    assert "--include and --under: no label is left" in apart.err
    wrong = postil(*ask, "lnd")
    assert wrong.code == 2
    assert "did you mean 'land'" in wrong.err.lower()


def test_mistakes_get_one_sentence(postil, trained):
    wrong = postil("explain", "demo.postil", "demo", "--category", "Helth")
    assert wrong.code == 2
    assert "'Helth'; did you mean 'Health'" in wrong.err
    other = postil("explain", "demo.postil", "demo", "--category", "people")
    assert "has no category 'people'" in other.err
    wrong = postil("train", "demo", "-o", "x.postil", "--labels-language", "de")
    assert "--labels-language is the language of --labels" in wrong.err
    Path("other.csv").write_text("id,label\na,one\n")
    wrong = postil("train", "demo", "-o", "x.postil", "--labels", "other.csv", "--budget", "none")
    assert wrong.code == 1
    assert "demo: no label of a document is the id, the notation or a name" in wrong.err
    lost = postil("train", "demo", "-o", "other.csv", "--labels", "other.csv")
    assert "this command reads the file, and the output would replace it" in lost.err

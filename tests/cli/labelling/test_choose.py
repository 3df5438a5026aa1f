"""`postil corpus choose` writes what a person or a tool takes up next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.helpers import small_model

from postil.corpus.opening import open_corpus


@pytest.fixture
def pool():
    small_model(Path("m.postil"))
    records = [
        {"id": f"d{n}", "text": f"{'road' if n % 2 else 'snow'} word{n} other{n}"}
        for n in range(30)
    ]
    records.append({"id": "labelled", "text": "road", "labels": ["transport"]})
    Path("pool.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return "pool.jsonl"


def lines(name):
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def test_lines_of_json_with_suggestions(postil, request):
    request.getfixturevalue("pool")
    options = ["-m", "m.postil", "-o", "next.jsonl", "-n", "10"]
    result = postil("corpus", "choose", "pool.jsonl", *options)
    assert result.code == 0, result.err
    assert "wrote 10 documents of 31 to next.jsonl: 8 worth a label, 2 at random" in result.err
    assert "1 have labels and are left out" in result.err
    found = lines("next.jsonl")
    drawn = [place for place, record in enumerate(found) if record.get("split") == "test"]
    assert len(drawn) == 2
    assert drawn[0] < 5 <= drawn[1], "whoever stops early has some to measure by"
    suggested = [place for place, record in enumerate(found) if "suggested" in record]
    assert sorted(drawn + suggested) == list(range(10)), "nobody is led to an answer"
    assert not any(document.labels for document in open_corpus("next.jsonl"))


def test_tasks_of_label_studio_with_predictions(postil, request):
    request.getfixturevalue("pool")
    options = ["-m", "m.postil", "-o", "tasks.json", "--to", "label-studio", "-n", "5"]
    assert postil("corpus", "choose", "pool.jsonl", *options).code == 0
    tasks = json.loads(Path("tasks.json").read_text())
    assert ["predictions" in task for task in tasks].count(True) == 4
    assert not any("predictions" in task for task in tasks if task["data"].get("split") == "test")
    assert not any("annotations" in task for task in tasks)


def test_a_format_without_a_place_for_suggestions_says_so(postil, request):
    request.getfixturevalue("pool")
    options = ["-m", "m.postil", "-o", "next.jsonl", "--to", "doccano"]
    result = postil("corpus", "choose", "pool.jsonl", *options)
    assert "wrote 30 documents of 31 to next.jsonl: 24 worth a label, 6 at random" in result.err
    assert (
        "doccano has no place for the suggestions of the model; jsonl, label-studio" in result.err
    )
    assert len(lines("next.jsonl")) == 30


def test_without_a_model_and_from_a_stream(postil, request):
    stream = Path(request.getfixturevalue("pool")).read_bytes()
    result = postil("corpus", "choose", "-", "-o", "first.csv", "-n", "6", stdin=stream)
    assert result.code == 0, result.err
    assert len(list(open_corpus("first.csv"))) == 6


def test_a_choice_that_cannot_be_made_is_refused(postil, request):
    request.getfixturevalue("pool")
    more = postil("corpus", "choose", "pool.jsonl", "-o", "n.jsonl", "-n", "5", "--random", "6")
    assert more.code == 2
    assert "more than the 5 documents to choose" in more.err
    Path("done.jsonl").write_text('{"id": "a", "text": "road", "labels": ["transport"]}\n')
    done = postil("corpus", "choose", "done.jsonl", "-o", "n.jsonl")
    assert done.code == 1
    assert "has only documents with labels" in done.err
    assert not Path("n.jsonl").exists()

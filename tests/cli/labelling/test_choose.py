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
    assert [record.get("split") for record in found] == [None] * 8 + ["test"] * 2
    assert all("suggested" in record for record in found[:8])
    assert not any("suggested" in record for record in found[8:]), "nobody is led to an answer"
    assert not any(document.labels for document in open_corpus("next.jsonl"))


def test_tasks_of_label_studio_with_predictions(postil, request):
    request.getfixturevalue("pool")
    options = ["-m", "m.postil", "-o", "tasks.json", "--to", "label-studio", "-n", "5"]
    assert postil("corpus", "choose", "pool.jsonl", *options).code == 0
    tasks = json.loads(Path("tasks.json").read_text())
    assert ["predictions" in task for task in tasks] == [True] * 4 + [False]
    assert not any("annotations" in task for task in tasks)


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

"""Commands on documents with weights, groups and known-negative labels."""

from __future__ import annotations

import json
from dataclasses import replace

from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus


def test_weights_and_judgements_go_through_all_commands(postil, tmp_path):
    demo = list(open_corpus("demo"))
    given = [
        replace(d, weight=1 + at % 2, group=f"g{at // 2}", not_labels=() if at % 3 else None)
        for at, d in enumerate(demo)
    ]
    write_corpus(given, tmp_path / "judged.jsonl")
    trained = postil("train", "judged.jsonl", "-o", "m.postil", "--recipe", "default")
    assert trained.code == 0
    assert "known-negative labels from not_labels" in trained.err
    assert "judged for some categories only" in trained.err
    told = postil("evaluate", "m.postil", "judged.jsonl", "--weighted", "--json")
    told = json.loads(told.out)
    assert told["measured"]["weighted"] is True
    assert told["top"][0]["micro_f1"] > 0
    table = postil("evaluate", "m.postil", "judged.jsonl", "--weighted", "--table", "csv").out
    road = sum(d.weight for d in given if d.split == "test" and "transport" in d.labels)
    assert f"\ntransport,{float(road)}," in table
    refused = postil("evaluate", "m.postil", "judged.jsonl", "--weighted", "--curves", "c.csv")
    assert "--weighted measures decisions only" in refused.err
    assert "nan" not in postil("evaluate", "m.postil", "judged.jsonl", "--weighted", "--full").out
    assert postil("report", "m.postil", "judged.jsonl", "-o", "r.html").code == 0


def test_all_others_are_negative_where_a_star_says_so(postil, tmp_path):
    lines = [
        {"text": "road", "labels": ["a"], "not_labels": "*"},
        {"text": "snow", "labels": ["b"], "not_labels": ["*"]},
        {"text": "rain", "labels": [], "not_labels": ["a"]},
    ]
    (tmp_path / "star.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [document.not_labels for document in open_corpus(tmp_path / "star.jsonl")]
    assert found == [None, None, ("a",)]


def test_weights_that_come_late_are_read(postil, tmp_path):
    lines = [{"text": "road", "labels": ["a"]}] * 1500
    late = {"text": "snow", "labels": ["b"], "sample_weight": 2, "group": "g", "mine": "c"}
    content = "".join(json.dumps(line) + "\n" for line in [*lines, late])
    (tmp_path / "late.jsonl").write_text(content)
    *_, last = open_corpus(tmp_path / "late.jsonl")
    assert (last.weight, last.group) == (2.0, "g")
    *_, named = open_corpus(tmp_path / "late.jsonl", ReadOptions(label_column="mine"))
    assert named.labels == ("c",)


def test_training_tells_of_categories_without_a_negative(postil, tmp_path):
    lines = [
        {"text": f"{word} {at}", "labels": [label], "not_labels": []}
        for at in range(20)
        for word, label in (("road", "a"), ("snow", "b"))
    ]
    (tmp_path / "only.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = postil("train", "only.jsonl", "-o", "m.postil", "-r", "default")
    assert "2 categories have no document that is known not to be in it" in result.err

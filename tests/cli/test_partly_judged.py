"""Commands on documents with weights, groups and known-negative labels."""

from __future__ import annotations

import json
from dataclasses import replace

from postil.corpus.opening import open_corpus
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
    assert json.loads(told.out)["measured"]["weighted"] is True
    assert "nan" not in postil("evaluate", "m.postil", "judged.jsonl", "--weighted", "--full").out
    assert postil("report", "m.postil", "judged.jsonl", "-o", "r.html").code == 0

"""`postil corpus check`: text, JSON, page and a cleaned corpus."""

from __future__ import annotations

import json

import pytest

from postil.corpus.opening import open_corpus
from postil.corpus.writing import write_corpus


@pytest.fixture
def mails(tmp_path):
    """The demo corpus with a document twice, one nearly so and a wrong label."""
    path = tmp_path / "mails.jsonl"
    write_corpus(open_corpus("demo"), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    again = json.loads(lines[0]) | {"id": "again"}
    near = again | {"id": "near", "body": again["body"].replace(" the ", " this ", 1)}
    path.write_text("\n".join([*lines, json.dumps(again), json.dumps(near), ""]), encoding="utf-8")
    return path


def test_findings_come_in_order_with_what_to_type_next(postil, mails):
    result = postil("corpus", "check", str(mails), "--quick")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == f"{mails}: 354 documents (252 train, 102 test), 12 labels"
    titles = [line[4:] for line in lines if line[:2].strip().isdigit()]
    assert titles == ["Copies", "Near copies", "Documents without a label"]
    assert "not looked for: likely label errors: --quick trains no model" in result.out
    assert result.err.splitlines()[-1] == (
        f"next: postil corpus check {mails} --quick -o check.html shows examples of each"
    )


def test_a_page_json_and_a_cleaned_corpus(postil, mails, tmp_path):
    page, cleaned = tmp_path / "check.html", tmp_path / "clean.jsonl"
    result = postil(
        "corpus", "check", str(mails), "-o", str(page), "--write", str(cleaned), "--json"
    )
    assert result.code == 0
    told = json.loads(result.out)
    assert told["documents"] == 354
    assert "label_errors" in [finding["kind"] for finding in told["findings"]]
    assert "<h2>1. Likely label errors</h2>" in page.read_text(encoding="utf-8")
    assert f"wrote 353 documents to {cleaned}: 1 dropped that repeat another" in result.err
    documents = {document.id: document for document in open_corpus(str(cleaned))}
    assert "again" not in documents
    first = next(iter(open_corpus("demo"))).id
    assert documents["near"].group == documents[first].group == f"copies of {first}"
    suspects = (tmp_path / "clean.suspects.jsonl").read_text(encoding="utf-8").splitlines()
    count = next(each["count"] for each in told["findings"] if each["kind"] == "label_errors")
    assert len(suspects) == count
    suspect = json.loads(suspects[0])
    assert suspect.keys() == {"id", "split", "labels", "suggested", "doubted", "quality"}
    assert set(suspect["doubted"]) <= set(suspect["labels"])
    assert not set(suspect["suggested"]) & set(suspect["labels"])


def test_documents_come_by_a_pipe_and_the_page_goes_to_one(postil, mails):
    result = postil("corpus", "check", "-", "-o", "-", "--quick", stdin=mails.read_bytes())
    assert result.code == 0
    assert result.out.startswith("<!DOCTYPE html>")


def test_bad_documents_are_counted_once(postil, mails):
    mails.write_bytes(mails.read_bytes() + b"oops\noops\n")
    result = postil("corpus", "check", str(mails), "--quick", "--on-error", "skip")
    assert result.code == 0
    assert result.err.count("skipped 2 bad documents") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--write", "-"], "a file of suspects is written beside the corpus"),
        (["--write", "clean.xyz"], "does not say which format"),
        (["--write", "no/such/clean.jsonl"], "no/such does not exist"),
        (["-o", "-", "--json"], "both take standard output"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(postil, options, message):
    result = postil("corpus", "check", "demo", *options)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_the_corpus_itself_is_not_replaced(postil, mails):
    before = mails.read_bytes()
    result = postil("corpus", "check", str(mails), "--write", str(mails), "--quick")
    assert result.code == 2
    assert "the output would replace it" in result.err
    assert mails.read_bytes() == before


def test_split_keeps_near_copies_together(postil, mails, tmp_path):
    target = tmp_path / "split.jsonl"
    for seed in range(4):
        assert postil("corpus", "split", str(mails), str(target), "--seed", str(seed)).code == 0
        documents = {document.id: document for document in open_corpus(str(target))}
        first = next(iter(documents.values()))
        assert first.split == documents["again"].split == documents["near"].split

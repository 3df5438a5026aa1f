"""A program labels documents: its answers, its failures, and the labels a model is sure of."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.helpers import small_model

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import InputError, UsageError
from postil.train.programs import Labeller

PROGRAM = """
import json, os, sys, time
out = open("asked.txt", "a")
for line in sys.stdin:
    document = json.loads(line)
    text = document["text"]
    out.write(document["id"] + "\\n")
    out.flush()
    labels = {"road": ["transport"], "snow": {"weather": 0.8, "transport": 0.3}, "no": []}
    answer = {"id": document["id"], "labels": labels.get(text.split()[0], [])}
    if "crash" in text:
        print("first line", "the reason", sep="\\n", file=sys.stderr)
        sys.exit(3)
    if "once" in text and not os.path.exists("was-here"):
        open("was-here", "w").close()
        os._exit(1)
    if "hang" in text:
        time.sleep(60)
    if "rubbish" in text:
        print("Thinking...")
    if "declined" in text:
        answer = {"id": document["id"], "error": "too long"}
    if "invalid" in text:
        answer["labels"] = {"weather": 7}
    if "negative" in text:
        answer["not_labels"] = ["weather"]
    if "slow" in text:
        time.sleep(0.1)
    print(json.dumps(answer))
"""
WITH = f"{sys.executable} program.py"


def pool(*texts, labels=None):
    """Write a pool of documents and the program that labels it."""
    Path("program.py").write_text(PROGRAM)
    records = [
        {"id": f"d{n}", "text": text, "labels": (labels or {}).get(n, [])}
        for n, text in enumerate(texts, 1)
    ]
    Path("pool.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def written(name="out.jsonl"):
    return {record["id"]: record for record in map(json.loads, Path(name).read_text().splitlines())}


def asked():
    return Path("asked.txt").read_text().split() if Path("asked.txt").exists() else []


def label(postil, *options, jobs=2, timeout=20):
    arguments = ["--with", WITH, "-o", "out.jsonl", "--jobs", str(jobs), "--timeout", str(timeout)]
    return postil("label", "pool.jsonl", *arguments, *options)


def test_answers_are_written_in_order_with_their_source_and_kept(postil):
    pool(*[f"{word} {n}" for n in range(20) for word in ("road", "snow", "negative")])
    result = label(postil)
    assert result.code == 0, result.err
    assert f"wrote 60 documents to out.jsonl: 60 by {WITH}" in result.err
    found = written()
    assert list(found) == [f"d{n}" for n in range(1, 61)]
    assert found["d1"]["labels"] == ["transport"]
    assert found["d2"]["labels"] == {"weather": 0.8, "transport": 0.3}
    assert found["d3"]["not_labels"] == ["weather"]
    assert {record["labelled_by"] for record in found.values()} == {WITH}
    documents = list(open_corpus("out.jsonl"))
    assert documents[1].labels == ("weather",)
    assert set(documents[1].fields) == {"text"}

    before = Path("out.jsonl").read_bytes()
    count = len(asked())
    again = label(postil)
    assert "(60 of them in an earlier run)" in again.err
    assert (Path("out.jsonl").read_bytes(), len(asked())) == (before, count)
    Path("program.py").write_text(PROGRAM.replace('["transport"]', '["traffic"]'))
    assert label(postil).code == 0
    assert written()["d1"]["labels"] == ["traffic"], "an edited program is asked again"


def test_a_failure_is_tried_again_and_then_reported_and_nothing_else_is_lost(postil):
    pool("road", "crash", "snow once", "hang", "rubbish", "declined", "invalid", *["road"] * 9)
    result = label(postil, timeout=3)
    assert result.code == 0, result.err
    found = written()
    assert len(found) == 16
    reasons = {
        name: record["unlabelled"] for name, record in found.items() if "unlabelled" in record
    }
    assert reasons["d2"] == "ended with the exit code 3: first line | the reason"
    assert reasons["d4"].startswith("no answer in 3 seconds")
    assert reasons["d5"].startswith("printed 'Thinking...', which is not an answer")
    assert reasons["d6"] == "too long"
    assert "must be a number from 0 to 1" in reasons["d7"]
    assert len(reasons) == 5
    assert found["d3"]["labels"] == {"weather": 0.8, "transport": 0.3}
    assert "5 unlabelled" in result.err
    assert "no answer to 5 documents; the first:" in result.err
    unlabelled = next(d for d in open_corpus("out.jsonl") if d.id == "d2")
    assert (unlabelled.labels, unlabelled.not_labels) == ((), ()), "nothing is known of it"


def test_a_program_that_never_answers_is_given_up_soon(postil):
    pool(*["crash"] * 30)
    result = label(postil)
    assert result.code == 1
    assert "labelled none of the first 5 documents" in result.err
    assert "exit code 3" in result.err
    assert len(asked()) < 40
    assert not Path("out.jsonl").exists()


def test_an_error_waits_for_processes_that_are_starting(monkeypatch):
    start = asyncio.create_subprocess_exec
    calls, interrupted, processes = [], [], []

    async def starting(*command, **options):
        calls.append(command)
        if len(calls) == 1:
            await asyncio.sleep(0)
            raise PermissionError(13, "denied")
        try:
            await asyncio.sleep(0.05)
            processes.append(await start(*command, **options))
        except asyncio.CancelledError:
            interrupted.append(command)
            raise
        return processes[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", starting)
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    with pytest.raises(UsageError, match=r"cannot be run \(denied\)"):
        Labeller(command, jobs=3).label(
            [Document(str(n), {"text": "x"}) for n in range(9)], pytest.fail, pytest.fail
        )
    assert not interrupted, "asyncio waits for ever for a process whose start is cancelled"
    assert [process.returncode for process in processes] == [-signal.SIGKILL] * 2


@pytest.mark.skipif(os.name == "nt", reason="false")
def test_several_errors_at_once_are_one(caplog):
    def failed(failure):
        raise InputError(failure.reason)

    documents = [Document(str(n), {"text": "x"}) for n in range(9)]
    for _ in range(80):
        with pytest.raises(InputError, match="ended with the exit code 1"):
            Labeller(("false",)).label(documents, pytest.fail, failed)
    assert not caplog.records, "asyncio tells of errors that nobody took"


def test_a_pool_with_documents_that_have_no_answer_can_grow(postil):
    texts = [f"{word} {n}" for n in range(22) for word in ("road", "invalid")]
    pool(*texts, "declined")
    first = label(postil)
    assert first.code == 0, first.err
    assert "22 by" in first.err
    assert "23 unlabelled" in first.err
    Path("asked.txt").unlink()
    pool(*texts, "declined", *["snow"] * 2, *[f"crash {n}" for n in range(3)], "snow 2")
    again = label(postil, jobs=1)
    assert again.code == 0, again.err
    assert "25 by" in again.err
    assert "(22 of them in an earlier run)" in again.err
    assert "26 unlabelled" in again.err
    assert "d45" not in asked(), "an error is an answer"
    assert written()["d45"]["unlabelled"] == "too long"
    assert asked().count("d2") == 2, "any other failure is asked about again"


@pytest.mark.parametrize("text", ["crash", "declined"])
def test_a_run_without_a_label_fails_and_is_not_kept(postil, text):
    pool(f"{text} 1", f"{text} 2")
    result = label(postil)
    assert result.code == 1
    assert "labelled none of the documents; the reason for" in result.err
    assert not Path("out.jsonl").exists()
    Path("pool.jsonl").write_text(Path("pool.jsonl").read_text() + '{"id": "d3", "text": "snow"}\n')
    Path("asked.txt").unlink()
    assert label(postil).code == 0
    assert set(asked()) == {"d1", "d2", "d3"}


def test_copies_are_not_said_to_be_of_an_earlier_run(postil):
    pool("road", *["snow"] * 3)
    result = label(postil, jobs=1)
    assert "4 by" in result.err
    assert "earlier" not in result.err


def test_only_json_lines_are_written(postil):
    pool("road")
    result = label(postil, "-o", "out.csv")
    assert result.code == 2
    assert "out.csv: labels are written as JSON Lines" in result.err
    assert not Path("out.csv.answers").exists()


def test_documents_with_labels_are_not_asked_unless_all_are(postil):
    pool("road", "road", "crash", labels={1: ["mine"], 3: ["own"]})
    assert "2 had labels" in label(postil).err
    assert asked() == ["d2"]
    assert written()["d1"]["labels"] == ["mine"]
    assert "labelled_by" not in written()["d1"]
    assert label(postil, "--all").code == 0
    assert written()["d1"]["labels"] == ["transport"]
    assert written()["d3"]["labels"] == ["own"], "without an answer it keeps its labels"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_after_ctrl_c_only_the_rest_is_asked(postil):
    pool(*[f"road slow {n}" for n in range(12)])
    command = [sys.executable, "-m", "postil", "label", "pool.jsonl", "--with", WITH]
    command += ["-o", "out.jsonl", "--jobs", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    kept = Path("out.jsonl.answers")
    while not (kept.exists() and kept.read_bytes().count(b"\n") >= 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1].decode()
    assert process.returncode == 130
    assert "kept in out.jsonl.answers: run the same command again" in said
    assert not Path("out.jsonl").exists()
    answered = kept.read_bytes().count(b"\n")
    with kept.open("ab") as file:
        file.write(b'{"key": "00')  # what a process that is killed leaves
    Path("asked.txt").unlink()
    result = label(postil)
    assert result.code == 0, result.err
    assert len(asked()) == 12 - answered
    assert len(written()) == 12
    assert not [record for record in written().values() if record["labels"] != ["transport"]]


def test_a_model_labels_what_it_is_sure_of(postil):
    small_model(Path("m.postil"))
    pool("road here", "snow here", "no idea", "road and snow")
    result = label(postil, "--route", "m.postil", "--min-probability", "0.6")
    assert result.code == 0, result.err
    found = written()
    assert found["d1"]["labelled_by"] == found["d2"]["labelled_by"] == "m.postil"
    assert found["d1"]["labels"]["transport"] > 0.6
    assert found["d3"]["labelled_by"] == WITH, "no text without a known term is sure"
    assert "by m.postil, which was sure" in result.err
    assert "d1" not in asked()
    refused = label(postil, "--route", "m.postil")
    assert refused.code == 2
    assert "give --min-probability, or train it with --route" in refused.err


def test_documents_of_one_id_are_told_apart(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    pool("road")
    labels = []
    documents = [Document("same", {"text": text}) for text in ("road", "snow", "no")]
    labeller = Labeller((sys.executable, "program.py"), jobs=1)
    labeller.label(documents, lambda found: labels.append(found.labels), pytest.fail)
    assert labels == [("transport",), ("weather",), ()]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the command is empty"),
        ("no-such-program-here x", "there is no such program"),
        ("sh -c 'open", "close the quotes"),
    ],
)
def test_a_bad_command_is_refused(postil, command, message):
    pool("road")
    result = postil("label", "pool.jsonl", "--with", command, "-o", "out.jsonl")
    assert result.code == 2
    assert message in result.err
    assert not Path("out.jsonl.answers").exists()

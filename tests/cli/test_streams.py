"""Streams that are read once, bad first lines, and notes on categories."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from postil.cli.files import Spool
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus


def demo_bytes(postil):
    assert postil("corpus", "convert", "demo", "demo.jsonl").code == 0
    return Path("demo.jsonl").read_bytes()


class TestOnce:
    def test_training_from_a_stream_measures_its_test_documents(self, postil):
        stream = demo_bytes(postil)
        options = ("--json", "--budget", "none")
        piped = postil("train", "-", "-o", "piped.postil", *options, stdin=stream)
        assert piped.code == 0
        filed = json.loads(postil("train", "demo.jsonl", "-o", "filed.postil", *options).out)
        told = json.loads(piped.out)
        assert told["evaluation"]["measured"]["documents"] == 100
        assert told["evaluation"]["micro"] == filed["evaluation"]["micro"]
        assert "read a second time" not in piped.err

    def test_without_a_test_nothing_is_set_aside(self, postil, monkeypatch):
        stream = demo_bytes(postil)
        monkeypatch.setattr(Spool, "add", None)
        options = ("--no-test", "--budget", "none")
        result = postil("train", "-", "-o", "p.postil", *options, stdin=stream)
        assert result.code == 0

    @pytest.mark.skipif(os.name == "nt", reason="named pipes")
    def test_a_named_pipe_too(self, postil, tmp_path):
        stream = demo_bytes(postil)
        os.mkfifo(tmp_path / "pipe.jsonl")
        writer = threading.Thread(target=(tmp_path / "pipe.jsonl").write_bytes, args=(stream,))
        writer.start()
        result = postil("train", "pipe.jsonl", "-o", "p.postil", "--json")
        writer.join()
        assert json.loads(result.out)["evaluation"]["measured"]["documents"] == 100
        refused = postil("compare", "pipe.jsonl", "default", "mod-svm")
        assert refused.code == 2
        assert "a stream can be read only once; save it to a file" in refused.err

    def test_recipes_cannot_be_compared_on_a_stream(self, postil, monkeypatch):
        monkeypatch.setattr("postil.train.train.train", None)
        result = postil("compare", "-", "default", "mod-svm", stdin=b"{}")
        assert result.code == 2
        assert "postil compare reads documents several times" in result.err

    def test_a_stream_is_split_as_its_file_is(self, postil):
        stream = demo_bytes(postil)
        assert postil("corpus", "split", "demo.jsonl", "filed.jsonl").code == 0
        piped = postil("corpus", "split", "-", "piped.jsonl", stdin=stream)
        assert piped.code == 0
        assert Path("piped.jsonl").read_bytes() == Path("filed.jsonl").read_bytes()
        assert "<stdin> had a split (100 marked test), which is replaced" in piped.err
        assert postil("corpus", "split", "-", "folds/", "--folds", "3", stdin=stream).code == 0
        assert len(list(Path("folds").glob("*/test.jsonl"))) == 3

    def test_what_a_stream_holds_that_is_bad_is_told_once(self, postil):
        stream = demo_bytes(postil) + b"no object\n"
        result = postil("corpus", "split", "-", "s.jsonl", "--on-error", "skip", stdin=stream)
        assert result.code == 0
        assert result.err.count("skipped") == 1
        assert "wrote 352 documents" in result.err

    def test_folds_have_no_share(self, postil):
        result = postil("corpus", "split", "demo", "f/", "--folds", "3", "--test", "0.4")
        assert result.code == 2
        assert "give one of them" in result.err

    def test_no_model_goes_where_the_report_goes(self, postil, monkeypatch):
        monkeypatch.setattr("postil.train.train.train", None)
        result = postil("train", "demo", "-o", "-")
        assert result.code == 2
        assert result.out == ""
        assert "name a file" in result.err

    def test_what_was_set_aside_comes_back_as_it_was(self):
        documents = [
            Document("1", {"title": "é\ud800\n", "body": ""}, ("a", "b"), "test"),
            Document("2", {}, (), "test"),
        ]
        with Spool() as spool:
            for document in documents:
                spool.add(document)
            assert list(spool) == documents
            assert list(spool) == documents
            spool.clear()
            assert list(spool) == []

    def test_beyond_memory_too(self, monkeypatch):
        monkeypatch.setattr("postil.cli.files.IN_MEMORY", 10)
        documents = list(open_corpus("demo"))[:50]
        with Spool() as spool:
            for document in documents:
                spool.add(document)
            assert list(spool) == documents


GOOD = b'{"text": "a b", "labels": ["x"]}\n{"text": "c d", "labels": ["y"]}\n'


class TestBadHead:
    @pytest.mark.parametrize("bad", [b"garbage\n", b'{"text": \n', b"[1]\n", b"\xff{}\n"])
    @pytest.mark.parametrize("name", ["c.jsonl", "c.txt", "-"])
    def test_a_bad_first_line_is_skipped_and_counted(self, postil, tmp_path, bad, name):
        if name != "-":
            (tmp_path / name).write_bytes(bad + GOOD)
        result = postil(
            "corpus", "convert", name, "out.jsonl", "--on-error", "skip", stdin=bad + GOOD
        )
        assert result.code == 0
        assert "as jsonl: text from text; labels from labels" in result.err
        assert "skipped 1 bad document" in result.err
        assert "wrote 2 documents" in result.err

    def test_nothing_but_bad_lines(self, postil, tmp_path):
        (tmp_path / "c.jsonl").write_bytes(b"garbage\nmore\n")
        result = postil("corpus", "info", "c.jsonl", "--on-error", "skip")
        assert result.code == 1
        assert "skipped 2 bad documents" in result.err
        assert "all 2 documents were bad and skipped" in result.err
        strict = postil("corpus", "info", "c.jsonl")
        assert "c.jsonl, line 1: the line is not valid JSON" in strict.err

    def test_texts_are_not_taken_for_objects(self, postil, tmp_path):
        (tmp_path / "c.txt").write_bytes(b"plain\ntext\n" + GOOD)
        result = postil("corpus", "convert", "c.txt", "out.jsonl", "--on-error", "skip")
        assert "as document: the whole file is one text" in result.err


def test_a_note_names_its_category(postil, tmp_path):
    rows = [{"text": f"word{i % 2} here", "labels": ["every", f"c{i % 2}"]} for i in range(20)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = postil("train", "c.jsonl", "-o", "c.postil")
    assert "  every: the category has nothing but members: always chosen" in result.err


def test_unfinished_fits_are_one_line(postil, tmp_path):
    (tmp_path / "hasty.toml").write_text(
        'name = "hasty"\n[learn.options]\niterations = 1\ntolerance = 1e-9\n'
        '[decide]\nrule = "f1"\ncalibration = "platt"\n'
    )
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = postil("train", "demo", "-o", "h.postil", "-r", "hasty.toml", "--no-test")
    lines = [line for line in result.err.splitlines() if line.startswith("warning")]
    assert len(lines) == 1
    assert "12 of 12 fits on all documents and 60 of 60 fits out of fold ran out" in lines[0]


def test_the_seed_is_of_folds_and_of_the_solver(postil, tmp_path):
    def trained(seed):
        name = f"s{seed}.postil"
        result = postil(
            "train", "demo", "-o", name, "-r", "default", "--no-test", "--seed", str(seed)
        )
        assert result.code == 0
        return (tmp_path / name).read_bytes()

    from postil.model.load import load_model

    trained(0), trained(1)
    first, second = (load_model(tmp_path / f"s{seed}.postil") for seed in (0, 1))
    assert (first.weights != second.weights).nnz
    assert postil("train", "demo", "-o", "x.postil", "--seed", "-1").code == 2


def test_thresholds_are_of_scores():
    from postil.decide import RULES

    assert "0.5" not in RULES["default"].help
    assert "of scores, not of probabilities" in RULES["default"].help


def test_counting_tells_what_is_strange_about_labels(postil, tmp_path):
    (tmp_path / "c.csv").write_text(
        'text,label\none,"billing, bug"\ntwo,billing\nthree,bug\nfour,Bug\n'
    )
    told = postil("corpus", "info", "c.csv")
    assert told.code == 0
    assert "did you mean --label-separator ','?" in told.err
    assert "'Bug' and 'bug'" in told.err
    assert "label-separator" not in postil("corpus", "info", "demo").err

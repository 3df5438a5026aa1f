"""`postil predict`: messages on what the model cannot use, and answers to a stream."""

from __future__ import annotations

import gzip
import json
import queue
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from postil.model.load import load_model
from postil.train.predict import Predictor

from .helpers import small_model


@pytest.fixture
def model(tmp_path):
    return small_model(tmp_path / "m.postil")


def answers(result):
    assert result.code == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


class TestDocuments:
    """Files that are a document each, given one by one or as a pattern."""

    def test_a_file_is_one_document_unless_lines_are_asked_for(self, postil, model, tmp_path):
        (tmp_path / "letter.txt").write_text("road\nsnow\n")
        (line,) = answers(postil("predict", model, "letter.txt"))
        assert (line["id"], "terms" in line) == ("letter.txt", False)
        lines = answers(postil("predict", model, "letter.txt", "--format", "lines"))
        assert [line["id"] for line in lines] == ["line-1", "line-2"]

    def test_several_files(self, postil, model, tmp_path):
        (tmp_path / "a.html").write_text("<p>road")
        (tmp_path / "b.eml").write_text("Subject: snow\n\n")
        for given in (("a.html", "b.eml"), ("[ab].*",)):
            result = postil("predict", model, *given)
            assert [line["id"] for line in answers(result)] == ["a.html", "b.eml"]
            assert "2 files (2 document)" in result.err

    def test_a_file_that_a_pattern_names_is_not_replaced(self, postil, model, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"text": "road"}\n')
        result = postil("predict", model, "*.jsonl", "-o", "a.jsonl")
        assert result.code == 2
        assert "this command reads the file" in result.err

    def test_an_svmlight_file_is_read_alone(self, postil, model):
        result = postil("predict", model, "a.svm", "b.svm")
        assert (result.code, "a.svm: is an svmlight file, which is read" in result.err) == (2, True)


class TestUnknownTerms:
    TEXTS = ("road", "", "🦉🦉", "qwerty", "snow")

    def test_they_are_marked_and_counted(self, postil, model, tmp_path):
        rows = [json.dumps({"id": f"d{i}", "text": text}) for i, text in enumerate(self.TEXTS)]
        (tmp_path / "new.jsonl").write_text("\n".join(rows))
        for size in ("1", "4096"):
            result = postil("predict", model, "new.jsonl", "--chunk", size)
            marked = [line.get("terms") for line in answers(result)]
            assert marked == [None, 0, 0, 0, None]
            assert result.err.splitlines()[-1] == (
                '3 of 5 documents hold no term that the model knows ("terms": 0); the first: d1'
            )

    def test_a_wrong_key_shows(self, postil, model):
        result = postil("predict", model, "-", stdin=b'{"txet": null, "text": null}\n')
        assert answers(result)[0]["terms"] == 0
        assert "1 of 1 document holds no term" in result.err

    def test_known_documents_are_passed_over_in_silence(self, postil, model):
        result = postil("predict", model, "-", stdin=b"road\nsnow\n")
        assert all("terms" not in line for line in answers(result))
        assert "no term" not in result.err

    @pytest.mark.parametrize("fields", [(), ("title", "body")])
    def test_it_is_the_count_of_terms(self, tmp_path, fields):
        predictor = Predictor(load_model(Path(small_model(tmp_path / "f.postil", fields))))
        columns = [list(self.TEXTS)] * max(1, len(fields))
        vectors = predictor.model.vectorizer.transform_columns(columns)
        expected = np.diff(vectors.indptr) == 0
        found = predictor.unknown(columns, predictor.scores(columns))
        assert found.tolist() == expected.tolist() == [False, True, True, True, False]

    def test_a_term_without_weight_is_known(self, tmp_path):
        predictor = Predictor(load_model(Path(small_model(tmp_path / "w.postil"))))
        columns = [["road", "", "snow"]]
        alike = np.tile(predictor.scores([[""]]), (3, 1))
        assert predictor.unknown(columns, alike).tolist() == [False, True, False]


class TestFields:
    def test_fields_that_are_not_read_are_named(self, postil, tmp_path):
        model = small_model(tmp_path / "f.postil", ("title",))
        row = b'{"id": "a", "title": "road", "text": "snow"}\n'
        both = ("--text-columns", "title", "--text-columns", "text")
        for command in ("predict", "explain"):
            result = postil(command, model, "-", stdin=row)
            assert (
                "text from title; no label column, so no labels; ids from id; not used: text\n"
                in (result.err)
            )
            result = postil(command, model, "-", *both, stdin=row)
            assert "the model reads only title; not used: text\n" in result.err
        assert answers(postil("predict", model, "-", stdin=row))[0]["labels"] == ["transport"]

    def test_columns_are_those_that_a_model_learned_from(self, postil, tmp_path):
        words = ("rain", "rain", "goal", "goal")
        rows = [{"lead": f"{word} stops play", "memo": word, "label": word} for word in words]
        (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        postil("train", "t.jsonl", "-o", "m.postil", "--no-test", "--text-columns", "memo")
        assert "text from memo; labels from label" in postil("predict", "m.postil", "t.jsonl").err
        for command in ("evaluate", "report"):
            target = ("-o", "r.html") if command == "report" else ()
            assert "text from memo; " in postil(command, "m.postil", "t.jsonl", *target).err
        # A table that lacks a column of the model is guessed.
        other = b'{"lead": "a"}\n'
        assert "text from lead; " in postil("predict", "m.postil", "-", stdin=other).err

    def test_without_any_text_there_is_no_column_to_name(self, postil, tmp_path):
        model = small_model(tmp_path / "f.postil", ("title",))
        result = postil("predict", model, "-", stdin=b'{"text": null}\n')
        assert result.code == 1
        assert "no document has a text, and the model reads title; give" in result.err

    def test_numbers_are_no_text(self, postil, model):
        result = postil("predict", model, "-", stdin=b'{"text": 5}\n')
        assert result.err == (
            "postil: <stdin>: the column 'text' should hold text, and no value in it is text (the "
            "first is 5); write texts as strings, or name another column (--text-columns COLUMN)\n"
        )


class TestText:
    def test_one_text_is_one_line(self, postil, model):
        result = postil("predict", model, "--text", "a road", "--top", "1")
        (line,) = answers(result)
        assert (line["id"], line["labels"], list(line["top"])) == (
            "text",
            ["transport"],
            ["transport"],
        )
        assert result.err == ""
        assert answers(postil("predict", model, "--text", "-", stdin=b"snow"))[0]["labels"] == [
            "weather"
        ]

    def test_into_a_file(self, postil, model, tmp_path):
        assert postil("predict", model, "--text", "a road", "-o", "one.jsonl").out == ""
        assert json.loads((tmp_path / "one.jsonl").read_text())["labels"] == ["transport"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [((), "name a corpus to categorize"), (("demo", "--text", "road"), "not both")],
    )
    def test_a_text_or_a_corpus(self, postil, model, arguments, message):
        result = postil("predict", model, *arguments)
        assert result.code == 2
        assert message in result.err


class TestHeader:
    @pytest.mark.parametrize(
        "lines", ["subj,queue\nroad,x\n", "a;b\nroad;x\n", "text\nroad\n", "a\tb\nroad\tx\n"]
    )
    def test_a_header_among_lines_is_asked_about(self, postil, model, lines):
        result = postil("predict", model, "-", stdin=lines.encode())
        assert "; if the first line holds names of columns, say --format csv\n" in result.err

    @pytest.mark.parametrize(
        "lines", ["Snow, again.\nroad, shut\n", "a road\nsnow\n", "road\n", "a,b\nroad\n"]
    )
    def test_texts_are_not(self, postil, model, lines):
        for arguments in ((), ("--format", "lines")):
            result = postil("predict", model, "-", *arguments, stdin=lines.encode())
            assert "--format csv" not in result.err

    def test_who_says_lines_means_lines(self, postil, model):
        result = postil("predict", model, "-", "--format", "lines", stdin=b"a,b\nroad,x\n")
        assert "--format csv" not in result.err


def test_skipping_is_not_advised_to_who_skips(postil, model):
    rows = b"text,label\nroad,x\none,two,three\n"
    assert "or skip the row (--on-error skip)" in postil("predict", model, "-", stdin=rows).err
    skipped = postil("predict", model, "-", "--on-error", "skip", stdin=rows)
    assert skipped.code == 0
    assert "skipped 1 bad document" in skipped.err
    assert "--on-error" not in skipped.err
    broken = b'{"text": "road"}\n{broken\n'
    assert "correct it, or skip it (--on-error skip)" in (
        postil("predict", model, "-", stdin=broken).err
    )
    assert "--on-error" not in (
        postil("predict", model, "-", "--on-error", "skip", stdin=broken).err
    )


def test_training_says_that_nothing_was_measured(postil):
    rows = "text,label\n" + "wet road,transport\nfine snow,weather\n" * 5
    Path("v.csv").write_text(rows)
    for more in ((), ("--json",)):
        told = postil("train", "v.csv", "-o", "v.postil", "-r", "svm", *more).err
        assert "no document is marked test and the recipe tunes nothing out of fold" in told
        assert "postil corpus split" in told
    assert "nothing was measured" not in postil("train", "v.csv", "-o", "v.postil", "--no-test").err
    told = postil("train", "demo", "-o", "d.postil", "--budget", "none").err
    assert "nothing was measured" not in told


def test_equal_scores_come_in_the_order_of_categories(postil):
    Path("two.jsonl").write_text('{"text": "rain", "labels": ["a", "b", "c"]}\n{"text": "sun"}\n')
    assert postil("train", "two.jsonl", "-o", "two.postil", "--no-test").code == 0
    (line,) = postil("predict", "two.postil", "--text", "snow", "--top", "3").out.splitlines()
    assert list(json.loads(line)["top"]) == ["a", "b", "c"]


WAIT = 30  # seconds, on a machine with other work to do


class Filter:
    """The command on pipes; lines of its output are waited for, but not for ever."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "postil", "predict", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)

    def send(self, data: str) -> None:
        self._process.stdin.write(data.encode())
        self._process.stdin.flush()

    def answer(self):
        return json.loads(self._lines.get(timeout=WAIT))

    def end(self) -> tuple[int, str]:
        self._process.stdin.close()
        self._reader.join(WAIT)
        told = self._process.stderr.read().decode()
        self._process.stdout.close()
        self._process.stderr.close()
        return self._process.wait(WAIT), told

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        self._reader.join()


@pytest.fixture
def live(tmp_path):
    model = small_model(tmp_path / "m.postil")
    begun = []

    def start(*arguments: str) -> Filter:
        begun.append(Filter(model, "-", *arguments))
        return begun[-1]

    yield start
    for one in begun:
        one.stop()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("--chunk", "1", "--format", "jsonl"), ['{"text": "road"}\n', '{"text": "snow"}\n']),
        ((), ['{"text": "road"}\n', '{"text": "snow"}\n']),
        ((), ["a road\n", "some snow\n"]),
        ((), ["text,label\nroad,x\n", "snow,y\n"]),
    ],
)
def test_each_line_is_answered_when_it_comes(live, arguments, lines):
    process = live(*arguments)
    process.send(lines[0])
    assert process.answer()["labels"] == ["transport"]
    process.send(lines[1])
    assert process.answer()["labels"] == ["weather"]
    code, told = process.end()
    assert code == 0
    assert "Traceback" not in told


def test_a_header_waits_for_a_row(live):
    process = live()
    process.send("text,label\n")
    process.send("roa")
    process.send("d,x\nsnow,")
    assert process.answer() | {"probabilities": {}} == {
        "id": "line-2",
        "labels": ["transport"],
        "probabilities": {},
    }
    process.send("y\n")
    assert process.answer()["id"] == "line-3"
    assert process.end()[0] == 0


def test_a_line_without_its_end_is_the_last(live):
    process = live()
    process.send('{"text": "road"}\n{"text": "sn')
    assert process.answer()["labels"] == ["transport"]
    process.send('ow"}')
    code, told = process.end()
    assert (code, process.answer()["labels"]) == (0, ["weather"])
    assert told.count("\n") == 1


def test_a_file_gives_the_same_lines(postil, tmp_path):
    model = small_model(tmp_path / "m.postil")
    rows = [{"text": f"{'road' if i % 2 else 'snow'} {i}"} for i in range(50)]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, rows)))
    filed = postil("predict", model, "many.jsonl")
    for size in ("1", "7", "4096"):
        piped = postil(
            "predict", model, "-", "--chunk", size, stdin=(tmp_path / "many.jsonl").read_bytes()
        )
        assert (piped.code, piped.out) == (0, filed.out)
    packed = gzip.compress((tmp_path / "many.jsonl").read_bytes())
    assert postil("predict", model, "-", stdin=packed).out == filed.out

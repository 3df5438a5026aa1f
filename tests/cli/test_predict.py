"""`postil predict`: messages on fields and texts that the model cannot use."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from postil.model.load import load_model
from postil.train.predict import Predictor

from .models import small_model


@pytest.fixture
def model(tmp_path):
    return small_model(tmp_path / "m.postil")


def answers(result):
    assert result.code == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


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
        result = postil("predict", model, "-", stdin=row)
        assert answers(result)[0]["labels"] == ["transport"]
        assert "the model reads only title; not used: text\n" in result.err
        assert "the model reads only title; not used: text\n" in (
            postil("explain", model, "-", stdin=row).err
        )

    def test_a_model_that_reads_all_leaves_nothing_out(self, postil, model):
        row = b'{"id": "a", "title": "road", "text": "road"}\n'
        assert "not used" not in postil("predict", model, "-", stdin=row).err

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
        result = postil("predict", model, "--text", "a road", "--scores", "1")
        (line,) = answers(result)
        assert (line["id"], line["labels"], list(line["scores"])) == (
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

    @pytest.mark.parametrize("arguments", [(), ("demo", "--text", "road")])
    def test_a_text_or_a_corpus(self, postil, model, arguments):
        result = postil("predict", model, *arguments)
        assert result.code == 2
        assert "but not both" in result.err


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
        told = postil("train", "v.csv", "-o", "v.postil", *more).err
        assert "no document is marked test, so nothing was measured; " in told
        assert "postil corpus split" in told
    assert "nothing was measured" not in postil("train", "v.csv", "-o", "v.postil", "--no-test").err
    assert "nothing was measured" not in postil("train", "demo", "-o", "d.postil").err


def test_equal_scores_come_in_the_order_of_categories(postil):
    Path("two.jsonl").write_text('{"text": "rain", "labels": ["a", "b", "c"]}\n{"text": "sun"}\n')
    assert postil("train", "two.jsonl", "-o", "two.postil", "--no-test").code == 0
    (line,) = postil("predict", "two.postil", "--text", "snow", "--scores", "3").out.splitlines()
    assert list(json.loads(line)["scores"]) == ["a", "b", "c"]

"""Errors of daily work come before the work, in one line, with a way out."""

from __future__ import annotations

import errno
import json
import os

import pytest

from postil.corpus.corpus import Corpus
from postil.corpus.opening import open_corpus


def write_rows(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path.name


def rows(count=20, **more):
    return [
        {"id": str(i), "text": f"word{i % 2} here", "labels": [f"c{i % 2}"], **more}
        for i in range(count)
    ]


@pytest.fixture
def model(postil, tmp_path):
    corpus = write_rows(tmp_path / "c.jsonl", rows())
    assert postil("train", corpus, "-o", "c.postil").code == 0
    return "c.postil"


def last_line(result):
    assert "Traceback" not in result.err
    return result.err.splitlines()[-1]


class TestArguments:
    def test_a_model_in_place_of_the_corpus(self, postil, model):
        result = postil("compare", model, "c.jsonl", "default")
        assert (result.code, last_line(result)) == (
            2,
            "postil: c.postil is a model: name the corpus first, then models and recipes",
        )

    def test_several_columns_in_one_option(self, postil, tmp_path):
        write_rows(tmp_path / "c.jsonl", rows())
        result = postil("corpus", "info", "c.jsonl", "--text-columns", "id,text")
        assert last_line(result).endswith("; give each column an option of its own")


class TestRecipes:
    def test_a_wrong_value_ends_in_a_line(self, postil, tmp_path):
        (tmp_path / "bad.toml").write_text('name = "bad"\n[learn]\nC = "x"')
        result = postil("train", "demo", "-o", "x.postil", "-r", "bad.toml")
        assert result.code == 2
        assert result.err == (
            "postil: recipe bad.toml: [learn] C: expected a finite number above 0, "
            'got "x"; write C = 1.0\n'
        )

    def test_a_path_to_nowhere_is_no_such_file(self, postil):
        result = postil("train", "demo", "-o", "x.postil", "-r", "nosuch.toml")
        assert (result.code, result.err) == (
            2,
            "postil: recipe nosuch.toml: the file does not exist\n",
        )

    def test_bounds_that_leave_no_term_are_the_recipes(self, postil, tmp_path):
        write_rows(tmp_path / "c.jsonl", rows(5))
        (tmp_path / "bad.toml").write_text('name = "bad"\n[representation]\nmin_df = 50')
        result = postil("train", "c.jsonl", "-o", "x.postil", "-r", "bad.toml")
        assert last_line(result).startswith("postil: recipe bad: [representation]: min_df=50")

    def test_all_recipes_are_read_before_any_is_run(self, postil):
        result = postil("compare", "demo", "default", "nosuch.toml")
        assert result.err == "postil: recipe nosuch.toml: the file does not exist\n"


class TestOutput:
    @pytest.fixture(autouse=True)
    def lazy(self, monkeypatch):
        """No document may be read: all is known before."""

        def refuse(*_):
            raise AssertionError("work was begun")

        monkeypatch.setattr("postil.train.train.train", refuse)

    @pytest.mark.parametrize(
        ("target", "told"),
        [
            ("no/such/x.postil", "the folder {folder}/no/such does not exist; make it first"),
            (".", "is a folder; name a file in it"),
            ("x.postil.gz", "cannot be compressed"),
        ],
    )
    def test_what_cannot_be_written_is_refused_before_learning(
        self, postil, tmp_path, target, told
    ):
        result = postil("train", "demo", "-o", target)
        assert result.code == 2
        assert result.err.startswith(f"postil: {target}: ")
        assert told.format(folder=tmp_path) in result.err

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written(self, postil, tmp_path):
        (tmp_path / "locked").mkdir(mode=0o500)
        result = postil("train", "demo", "-o", "locked/x.postil")
        assert "locked/x.postil: cannot be written (Permission denied)" in result.err

    def test_a_folder_that_cannot_be_written(self, postil, monkeypatch):
        def refuse(**_):
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr("tempfile.TemporaryFile", refuse)
        for command in (("train", "-o", "x.postil"), ("vectorize", "-o", "x.npz")):
            result = postil(command[0], "demo", *command[1:])
            assert result.code == 2
            assert f"{command[2]}: cannot be written (Permission denied)" in result.err


class TestEvaluate:
    def test_documents_it_learned_from_are_no_test(self, postil, model):
        result = postil("evaluate", model, "c.jsonl", "--json")
        assert json.loads(result.out)["learned_from"] is True
        assert "warning: these are the documents that c.postil learned from" in result.err
        assert "--split-column" in result.err
        shown = postil("evaluate", model, "c.jsonl").out
        assert "the 20 documents it learned from" in shown
        assert "test documents" not in shown

    def test_the_training_part_of_a_corpus_is_no_test_either(self, postil):
        assert postil("train", "demo", "-o", "d.postil", "-r", "default", "--no-test").code == 0
        told = json.loads(postil("evaluate", "d.postil", "demo", "--split", "train", "--json").out)
        assert told["learned_from"] is True
        result = postil("evaluate", "d.postil", "demo", "--json")
        assert json.loads(result.out)["learned_from"] is False
        assert "warning" not in result.err

    def test_others_are_not_called_learned_from(self, postil, model, tmp_path):
        write_rows(tmp_path / "others.jsonl", rows(19))
        result = postil("evaluate", model, "others.jsonl", "--json")
        told = json.loads(result.out)
        assert told["learned_from"] is False
        assert told["measured"]["split"] == "19 documents, learned from 20"
        assert "warning" not in result.err

    def test_without_labels_there_is_nothing_to_measure(self, postil, model, tmp_path):
        write_rows(tmp_path / "bare.jsonl", rows(labels=[]))
        result = postil("evaluate", model, "bare.jsonl")
        assert (result.code, result.out) == (1, "")
        assert "none of the 20 documents has a label" in last_line(result)
        assert "--label-column" in last_line(result)

    def test_without_a_category_in_common(self, postil, model, tmp_path):
        write_rows(tmp_path / "others.jsonl", rows(labels=["else"]))
        result = postil("evaluate", model, "others.jsonl", "--categories", "shared")
        assert result.code == 1
        assert "it has else, the model has c0, c1" in last_line(result)

    def test_without_a_document_to_test_with(self, postil, model):
        result = postil("evaluate", model, "c.jsonl", "--split", "test")
        assert result.code == 1
        assert "--split-column" in last_line(result)
        assert "postil corpus split" in last_line(result)


def test_a_disk_that_fills_up_is_told_with_the_file(postil, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("postil.model.save.save_model", full)
    result = postil("train", "demo", "-o", "x.postil", "--budget", "none")
    assert result.code == 1
    assert last_line(result) == "postil: x.postil: No space left on device"


def test_a_disk_that_cannot_be_read_is_told_with_the_corpus(postil, model, monkeypatch):
    def broken(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("postil.corpus.opening.open_corpus", lambda *_: Corpus("demo", broken))
    assert last_line(postil("predict", model, "demo")) == "postil: demo: Input/output error"


def test_compare_without_test_documents_learns_nothing(postil, tmp_path, monkeypatch):
    write_rows(tmp_path / "c.jsonl", rows())
    monkeypatch.setattr("postil.train.run.TrainingRun.learn", None)
    result = postil("compare", "c.jsonl", "default", "logistic-dual")
    assert result.code == 1
    assert "no document marked test" in last_line(result)
    assert "--split-column" in last_line(result)
    assert "postil corpus split" in last_line(result)


@pytest.mark.parametrize(
    "command",
    [
        ("train", "bad.csv", "-o", "x.postil"),
        ("evaluate", "c.postil", "bad.csv"),
        ("predict", "c.postil", "bad.csv"),
        ("compare", "bad.csv", "default", "logistic"),
        ("vectorize", "bad.csv", "-o", "x.npz"),
        ("explain", "c.postil", "bad.csv"),
        ("corpus", "info", "bad.csv"),
        ("corpus", "convert", "bad.csv", "x.jsonl"),
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_a_corpus_of_which_nothing_is_left(postil, model, tmp_path, command, count):
    (tmp_path / "bad.csv").write_text("id,text,labels\n" + "1,short\n" * count)
    result = postil(*command, "--on-error", "skip")
    assert result.code == 1
    assert f"skipped {count} bad document{'s' if count > 1 else ''}; the first:" in result.err
    told = "all 2 documents were" if count == 2 else "its only document was"
    assert last_line(result).startswith(f"postil: bad.csv: {told} bad and skipped")


def test_what_was_skipped_is_told_of_failures_too(postil, model, tmp_path):
    (tmp_path / "bad.csv").write_text("id,text,labels\n1,short\n2,good,\n")
    result = postil("evaluate", model, "bad.csv", "--on-error", "skip")
    assert "skipped 1 bad document; the first:" in result.err
    assert "the only document has no label" in last_line(result)


def test_nothing_to_learn_from(postil, tmp_path):
    write_rows(tmp_path / "c.jsonl", rows(split="test"))
    result = postil("train", "c.jsonl", "-o", "x.postil")
    assert result.code == 1
    assert "c.jsonl has no training document (documents marked test are left out)" in result.err
    write_rows(tmp_path / "c.jsonl", rows(1))
    result = postil("train", "c.jsonl", "-o", "x.postil")
    assert "there is only one document: give 2 or more" in last_line(result)
    result = postil("train", "c.jsonl", "-o", "x.postil", "--search")
    assert "the search looks for λ on held-out documents" in last_line(result)


def test_a_corpus_of_one_label_is_as_sure_as_its_decision(postil, tmp_path):
    write_rows(tmp_path / "one.jsonl", rows(6, labels=["only"]))
    result = postil("train", "one.jsonl", "-o", "one.postil")
    assert "learned 1 category from 6 documents" in result.err
    for line in postil("predict", "one.postil", "one.jsonl").out.splitlines():
        assert json.loads(line)["probabilities"] == {"only": 1.0}
    assert "probability 1)" in postil("explain", "one.postil", "--text", "word1").out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("!!!", "the text holds no word that could be a term: the intercept alone decides"),
        ("zzqx", "the model knows no word of the text: the intercept alone decides"),
    ],
)
def test_a_text_of_which_nothing_is_known(postil, model, text, told):
    assert told in postil("explain", model, "--text", text).out
    one = json.loads(postil("explain", model, "--text", text, "--json").out)["documents"][0]
    assert all(told in each["note"] for each in one["explanations"])
    assert "decides" not in postil("explain", model, "--text", "word1").out


def test_warnings_are_lines_without_the_places_of_our_code(postil, tmp_path, monkeypatch):
    import warnings

    def warn(*_, **__):
        warnings.warn("it is late", UserWarning, stacklevel=1)
        raise SystemExit(0)

    monkeypatch.setattr("postil.recipes.recipe.recipe_names", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert postil("recipes").err == "warning: it is late\n"


def test_the_tokens_of_many_texts_are_a_line_each(postil):
    result = postil("analyze", "--json", stdin=b"One text\nAnother\n")
    lines = [json.loads(line)["tokens"] for line in result.out.splitlines()]
    assert lines == [["one", "text"], ["another"]]


def test_the_demo_has_what_the_tests_above_rest_on():
    splits = [document.split for document in open_corpus("demo")]
    assert splits.count("test") == 100
    assert splits.count("train") == 252

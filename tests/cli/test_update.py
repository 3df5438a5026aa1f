"""`postil update`: new documents on top of a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from postil.corpus.opening import open_corpus
from postil.model import container, load_model, model_to_bytes
from postil.recipes.recipe import Recipe
from postil.train.train import train
from postil.train.update_run import UpdateRun

RECIPE = """
name = "online"
[representation]
weights = "binary"
fields = ["title", "body"]
[learn]
loss = "perceptron"
solver = "mistake-driven"
options = {{ rate = 0.1, iterations = 5 }}
{more}
"""
NEW = """title,body,label
snow closes the road,the road to the airport,weather
vaccines arrive,at the clinic in boxes,health;vaccines
vaccines for schools,this week,vaccines
"""


@cache
def trained() -> bytes:
    recipe = Recipe.from_dict(tomllib.loads(RECIPE.format(more="")))
    return model_to_bytes(train(open_corpus("demo"), recipe, corpus="demo"))


@pytest.fixture
def model(tmp_path):
    """A model of the demo corpus that can be updated, and new documents beside it."""
    (tmp_path / "online.toml").write_text(RECIPE.format(more=""))
    (tmp_path / "new.csv").write_text(NEW)
    (tmp_path / "m.postil").write_bytes(trained())
    return tmp_path / "m.postil"


def test_the_file_is_replaced_and_what_was_learned_is_told(postil, model):
    before = load_model(model)
    done = postil("update", "m.postil", "new.csv")
    assert (done.code, done.out) == (0, "")
    assert "learned 3 documents on top of 252" in done.err
    assert "2 new terms, 1 new category (vaccines)" in done.err
    assert "wrote m.postil" in done.err
    after = load_model(model)
    assert after.names == (*before.names, "vaccines")
    assert after.training.documents == 255
    assert not list(model.parent.glob("*.part"))
    answer = postil("predict", "m.postil", "new.csv")
    assert [json.loads(line)["labels"] for line in answer.out.splitlines()][2] == ["vaccines"]


def test_the_old_one_stays_where_another_name_is_given(postil, model):
    before = model.read_bytes()
    assert postil("update", "m.postil", "new.csv", "-o", "newer.postil").code == 0
    assert model.read_bytes() == before
    assert postil("update", "m.postil", "new.csv").code == 0
    assert model.read_bytes() == Path("newer.postil").read_bytes()


def test_a_stream_is_as_good_as_a_file(postil, model):
    line = json.dumps({"title": "ice", "body": "on the lake", "labels": ["weather"]}).encode()
    done = postil("update", "m.postil", "-", "-o", "n.postil", "--format", "jsonl", stdin=line)
    assert done.code == 0, done.err
    assert load_model("n.postil").training.documents == 253


def test_for_a_program(postil, model):
    done = postil("update", "m.postil", "new.csv", "--passes", "2", "--json")
    told = json.loads(done.out)
    assert told["documents"] == 3
    assert told["documents_in_all"] == 255
    assert told["passes"] == 2
    assert told["new_categories"] == ["vaccines"]
    assert told["terms"] == load_model(model).vectorizer.terms
    assert len(told["reports"]) == told["categories"] == 13


def test_inspect_shows_the_updates(postil, model):
    assert "Updates" not in postil("inspect", "m.postil").out
    postil("update", "m.postil", "new.csv", "--passes", "1")
    postil("update", "m.postil", "new.csv")
    shown = postil("inspect", "m.postil").out
    assert "trained on 252 documents of demo, updated by 6\n" in shown
    assert "1. 3 documents of new.csv, 1 pass at most; 2 new terms, 1 new category: vacc" in shown
    assert "2. 3 documents of new.csv, 5 passes at most; 0 new terms, 0 new categories" in shown
    told = json.loads(postil("inspect", "m.postil", "--json").out)
    assert [each["documents"] for each in told["method"]["updates"]] == [3, 3]


def test_a_tuned_model_says_what_new_categories_lack(postil, model, tmp_path):
    decide = '[decide]\nrule = "f1"\ncalibration = "platt"\nfolds = 2\n'
    (tmp_path / "tuned.toml").write_text(RECIPE.format(more=decide))
    postil("train", "demo", "-o", "t.postil", "-r", "tuned.toml", "--no-test")
    done = postil("update", "t.postil", "new.csv")
    assert "1 new category has a threshold of 0" in done.err
    shown = postil("inspect", "t.postil", "--category", "vaccines").out
    assert "0.0000 (untuned)" in shown
    explained = postil("explain", "t.postil", "new.csv", "--category", "vaccines")
    assert "came with an update" in explained.out
    line = json.loads(postil("predict", "t.postil", "new.csv").out.splitlines()[2])
    assert line["probabilities"]["vaccines"] == round(2 / 255, 6)


def test_other_recipes_are_refused_before_anything_is_read(postil, model):
    postil("train", "demo", "-o", "d.postil", "--no-test", "-r", "default")
    before = Path("d.postil").read_bytes()
    done = postil("update", "d.postil", "absent.csv")
    assert done.code == 2
    assert "d.postil: a model of the recipe default cannot be updated" in done.err
    assert Path("d.postil").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        ("title,body,label\nwool,rises,\n", 1, "none of the training documents (1) has a label"),
        ("title,body,label\n", 1, "there are no documents"),
        ("text,label\nwool,sheep\n", 1, "no document has the field title, body"),
        ("title,body,label\nwool,\x00rises,a\n", 1, "holds a NUL byte"),
        ("title,body,label,split\nwool,rises,a,test\n", 1, "has no training document"),
        ("title,body,label\n,,a\n", 1, "all new documents are in the new category a"),
        ("title,body,label\n,,a\nwool,rises,\n", 0, "learned 2 documents"),
    ],
)
def test_bad_documents_leave_the_file_as_it_was(postil, model, content, code, told):
    before = model.read_bytes()
    Path("bad.csv").write_text(content)
    done = postil("update", "m.postil", "bad.csv", "-o", "out.postil")
    assert done.code == code, done.err
    assert told in done.err
    assert model.read_bytes() == before
    assert Path("out.postil").exists() == (code == 0)


def test_ctrl_c_leaves_the_file_as_it_was(postil, model, monkeypatch):
    before = model.read_bytes()

    def interrupted(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("postil.train.update_run.UpdateRun._learn", interrupted)
    done = postil("update", "m.postil", "new.csv")
    assert done.code == 130
    assert "nothing was left half-written" in done.err
    assert model.read_bytes() == before
    assert not list(model.parent.glob(".*part"))


def test_a_file_that_is_written_into_meanwhile_is_not_learned_on_top_of(postil, model, monkeypatch):
    os.utime(model, (1000, 1000))
    learn = UpdateRun._learn

    def overwritten(self):
        content = bytearray(trained())
        content[-1] ^= 1
        model.write_bytes(content)
        return learn(self)

    monkeypatch.setattr(UpdateRun, "_learn", overwritten)
    done = postil("update", "m.postil", "new.csv", "-o", "newer.postil")
    assert done.code == 1
    assert "m.postil: was written into after the model was loaded" in done.err
    assert not Path("newer.postil").exists()


def test_documents_are_never_overwritten(postil, model):
    done = postil("update", "m.postil", "new.csv", "-o", "new.csv")
    assert done.code == 2
    assert "this command reads" in done.err
    assert Path("new.csv").read_text() == NEW


def test_wrong_usage(postil, model):
    assert postil("update", "m.postil", "new.csv", "--passes", "0").code == 2
    assert postil("update", "absent.postil", "new.csv").code == 1
    assert "the file does not exist" in postil("update", "absent.postil", "new.csv").err
    assert postil("update", "m.postil").code == 2


VECTORS = "1 1:1 3:2\n-1 2:1\n1 1:2 2:1\n-1 2:2 3:1\n"
MORE = "-1 1:1 7:1\n1 3:1 9:2\n"


def test_vectors_with_new_numbers(postil, model):
    Path("old.svm").write_text(VECTORS)
    Path("more.svm").write_text(MORE)
    postil("train", "old.svm", "-o", "v.postil", "-r", "online.toml", "--no-test")
    done = postil("update", "v.postil", "more.svm")
    assert done.code == 0, done.err
    assert "2 new terms, no new category" in done.err
    found = load_model("v.postil")
    assert found.vectorizer.vocabulary.names == ["1", "2", "3", "7", "9"]
    assert found.vectorizer.vocabulary.documents.tolist() == [3, 3, 3, 1, 1]
    assert found.names == ("1",)
    assert found.training.members.tolist() == [3]
    answers = postil("predict", "v.postil", "more.svm").out.splitlines()
    assert [json.loads(line)["labels"] for line in answers] == [[], ["1"]]


def test_vectors_that_are_all_outside_the_category(postil, model):
    Path("old.svm").write_text(VECTORS)
    Path("no.svm").write_text("-1 1:1\n-1 1:2\n")
    postil("train", "old.svm", "-o", "v.postil", "-r", "online.toml", "--no-test")
    assert postil("update", "v.postil", "no.svm").code == 0
    assert load_model("v.postil").training.members.tolist() == [2]


def test_texts_for_a_model_of_vectors_and_the_other_way_are_refused(postil, model):
    Path("old.svm").write_text(VECTORS)
    postil("train", "old.svm", "-o", "v.postil", "-r", "online.toml", "--no-test")
    texts = postil("update", "v.postil", "new.csv")
    assert texts.code == 2
    assert "give it an svmlight file" in texts.err
    vectors = postil("update", "m.postil", "old.svm")
    assert vectors.code == 2
    assert "the model reads texts" in vectors.err


def test_what_it_learned_from_is_known_after_an_update(postil, model):
    assert postil("update", "m.postil", "new.csv", "-o", "u.postil").code == 0
    assert postil("corpus", "convert", "demo", "all.jsonl").code == 0
    documents = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    learned = [{**each, "split": None} for each in documents if each["split"] == "train"]
    Path("old.jsonl").write_text("\n".join(map(json.dumps, learned)))
    for corpus, expected in (("old.jsonl", True), ("new.csv", True), ("demo", False)):
        told = json.loads(postil("evaluate", "u.postil", corpus, "--json").out)
        assert told["learned_from"] is expected, corpus


def test_what_was_learned_for_a_measure_says_so(postil, model):
    aim = '[aim]\nmeasure = "f1"\n'
    learned = 'name = "climbing"\n[learn]\nlearner = "mfom"\nfigure = "f1"\n'
    Path("learned.toml").write_text(learned + aim)
    Path("tuned.toml").write_text(Path("online.toml").read_text() + aim)
    for recipe in ("learned", "tuned"):
        trained = postil("train", "demo", "-o", f"{recipe}.postil", "-r", f"{recipe}.toml")
        assert trained.code == 0, trained.err
    assert postil("update", "tuned.postil", "new.csv", "-o", "u.postil").code == 0
    refused = postil("update", "learned.postil", "new.csv", "-o", "u.postil")
    assert refused.code == 2
    assert "the model was learned for f1, from all documents at once" in refused.err
    assert "--no-compare" in refused.err


def test_large_numbers_cost_no_more_than_small_ones(postil, model):
    large = VECTORS.replace("3:", "2147483646:")
    Path("old.svm").write_text(large)
    Path("more.svm").write_text("-1 1:1 2000000000:1\n")
    assert postil("train", "old.svm", "-o", "v.postil", "-r", "online.toml", "--no-test").code == 0
    tracemalloc.start()
    assert postil("update", "v.postil", "more.svm").code == 0
    assert postil("predict", "v.postil", "old.svm").code == 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 28  # an array by number would take 16 GiB
    names = load_model("v.postil").vectorizer.vocabulary.names
    assert names == ["1", "2", "2147483646", "2000000000"]


WAIT = 60  # seconds, on a machine with other work to do


class Background:
    """A command that runs beside the test; what it says is waited for, but not for ever."""

    def __init__(self, *arguments: str) -> None:
        self._said = Path(tempfile.mkstemp(dir=".")[1])
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "postil", *arguments], stdin=subprocess.PIPE, stderr=said
            )

    def send(self, data: str) -> None:
        self._process.stdin.write(data.encode())
        self._process.stdin.flush()

    def wait_for(self, sentence: str) -> None:
        deadline = time.monotonic() + WAIT
        while sentence not in self._said.read_text():
            ended = self._process.poll() is not None
            assert not ended, f"ended without saying {sentence!r}: {self._said.read_text()}"
            assert time.monotonic() < deadline, self._said.read_text()
            time.sleep(0.01)

    def end(self) -> int:
        self._process.stdin.close()
        return self._process.wait(WAIT)

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def background():
    begun = []

    def start(*arguments: str) -> Background:
        begun.append(Background(*arguments))
        return begun[-1]

    yield start
    for one in begun:
        one.stop()


def test_two_updates_at_once_lose_nothing(postil, model, background):
    first = background("update", "m.postil", "-", "--format", "csv")
    first.send("title,body,label\nice,on the lake,weather\n")
    first.wait_for("reading")
    second = background("update", "m.postil", "new.csv")
    second.wait_for("m.postil: another update of this model is under way; waiting for it to end")
    assert first.end() == 0
    assert second.end() == 0
    assert load_model(model).training.documents == 252 + 1 + 3
    assert sorted(path.name for path in model.parent.glob("*postil*")) == ["m.postil"]


def test_without_locks_the_user_is_told(postil, model, monkeypatch):
    monkeypatch.setattr("postil.model.save.fcntl", None)
    done = postil("update", "m.postil", "new.csv")
    assert done.code == 0, done.err
    assert "m.postil: cannot be locked (this system has no file locks); run one update" in done.err


@pytest.mark.filterwarnings("default::postil.model.save.LeftOutWarning")
def test_a_model_whose_reports_had_no_room_is_as_good(postil, model, monkeypatch):
    assert postil("update", "m.postil", "new.csv").code == 0
    expected = load_model(model).weights.toarray()
    size = int.from_bytes(trained()[: container.LENGTH_BYTES], "little")
    monkeypatch.setattr(container, "LONGEST_HEADER", size - 1)
    monkeypatch.setattr("postil.model.save.OTHER_BYTES", 0)
    made = postil("train", "demo", "-o", "s.postil", "-r", "online.toml", "--no-test")
    assert made.code == 0, made.err
    assert "warning: the model file has no room for the reports of 12 categories" in made.err
    assert "the model keeps none" in postil("inspect", "s.postil").out
    assert postil("inspect", "s.postil", "--category", "weather").code == 0
    assert postil("evaluate", "s.postil", "demo").code == 0
    done = postil("update", "s.postil", "new.csv")
    assert done.code == 0, done.err
    np.testing.assert_array_equal(load_model("s.postil").weights.toarray(), expected)

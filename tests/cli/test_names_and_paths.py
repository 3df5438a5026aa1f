"""Odd labels, names and paths, and the demo."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from postil.cli.demo import command_name


def write_csv(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path.name


def tickets(tmp_path, name="t.csv", **parts):
    cells = ['"login, bug"', "bug", '"login, ui"', "ui"]
    rows = [f"word{i % 4} here,{cells[i % 4]}" for i in range(24)]
    return write_csv(tmp_path / name, "text,tags", rows)


class TestLabels:
    def test_several_in_one_are_pointed_out_once(self, postil, tmp_path):
        result = postil("train", tickets(tmp_path), "-o", "t.postil", "--no-test")
        note = "2 labels hold ',', as 'login, bug'; did you mean --label-separator ','?"
        assert result.err.splitlines().count(note) == 1
        result = postil(
            *("train", "t.csv", "-o", "t.postil", "--no-test", "--label-separator", ",")
        )
        assert result.code == 0
        assert "labels hold" not in result.err

    def test_compare_says_it_once_for_all_recipes(self, postil, tmp_path):
        rows = [
            f"word{i % 2} here,{'Bug' if i % 2 else 'bug'},{'test' if i > 19 else 'train'}"
            for i in range(30)
        ]
        write_csv(tmp_path / "c.csv", "text,label,split", rows)
        own = '[learn]\nloss = "hinge"\n'
        (tmp_path / "mine.toml").write_text(f'name = "own words"\n{own}')
        result = postil("compare", "c.csv", "default", "mine.toml")
        assert result.code == 0
        assert result.err.count("differ only by case") == 1
        assert "mine.toml (own words)" in result.out
        assert "default (" not in result.out
        runs = json.loads(postil("compare", "c.csv", "default", "mine.toml", "--json").out)["runs"]
        assert [(run["recipe"], run["name"]) for run in runs] == [
            ("default", "default"),
            ("mine.toml", "own words"),
        ]


class TestUnknownLabels:
    @pytest.fixture
    def model(self, postil, tmp_path):
        rows = [f"word{i % 2} here,c{i % 2}" for i in range(20)]
        write_csv(tmp_path / "c.csv", "text,label", rows)
        assert postil("train", "c.csv", "-o", "c.postil").code == 0
        rows = ["word0 here,c0", "word1 here,c1", "else,new", "else,new", "else,other"]
        write_csv(tmp_path / "t.csv", "text,label", rows)
        return "c.postil"

    def test_they_are_named_and_have_no_ranking(self, postil, model):
        result = postil("evaluate", model, "t.csv", "--full")
        note = "2 labels unknown to the model: new, other (counted as missed)"
        assert result.err.splitlines().count(note) == 1
        row = next(line for line in result.out.splitlines() if line.split()[:1] == ["new"])
        assert row.split()[-2:] == ["–", "–"]
        assert "nearest" in result.out
        told = json.loads(postil("evaluate", model, "t.csv", "--json").out)
        assert told["unknown_labels"] == ["new", "other"]
        new = next(each for each in told["per_category"] if each["category"] == "new")
        assert new["false_negatives"] == 2
        for key in ("break_even_nearest", "break_even_ceiling", "average_precision", "roc_area"):
            assert new[key] is None
        # Their members are missed at break-even, too: three of five.
        assert told["ranking"]["break_even"]["nearest"]["recall"] == pytest.approx(2 / 5)

    def test_where_they_do_not_count(self, postil, model):
        result = postil("evaluate", model, "t.csv", "--categories", "trained")
        assert "2 labels unknown to the model: new, other (not counted)" in result.err

    def test_nothing_is_said_where_all_are_known(self, postil, model):
        result = postil("evaluate", model, "c.csv", "--json")
        assert "unknown" not in result.err
        assert json.loads(result.out)["unknown_labels"] == []

    def test_training_says_it_of_its_test_documents(self, postil, tmp_path):
        rows = [f"word{i % 2} here,c{i % 2},train" for i in range(20)] + ["word1,new,test"]
        write_csv(tmp_path / "s.csv", "text,label,split", rows)
        result = postil("train", "s.csv", "-o", "s.postil")
        assert "1 label unknown to the model: new (counted as missed)" in result.err


def test_evaluate_says_which_column_is_which_field(postil, tmp_path):
    rows = [f"word{i % 2},here word{i % 2},c{i % 2}" for i in range(20)]
    write_csv(tmp_path / "c.csv", "title,body,label", rows)
    assert postil("train", "c.csv", "-o", "c.postil", "-r", "logistic-dual").code == 0
    write_csv(tmp_path / "t.csv", "subject,text,label", rows)
    columns = ("--text-columns", "subject=title", "--text-columns", "text=body")
    result = postil("evaluate", "c.postil", "t.csv")
    assert result.code == 1
    assert result.err.splitlines()[-1] == (
        "postil: t.csv: no document has the field title, body, which the model reads; the "
        f"fields are subject, text; name the columns, as in {' '.join(columns)}"
    )
    assert postil("evaluate", "c.postil", "t.csv", *columns).code == 0
    write_csv(tmp_path / "u.csv", "title,text,label", rows)
    result = postil("evaluate", "c.postil", "u.csv")
    assert result.err.endswith("as in --text-columns title --text-columns text=body\n")


class TestCalling:
    def test_by_name_where_the_name_finds_it(self, monkeypatch):
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
        assert command_name() in ("postil", f"{sys.executable} -m postil")

    def test_by_path_where_it_does_not(self, monkeypatch, tmp_path):
        scripts = tmp_path / ".venv" / "bin"
        scripts.mkdir(parents=True)
        (scripts / "postil").touch()
        monkeypatch.setattr("sys.executable", str(scripts / "python"))
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        assert command_name() == ".venv/bin/postil"
        monkeypatch.chdir("/")
        assert command_name() == str(scripts / "postil").removeprefix("/")
        (scripts / "postil").unlink()
        assert command_name() == f"{scripts / 'python'} -m postil"

    def test_the_demo_shows_what_can_be_typed(self, postil, monkeypatch):
        monkeypatch.setattr("postil.cli.demo.command_name", lambda: ".venv/bin/postil")
        result = postil("demo", "-o", "d")
        assert result.code == 0
        assert "Testing: .venv/bin/postil evaluate d/demo.postil demo" in result.out
        assert result.out.splitlines()[-1].startswith("Try: .venv/bin/postil inspect d/demo.postil")

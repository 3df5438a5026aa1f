"""An output never replaces a file that the command reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from postil.cli.files import keep_inputs
from postil.errors import UsageError

TEXT = "text,label\ngood road,transport\nbad weather,weather\n"
RECIPE = 'name = "mine"\n'


@pytest.fixture
def files(postil):
    """A table, a recipe, a model, a folder of documents, and a link to the table."""
    Path("v.csv").write_text(TEXT + "wet road,transport\nfine weather,weather\n" * 5)
    Path("mine.toml").write_text(RECIPE)
    Path("folder/a").mkdir(parents=True)
    Path("folder/a/1.txt").write_text("a road")
    Path("link.csv").symlink_to("v.csv")
    assert postil("train", "v.csv", "-o", "m.postil").code == 0
    return {name: Path(name).read_bytes() for name in ("v.csv", "mine.toml", "m.postil")}


COMMANDS = [
    ("train", "v.csv", "-o", "v.csv"),
    ("train", "v.csv", "-o", "link.csv"),
    ("train", "link.csv", "-o", "./folder/../v.csv"),
    ("train", "v.csv", "-r", "mine.toml", "-o", "mine.toml"),
    ("train", "folder", "-o", "folder/a/1.txt"),
    ("predict", "m.postil", "v.csv", "-o", "v.csv"),
    ("predict", "m.postil", "v.csv", "-o", "m.postil"),
    ("explain", "m.postil", "v.csv", "--html", "v.csv"),
    ("explain", "m.postil", "--text", "road", "--html", "m.postil"),
    ("corpus", "split", "v.csv", "v.csv"),
    ("corpus", "convert", "v.csv", "link.csv"),
    ("corpus", "convert", "folder", "folder/a/1.txt", "--to", "jsonl"),
    ("vectorize", "v.csv", "-o", "v.csv", "--to", "npz"),
    ("evaluate", "m.postil", "v.csv", "--curves", "v.csv"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_input_is_no_output(postil, files, command):
    result = postil(*command)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert "would replace" in result.err
    assert {name: Path(name).read_bytes() for name in files} == files
    assert Path("folder/a/1.txt").read_text() == "a road"


def test_names_beside_vectors_are_outputs_too(postil, files):
    Path("x.svm.terms.tsv").write_text("a road\t<r>\n")
    result = postil("vectorize", "x.svm.terms.tsv", "-o", "x.svm")
    assert (result.code, Path("x.svm").exists()) == (2, False)
    assert "x.svm.terms.tsv: this command reads" in result.err


def test_standard_input_is_an_input(postil, files):
    command = [sys.executable, "-m", "postil", "predict", "m.postil", "-", "-o", "v.csv"]
    with Path("v.csv").open("rb") as stdin:
        result = subprocess.run(
            command, check=False, stdin=stdin, capture_output=True, text=True, timeout=60
        )
    assert result.returncode == 2
    assert "v.csv: this command reads" in result.stderr
    assert Path("v.csv").read_bytes() == files["v.csv"]


def test_other_files_may_be_replaced(postil, files):
    Path("old.jsonl").write_text("old")
    assert postil("predict", "m.postil", "v.csv", "-o", "old.jsonl").code == 0
    assert Path("old.jsonl").read_text().startswith('{"id": "line-2"')
    # A file that is called like a known corpus is not that corpus.
    Path("demo").write_text("old")
    assert postil("predict", "m.postil", "demo", "-o", "demo").code == 0


def test_what_is_not_there_cannot_be_lost(tmp_path):
    keep_inputs(tmp_path / "new", tmp_path / "new", tmp_path, "-", None)
    keep_inputs("-", "-")
    keep_inputs(os.devnull, os.devnull)
    (tmp_path / "old").touch()
    with pytest.raises(UsageError, match="would replace a file in it"):
        keep_inputs(tmp_path / "old", tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ("train", "v.csv", "-o", "job/"),
        ("predict", "m.postil", "v.csv", "-o", "job/"),
        ("vectorize", "v.csv", "-o", "job/", "--to", "npz"),
        ("explain", "m.postil", "v.csv", "--html", "job/"),
        ("evaluate", "m.postil", "v.csv", "--curves", "job.csv/"),
    ],
    ids=" ".join,
)
def test_a_name_with_a_slash_is_no_file(postil, files, command):
    result = postil(*command)
    assert (result.code, result.out) == (2, "")
    assert "/: is the name of a folder; name a file in it" in result.err
    assert not Path("job").exists()

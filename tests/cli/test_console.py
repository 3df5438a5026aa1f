"""Names and texts that would act on a terminal are shown, and act on nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata

import pytest

from postil import TextCategorizer
from postil.common.escaping import escaped, escaped_json, visible
from postil.common.numbers import probability_text

from .helpers import shown_on

# A title, a bell, hidden text, a colour in 8 bits, DEL, marks and overrides of direction, a
# separator, rich's markup, a carriage return, an end of line, a tab.
NASTY = "\x1b]0;t\x07\x1b[8m\x9b31m\x7f\u202e\u2066\u200f\u061c\u2028[red]x[/red]\r\ny\tz"
ALONE = "\ud800"
CORPUS = f"c{NASTY}.jsonl".replace("/", "")


def label(number):
    return f"{NASTY}{number}"


def acting(shown):
    """The characters that are more than themselves, but for ends of lines."""
    unsafe = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return {char for char in shown if char != "\n" and unicodedata.category(char) in unsafe}


@pytest.fixture
def model(postil, tmp_path):
    rows = [
        {
            "id": f"{NASTY}{i}",
            NASTY: f"word{i % 2} here {NASTY}",
            "labels": [label(i % 2)],
            "split": "test" if i % 5 == 0 else "train",
        }
        for i in range(40)
    ]
    (tmp_path / CORPUS).write_text("\n".join(map(json.dumps, rows)))
    assert postil("train", CORPUS, "-o", "m.postil", "--text-columns", NASTY).code == 0
    return "m.postil"


def test_what_could_act_becomes_an_escape():
    assert escaped("a\x1b\x7f\x9b\u202e\u2028\ud800\r\tb\n") == (
        "a\\x1b\\x7f\\x9b\\u202e\\u2028\\ud800\\r\tb\n"
    )
    assert visible("a\n\tb") == "a\\n\\tb"
    kept = "naïve 日本 می\u200cخواهم 👩\u200d🔬\xa0[b]"
    assert visible(kept) == kept
    assert json.loads(escaped_json(json.dumps(NASTY + ALONE, ensure_ascii=False))) == NASTY + ALONE
    assert acting(escaped_json(json.dumps(NASTY + ALONE, ensure_ascii=False))) == set()


def test_nothing_acts_whatever_is_printed(postil, model, tmp_path):
    reading = ("--text-columns", NASTY)
    (tmp_path / "bad.toml").write_text(f"name = {json.dumps(NASTY)}\n[learn]\nC = 'x'")
    commands = [
        ("corpus", "info", CORPUS, *reading),
        ("corpus", "split", CORPUS, f"s{CORPUS}", *reading),
        ("train", CORPUS, "-o", NASTY, *reading, "--search"),
        ("train", CORPUS, "-o", "x.postil", "-r", "bad.toml"),
        ("evaluate", model, CORPUS, *reading),
        ("compare", CORPUS, "default", "mod-svm", *reading),
        ("predict", model, CORPUS, *reading, "--top", "2"),
        ("predict", model, "--text", NASTY),
        ("explain", model, CORPUS, *reading),
        ("explain", model, CORPUS, *reading, "--json"),
        ("explain", model, CORPUS, *reading, "--id", f"no {NASTY}"),
        ("inspect", model),
        ("inspect", model, "--category", label(0)),
        ("inspect", model, "--json"),
        ("inspect", model, "--margins", CORPUS, *reading),
        ("update", model, CORPUS, "-o", "u.postil", *reading),
        ("path", CORPUS, label(0), *reading),
        ("vectorize", CORPUS, "-o", "x.npz", *reading),
        ("analyze", NASTY, "-a", "chars(2)"),
        ("analyze", NASTY, "-a", NASTY),
        ("recipes", NASTY),
        ("reproduce", NASTY),
        ("predict", model, CORPUS, NASTY),
        (NASTY,),
        ("predict", model, "other.jsonl", f"--{NASTY}"),
        ("predict", NASTY, CORPUS),
    ]
    for command in commands:
        result = postil(*command)
        assert acting(result.out + result.err) == set(), command
        assert result.out + result.err, command


def test_a_label_that_no_terminal_can_show(postil, tmp_path):
    TextCategorizer("naive-bayes-1").fit(["sun", "ball"] * 4, [ALONE, "sport"] * 4).save(
        tmp_path / "m.postil"
    )
    for command in ("inspect", "m.postil"), ("explain", "m.postil", "--text", "sun"):
        assert "\\ud800" in postil(*command).out


def test_a_line_for_each_category(postil, model):
    counted = postil("corpus", "info", CORPUS, "--text-columns", NASTY)
    rows = [line for line in counted.out.splitlines() if "█" in line and visible(NASTY) in line]
    assert len(rows) == 2
    assert len(counted.err.splitlines()) == 1
    tables = postil("evaluate", model, CORPUS, "--text-columns", NASTY).out
    categories = tables.partition("categories, in %")[2].splitlines()
    assert sum(line.strip().startswith("\\x1b]0;") for line in categories) == 2


def test_programs_read_the_names_as_they_are(postil, model):
    reading = ("--text-columns", NASTY)
    for output in ((), ("-o", "-")):
        lines = postil("predict", model, CORPUS, *reading, *output).out.splitlines()
        told = [json.loads(line) for line in lines]
        assert told[1]["id"] == f"{NASTY}1"
        assert told[1]["labels"] == [label(1)]
    told = json.loads(postil("explain", model, CORPUS, *reading, "--json").out)
    assert told["documents"][0]["fields"][0]["field"] == NASTY
    lines = postil("corpus", "convert", CORPUS, "-", *reading).out.splitlines()
    assert json.loads(lines[1])["labels"] == [label(1)]


@pytest.mark.skipif(os.name == "nt", reason="terminals")
def test_only_our_own_styles_reach_a_terminal(model, tmp_path):
    import pty
    import re

    code = (
        "import sys, postil.common.progress_bar as progress; progress.PATIENCE = -1\n"
        "from postil.cli.main import run; run()"
    )
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    for command in (["explain", model], ["inspect", model, "--margins"], ["evaluate", model]):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", code, *command, CORPUS, "--text-columns", NASTY],
            cwd=tmp_path,
            stdout=theirs,
            stderr=theirs,
            env=environment,
        )
        os.close(theirs)
        shown = shown_on(ours).decode().replace("\r\n", "\n")
        assert process.wait(timeout=60) == 0
        bold_or_bar = "\x1b[1m" if command[0] != "evaluate" else "\x1b[?25l"
        assert bold_or_bar in shown
        styles_and_bar = r"\x1b\[([0-9;]*m|\?25[lh]|2K|1A)|\r"
        assert acting(re.sub(styles_and_bar, "", shown)) == set()
        assert "\\x1b[8m" in shown
        assert "\x1b[8m" not in shown
        assert "[red]x[/red]" in shown


@pytest.mark.skipif(os.name == "nt", reason="terminals")
def test_a_table_is_folded_on_a_terminal_and_whole_in_a_pipe(tmp_path):
    import pty

    command = [sys.executable, "-m", "postil", "recipes"]
    piped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert max(map(len, piped.splitlines())) > 80
    assert "\x1b" not in piped
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, env=environment)
    os.close(theirs)
    shown = shown_on(ours).decode()
    assert process.wait(timeout=60) == 0
    header, *lines = shown.replace("\r\n", "\n").splitlines()
    assert "\x1b[1mrecipe" in header
    assert max(map(len, lines)) <= 80
    rows = " ".join(piped.splitlines()[1:]).split()
    assert {word for word in rows if len(word) < 24} <= set(" ".join(lines).split())


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.5, "0.5"), (0.98765, "0.988"), (0.999753, "0.9998"), (1 - 2**-53, f"{1 - 2**-53:.16f}")],
)
def test_a_probability_is_not_rounded_up_to_1(probability, text):
    assert probability_text(probability) == text
    assert probability_text(1.0) == "1"

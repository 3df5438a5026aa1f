"""Start-up, signals and pipes: the command line as a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

# `postil corpus info`, with a progress bar from the first document on.
IMPATIENT = [
    sys.executable,
    "-c",
    "import sys, postil.cli.progress as progress; progress.PATIENCE = -1\n"
    "sys.argv = ['postil', 'corpus', 'info', 'c.jsonl']\n"
    "from postil.cli.main import run; run()",
]
COMMAND = [sys.executable, "-c", "from postil.cli.main import run; run()"]


def write_documents(path):
    path.write_text("\n".join(json.dumps({"text": "some words here"}) for _ in range(2000)))


def test_help_is_the_default_and_names_every_command():
    shown = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    for name in ("corpus", "vectorize", "analyze", "demo"):
        assert name in shown


def test_help_loads_nothing_heavy():
    heavy = ["numpy", "scipy", "sklearn", "rich", "Stemmer", "pyarrow", "postil._native"]
    code = (
        "import sys; sys.argv = ['postil', '--help']\n"
        "from postil.cli.main import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_reader_that_has_seen_enough_gets_no_complaint():
    command = [*COMMAND, "corpus", "convert", "demo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        writer.stdout.read(10)
        writer.stdout.close()
        assert b"Traceback" not in writer.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_leaves_nothing_half_written(tmp_path):
    command = [*COMMAND, "corpus", "convert", "-", "out.jsonl", "--format", "jsonl"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        process.stdin.write((json.dumps({"text": "word " * 200}) + "\n").encode() * 3000)
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        message = process.stderr.read().decode()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    assert process.returncode == 130
    assert "interrupted" in message
    assert list(tmp_path.iterdir()) == []


def test_no_progress_bar_in_a_pipe(tmp_path):
    write_documents(tmp_path / "c.jsonl")
    done = subprocess.run(IMPATIENT, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="terminals")
def test_a_progress_bar_on_a_terminal(tmp_path):
    import pty

    write_documents(tmp_path / "c.jsonl")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(IMPATIENT, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"counting" in shown

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

from .terminals import shown_on

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
        "from postil.cli.app import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_the_door_itself_is_light():
    code = "import sys, postil.cli.main; print([n for n in ('typer', 'json') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def buffered():
    """The environment with stdout as it is by default: unbuffered, Python loses partial writes."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory):
    """A folder with a corpus longer than a pipe, and a model."""
    folder = tmp_path_factory.mktemp("pipes")
    write_documents(folder / "c.jsonl")
    train = [*COMMAND, "train", "demo", "-o", "demo.postil", "--no-test"]
    subprocess.run(train, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "arguments",
    [
        ("corpus", "convert", "c.jsonl", "-", "--to", "jsonl"),
        ("predict", "demo.postil", "c.jsonl", "--scores", "12"),
        ("predict", "demo.postil", "c.jsonl", "--scores", "12", "-o", "-"),
        ("inspect", "demo.postil", "--json", "--top", "4000"),
        ("analyze", "some words here " * 6_000),
    ],
)
def test_a_reader_that_has_seen_enough_gets_no_complaint(long_corpus, arguments):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": buffered()}
    with subprocess.Popen([*COMMAND, *arguments], cwd=long_corpus, **pipes) as writer:
        writer.stdout.read(10)
        writer.stdout.close()
        said = writer.stderr.read().decode()
    assert writer.returncode == 141
    # How the corpus is read, and no more.
    assert [line for line in said.splitlines() if not line.startswith("reading ")] == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")  # noqa: PTH110
def test_where_results_cannot_be_written_is_named(long_corpus):
    def said(*arguments, **streams):
        command = [*COMMAND, *arguments]
        return subprocess.run(
            command,
            cwd=long_corpus,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=buffered(),
            **streams,
        )

    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = said("recipes", stdout=full)
    assert (done.returncode, done.stderr) == (
        1,
        "postil: standard output: No space left on device\n",
    )
    done = said("predict", "demo.postil", "demo", "-o", "/dev/full")
    assert done.returncode == 1
    assert done.stderr == "postil: /dev/full: No space left on device\n"


# Ctrl-C while the command line is being loaded, as it comes or in an import that swallows it.
HINDERED = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            {act}
sys.meta_path.insert(0, Interrupting())
sys.argv = ['postil', 'recipes']
from postil.cli.main import run
run()
"""
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
SWALLOWED = f"""
            try:
                {INTERRUPT}
                while True: pass
            except KeyboardInterrupt:
                raise ImportError('initialization failed')
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("act", [INTERRUPT, SWALLOWED], ids=["bare", "swallowed"])
@pytest.mark.parametrize("module", ["postil.cli.app", "typer", "postil.recipes.recipe", "numpy"])
def test_ctrl_c_while_loading_ends_as_quietly_as_later(module, act):
    code = HINDERED.format(module=module, act=act)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "postil: interrupted; nothing was left half-written\n"
    assert done.stdout == ""


def test_python_m_postil_is_the_same_door():
    command = [sys.executable, "-m", "postil", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith(
        "postil "
    )


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
    shown = shown_on(ours)
    assert process.wait(timeout=60) == 0
    assert b"counting" in shown

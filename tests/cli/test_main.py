"""Start-up, signals and pipes: the command line as a process."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from postil.cli.app import COMMANDS

from .helpers import shown_on

# `postil corpus info`, with a progress bar from the first document on.
IMPATIENT = [
    sys.executable,
    "-c",
    "import sys, postil.common.progress_bar as progress; progress.PATIENCE = -1\n"
    "sys.argv = ['postil', 'corpus', 'info', 'c.jsonl']\n"
    "from postil.cli.main import run; run()",
]
COMMAND = [sys.executable, "-c", "from postil.cli.main import run; run()"]


def write_documents(path):
    path.write_text("\n".join(json.dumps({"text": "some words here"}) for _ in range(2000)))


def test_help_names_every_command_and_loads_nothing_heavy():
    heavy = ["numpy", "scipy", "sklearn", "rich", "Stemmer", "pyarrow", "postil.corpus.corpus"]
    code = (
        "import sys; sys.argv = ['postil', '--help']\n"
        "from postil.cli.app import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert all(line in done.stdout for line in COMMANDS.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_as_listed_and_loads_nothing_heavy(name):
    heavy = ["numpy", "scipy", "sklearn", "rich", "Stemmer", "pyarrow", "postil._native"]
    code = (
        f"import sys; sys.argv = ['postil', {name!r}, '--help']\n"
        "from postil.cli.app import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert COMMANDS[name] in done.stdout
    assert len(COMMANDS[name]) <= 64  # it fits beside the names in 80 columns


def test_a_mistyped_command_gets_a_suggestion(postil):
    result = postil("trian")
    assert result.code == 2
    assert "'train'" in result.err


def test_the_door_itself_is_light():
    code = "import sys, postil.cli.main; print([n for n in ('typer', 'json') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture(params=[False, True], ids=["buffered", "unbuffered"])
def environment(request):
    """The environment, with stdout as Python has it by default, and as containers often want it."""
    found = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return found | {"PYTHONUNBUFFERED": "1"} if request.param else found


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory):
    """A folder with a corpus longer than a pipe, and a model."""
    folder = tmp_path_factory.mktemp("pipes")
    write_documents(folder / "c.jsonl")
    train = [*COMMAND, "train", "demo", "-o", "demo.postil", "--no-test", "--budget", "none"]
    subprocess.run(train, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "arguments",
    [
        ("corpus", "convert", "c.jsonl", "-", "--to", "jsonl"),
        ("predict", "demo.postil", "c.jsonl", "--top", "12"),
        ("predict", "demo.postil", "c.jsonl", "--top", "12", "-o", "-"),
        ("inspect", "demo.postil", "--json", "--top", "4000"),
        ("analyze", "some words here " * 6_000),
    ],
)
def test_a_reader_that_has_seen_enough_gets_no_complaint(long_corpus, environment, arguments):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment}
    with subprocess.Popen([*COMMAND, *arguments], cwd=long_corpus, **pipes) as writer:
        writer.stdout.read(10)
        writer.stdout.close()
        said = writer.stderr.read().decode()
    assert writer.returncode == 141
    # How the corpus is read, and no more.
    assert [line for line in said.splitlines() if not line.startswith("reading ")] == []


TO_STDOUT = [
    ("recipes",),
    ("predict", "demo.postil", "demo"),
    ("predict", "demo.postil", "demo", "-o", "-"),
    ("explain", "demo.postil", "demo", "--json"),
    ("explain", "demo.postil", "demo", "--html", "-"),
]


def told_of_failure(folder, environment, arguments, **streams):
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=environment,
        **streams,
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")  # noqa: PTH110
@pytest.mark.parametrize("arguments", TO_STDOUT)
def test_a_full_disk_under_stdout_is_told(long_corpus, arguments):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        told = told_of_failure(long_corpus, None, arguments, stdout=full)
    assert told == "postil: standard output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="limits")
@pytest.mark.parametrize("arguments", TO_STDOUT)
def test_a_disk_that_takes_a_part_of_stdout_is_told(long_corpus, tmp_path, environment, arguments):
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    with (tmp_path / "out").open("wb") as out:
        told = told_of_failure(long_corpus, environment, arguments, stdout=out, preexec_fn=limit)
    assert told == "postil: standard output: File too large\n"
    assert (tmp_path / "out").stat().st_size == 500


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")  # noqa: PTH110
def test_a_file_that_cannot_be_written_is_named(long_corpus, environment):
    arguments = ("predict", "demo.postil", "demo", "-o", "/dev/full")
    told = told_of_failure(long_corpus, environment, arguments)
    assert told == "postil: /dev/full: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="descriptors")
def test_a_closed_stdout_is_told(long_corpus):
    call = shlex.join([*COMMAND, "corpus", "convert", "demo", "-", "--to", "jsonl"])
    done = subprocess.run(
        ["sh", "-c", f"{call} >&-"], cwd=long_corpus, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("standard output is closed; name a file, or leave it open\n")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "koi8-r"])
def test_characters_that_stdout_cannot_encode_are_escaped(tmp_path, encoding):
    name = os.fsdecode(b"\xff.jsonl") if os.name == "posix" else "c.jsonl"
    labels = ["é", "€", "\N{GRINNING FACE}"]
    rows = [{"text": f"word{i % 3}", "labels": [labels[i % 3]]} for i in range(12)]
    (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))

    def shown(*arguments):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        command = [*COMMAND, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, check=True, env=environment
        )
        # ASCII is written as UTF-8.
        return done.stdout.decode("utf-8" if encoding == "ascii" else encoding)

    assert shown("corpus", "info", name).startswith(name.replace("\udcff", "\\udcff"))
    counted = json.loads(shown("corpus", "info", name, "--json"))["labels"]["documents"]
    assert set(counted) == set(labels)


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


# Ctrl-C while a process ends: by the last line on stderr, the last flush, what runs at exit.
LATE = """
import atexit, os, signal, sys
import postil.cli.main as main
def interrupted_first(act):
    def interrupted(*given):
        os.kill(os.getpid(), signal.SIGINT)
        return act(*given)
    return interrupted
{place}
main.run()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("place", "command", "shown"),
    [
        ("main._report = interrupted_first(main._report)", ["train", "nosuch", "-o", "x"], False),
        ("main._flushed = interrupted_first(main._flushed)", ["--version"], True),
        ("atexit.register(interrupted_first(print))", ["--version"], True),
    ],
    ids=["last line", "last flush", "at exit"],
)
def test_a_late_ctrl_c_ends_without_a_traceback(place, command, shown):
    code = LATE.format(place=place)
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr == ""
    assert done.stdout.startswith("postil ") == shown


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


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_in_a_search_goes_on_to_a_model(tmp_path, times):
    # The second one comes while the model is trained.
    code = """
import os, signal, sys
import postil.train.auto as auto
import postil.train.train as training
left = [int(sys.argv.pop())]
def interrupting(act):
    def interrupted(*given, **named):
        if left[0]:
            left[0] -= 1
            os.kill(os.getpid(), signal.SIGINT)
        return act(*given, **named)
    return interrupted
auto.Round.sums = interrupting(auto.Round.sums)
training.learn_from = interrupting(training.learn_from) if left[0] > 1 else training.learn_from
from postil.cli.main import run
run()
"""
    command = [sys.executable, "-c", code, "train", "demo", "-o", "m.postil", "--no-test"]
    done = subprocess.run(
        [*command, str(times)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "the search ended early: it was interrupted, and training goes on" in done.stderr
    finished = times == 1
    assert done.returncode == (0 if finished else 130)
    assert ("wrote m.postil" in done.stderr) == finished
    assert ("nothing was left half-written" in done.stderr) != finished
    assert ("run the same command again to go on from them" in done.stderr) != finished
    left = ["m.postil"] if finished else ["m.postil.search"]
    assert [path.name for path in tmp_path.iterdir()] == left


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

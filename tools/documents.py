"""Run the examples of README.md, CONTRIBUTING.md and docs/, and compare their output.

    python tools/documents.py            fail if an output differs from the document
    python tools/documents.py --write    write the output into the documents

A ``console`` block has commands after ``$ `` and their output; a ``pycon`` block is a Python
session; a ``python`` block is run and must not fail. The blocks of one document share a folder
and a session. A line ``…`` in an output matches any lines.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(console|pycon|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELLIPSIS = "…"


def documents() -> list[Path]:
    """Return the documents with blocks to run."""
    every = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [path for path in every if BLOCK.search(path.read_text(encoding="utf-8"))]


def refreshed(path: Path) -> str:
    """Return the document with the actual output in its blocks."""
    text = path.read_text(encoding="utf-8")
    session: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):

        def run(block: re.Match[str]) -> str:
            kind, body = block.groups()
            return f"```{kind}\n{RUNNERS[kind](body, session)}```"

        return BLOCK.sub(run, text)


def run_console(body: str, session: dict[str, object]) -> str:  # noqa: ARG001 - one signature
    """Run the commands of a block and return it with their output."""
    return "".join(_run_command(command, shown) for command, shown in _commands(body))


def _commands(body: str) -> Iterator[tuple[str, str]]:
    command, shown = "", ""
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line, ""
        elif command.endswith("\\\n"):
            command += line
        else:
            shown += line
    yield command, shown


def _run_command(command: str, shown: str) -> str:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(Path.cwd()),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "PYTHONWARNINGS": "error",
    }
    done = subprocess.run(
        ["bash", "-c", command.removeprefix("$ ")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=False,
    )
    output = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
    return command + (shown if matches(shown, output) else output)


def matches(shown: str, output: str) -> bool:
    """Return True if the output matches the document, a line ``…`` matching any lines."""
    if ELLIPSIS not in shown.splitlines():
        return shown == output
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == ELLIPSIS else re.escape(line)
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, output) is not None


def run_session(body: str, session: dict[str, object]) -> str:
    """Run a Python session and return it with its output."""
    lines = []
    for example in doctest.DocTestParser().get_examples(body):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(example.source, "<document>", "single"), session)
        source = example.source.splitlines()
        lines += [f">>> {source[0]}", *(f"... {line}" for line in source[1:])]
        lines += printed.getvalue().splitlines()
    return "".join(f"{line}\n" for line in lines)


def run_python(body: str, session: dict[str, object]) -> str:
    """Run Python code, which must not fail, and return it unchanged."""
    exec(compile(body, "<document>", "exec"), session)
    return body


RUNNERS = {"console": run_console, "pycon": run_session, "python": run_python}


def main() -> int:
    """Check or write the documents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    stale = []
    for path in documents():
        text = refreshed(path)
        if text == path.read_text(encoding="utf-8"):
            continue
        stale.append(path.relative_to(ROOT))
        if write:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path}: {'written' if write else 'differs from the actual output; run make docs'}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Running commands in this process, as a user would."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from postil.cli.main import run as run_command


@dataclass(frozen=True)
class Outcome:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def postil(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Outcome]:
    """Run a command in an empty folder; what it says and its exit code come back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("POSTIL_DATA", raising=False)

    def run(*arguments: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["postil", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfd.readouterr()
        streams = sys.stdout, sys.stderr
        on_interrupt = signal.getsignal(signal.SIGINT)
        try:
            run_command()
            code: object = 0
        except SystemExit as end:
            code = end.code
        finally:
            # A process ends with a command; this one goes on.
            sys.stdout, sys.stderr = streams
            signal.signal(signal.SIGINT, on_interrupt)
        captured = capfd.readouterr()
        return Outcome(int(code or 0), captured.out, captured.err)  # type: ignore[call-overload]

    return run

"""How the numbers came about: the experiments, as texts."""

from __future__ import annotations

from postil.escaping import escaped
from postil.papers.canonical import canonical_json
from postil.papers.reproduction import Reproduction, Run

HEADER = ("experiment", "state", "seconds", "settings")


def run_rows(reproduction: Reproduction) -> list[tuple[str, str, str, str]]:
    """A row for each experiment under ``HEADER``; one without results tells why."""
    return [
        (
            escaped(run.experiment),
            escaped(_state(run)),
            f"{run.seconds:.1f}",
            escaped(_settings(run)),
        )
        for run in reproduction.runs
    ]


def _state(run: Run) -> str:
    return f"{run.state}: {run.error}" if run.error else run.state


def _settings(run: Run) -> str:
    if not isinstance(run.settings, dict):
        return ""
    return ", ".join(f"{key}={_plain(run.settings[key])}" for key in sorted(run.settings))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)  # type: ignore[arg-type]

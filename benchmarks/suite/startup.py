"""The time of a fresh process: importing postil, showing help, categorizing one text."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.harness import Line, Settings, benchmark, digits, environment

TEXT = "The harbour committee met on Monday"


@benchmark("startup", "fresh processes: import, help, and the categories of one text, seconds")
def run(settings: Settings) -> Iterator[Line]:
    """Commands take turns; the minimum is what an idle machine would need."""
    with TemporaryDirectory() as folder:
        model = str(Path(folder) / "demo.postil")
        postil = ["-m", "postil"]
        _seconds([*postil, "train", "demo", "-o", model, "--no-test"])
        commands = {
            "python -c pass": (["-c", "pass"], ""),
            "import postil": (["-c", "import postil"], ""),
            "postil --help": ([*postil, "--help"], "< 0.15 s"),
            "postil predict MODEL --text …": (
                [*postil, "predict", model, "--text", TEXT],
                "< 0.5 s",
            ),
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(2 * settings.rounds):
            for name, (arguments, _) in commands.items():
                times[name].append(_seconds(arguments))
    for name, (_, goal) in commands.items():
        yield {
            "process": name,
            "median s": digits(median(times[name])),
            "minimum s": digits(min(times[name])),
            "goal": goal,
        }
    yield f"{2 * settings.rounds} processes of each kind, in turns, with compiled modules."


def _seconds(arguments: list[str]) -> float:
    """Return the wall time of a Python process with these arguments."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=environment(), check=True, capture_output=True)
    return time.perf_counter() - begun

"""The findings of a run as text, JSON and Markdown, with the machine they were measured on."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.harness import BENCHMARKS, Benchmark, Cell, Image, Line, Row, Spread, digits
from postil import __version__
from postil.common.threads import thread_count


def text_table(rows: Sequence[Row]) -> str:
    """Lay rows out in columns for a terminal."""
    heads, cells = _cells(rows)
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    right = _numeric_columns(rows, heads)
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in (heads, ["─" * width for width in widths], *cells)
    ]
    return "\n".join(lines)


def markdown_table(rows: Sequence[Row]) -> str:
    """Write rows as a Markdown table."""
    heads, cells = _cells(rows)
    rule = ["---:" if number else "---" for number in _numeric_columns(rows, heads)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, rule, *cells))


def markdown_image(path: Path, caption: str, page: Path) -> str:
    """Link an image from a page."""
    link = Path(os.path.relpath(path.resolve(), page.resolve().parent)).as_posix()
    return f"![{caption}]({link})"


def _cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    heads = list(dict.fromkeys(head for row in rows for head in row))
    # What an optional goal is about stands to its left.
    heads.sort(key=lambda head: head == "goal")
    return heads, [[_written(row.get(head, "")) for head in heads] for row in rows]


def _numeric_columns(rows: Sequence[Row], heads: Sequence[str]) -> list[bool]:
    return [any(isinstance(row.get(head), (int, float, Spread)) for row in rows) for head in heads]


def _written(cell: Cell) -> str:
    if isinstance(cell, float):
        return digits(cell)
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


COMPARED = (
    "numpy",
    "scipy",
    "scikit-learn",
    "PyStemmer",
    "polars",
    "fasttext",
    "fasttext-wheel",
    "vowpalwabbit",
    "liblinear-official",
    "celer",
    "skglm",
    "numba",
)
PROCESSOR = "processor"
BUSY = 0.5
"""A load above this part of the processors is worth a remark."""


def description() -> dict[str, str]:
    """Describe the computer, Python and the packages that are compared."""
    found = {name: _version(name) for name in COMPARED}
    versions = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    return {
        PROCESSOR: f"{_processor_model()}, {thread_count(None)} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": f"postil {__version__}, {versions}",
    }


def load() -> str:
    """The load of the last minute, with a remark if that is much."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    last = os.getloadavg()[0]
    busy = last > BUSY * thread_count(None)
    return f"{last:.1f}" + (": the machine is busy, do not trust these numbers" if busy else "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


PACKAGES = "packages"


def today() -> str:
    """The date, as it is written down."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


@dataclass(slots=True)
class Finding:
    """The rows, plots and remarks of one benchmark."""

    name: str
    summary: str
    measured: str = ""
    rows: list[Row] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @classmethod
    def gather(cls, benchmark: Benchmark, lines: Iterable[Line], measured: str) -> Finding:
        """Run a benchmark by walking its lines; ``measured`` says when, and how busy it was."""
        finding = cls(benchmark.name, benchmark.summary, measured)
        for line in lines:
            finding.add(line)
        return finding

    def add(self, line: Line) -> None:
        """Put a line where it belongs."""
        if isinstance(line, str):
            self.remarks.append(line)
        elif isinstance(line, Image):
            self.images.append(line)
        else:
            self.rows.append(line)

    def as_text(self) -> str:
        """Write for a terminal."""
        parts = [f"{self.name}: {self.summary}"]
        if self.rows:
            parts.append(text_table(self.rows))
        parts += self.remarks
        parts += [f"Plot: {image.path}" for image in self.images]
        return "\n".join(parts) + "\n"

    def as_markdown(self, page: Path) -> str:
        """Write a section of a page."""
        parts = [f"## {self.name}", f"{self.summary[0].upper()}{self.summary[1:]}."]
        if self.measured:
            parts.append(f"Measured on {self.measured}.")
        if self.rows:
            parts.append(markdown_table(self.rows))
        parts += self.remarks
        parts += [markdown_image(image.path, image.caption, page) for image in self.images]
        return "\n\n".join(parts) + "\n"


@dataclass(slots=True)
class Report:
    """All findings of a run, with when, on what and by which command."""

    command: str
    machine: Mapping[str, str]
    when: str = field(default_factory=today)
    findings: list[Finding] = field(default_factory=list)

    def head(self) -> str:
        """Say what the numbers were measured on."""
        facts = {"measured": self.when, "command": self.command, **self.machine}
        return "\n".join(f"{name + ':':<11}{value}" for name, value in facts.items()) + "\n"

    def write_json(self, path: Path) -> None:
        """Write everything for programs; a spread is its median, least, greatest and runs."""
        content = {
            "measured": self.when,
            "command": self.command,
            "machine": self.machine,
            "benchmarks": {
                finding.name: {
                    "summary": finding.summary,
                    "rows": finding.rows,
                    "remarks": finding.remarks,
                }
                for finding in self.findings
            },
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, indent=2, ensure_ascii=False, default=_plain)
        path.write_text(text + "\n", encoding="utf-8")

    def write_markdown(self, page: Path) -> None:
        """Write a page for the documentation; sections it has of other benchmarks stay."""
        machine = {**self.machine, PACKAGES: _packages(page, self.machine.get(PACKAGES, ""))}
        # Sections may be of different machines, and say themselves of which.
        told = {name: value for name, value in machine.items() if value and name != PROCESSOR}
        facts = "\n".join(f"- {name}: {value}" for name, value in told.items())
        head = (
            "# Benchmarks\n\nWritten by `python -m benchmarks --markdown FILE`; with names of "
            "benchmarks it measures those alone, and leaves other sections as they are.\n\n"
            f"{facts}\n\n"
            "Contenders take turns in one process. A number is the median of all rounds, with "
            "the least and the greatest in brackets; a ratio is the median of the rounds' "
            "ratios, and above 1 where we are faster. Seconds do not carry over to other "
            "machines, ratios mostly do.\n"
        )
        page.parent.mkdir(parents=True, exist_ok=True)
        found = {finding.name: finding.as_markdown(page) for finding in self.findings}
        sections = _sections(page) | found
        ordered = [sections[name] for name in BENCHMARKS if name in sections]
        page.write_text("\n".join([head, *ordered]), encoding="utf-8")


def _packages(page: Path, now: str) -> str:
    """The packages of this run, and those that other sections of the page were measured with."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    before = re.search(rf"(?m)^- {PACKAGES}: (.*)$", text)
    versions = dict(
        package.rsplit(" ", 1)
        for listed in (before[1] if before else "", now)
        for package in filter(None, listed.split(", "))
    )
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _sections(page: Path) -> dict[str, str]:
    """The sections a page has, by name."""
    if not page.exists():
        return {}
    _, *parts = re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8"))
    return {part.split()[1]: part.rstrip() + "\n" for part in parts}


def _plain(value: object) -> object:
    if isinstance(value, Spread):
        return value.as_dict()
    raise TypeError(f"{type(value).__name__} does not go into JSON")

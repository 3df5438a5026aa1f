"""A check as one HTML page, complete in itself; it fetches nothing and has no script."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from postil.check.check import CorpusCheck
from postil.check.finding import Example, Finding, counted
from postil.check.terminal import sizes
from postil.common.escaping import visible
from postil.common.pages import render_page


def render_check(check: CorpusCheck) -> str:
    """Return the page of a check."""
    return render_page(
        "check.html",
        heading=f"Check of {visible(check.facts.source)}",
        sizes=sizes(check),
        findings=[_section(finding) for finding in check.findings],
        absent=", ".join(check.absent),
        skipped=check.skipped,
    )


def _section(finding: Finding) -> dict[str, Any]:
    several = any(example.group for example in finding.examples)
    groups = [
        [_shown(example) for example in group]
        for _, group in groupby(
            finding.examples, key=lambda each: each.group if several else each.row
        )
    ]
    return {
        "finding": finding,
        "size": counted(finding.count, finding.noun.removesuffix("s")),
        "table": [[visible(cell) for cell in row] for row in finding.rows],
        "words": _word_columns(finding.rows),
        "more": finding.count - len(finding.rows) if finding.rows else 0,
        "groups": groups,
        "total": max(len(finding.groups) or finding.count, len(groups)),
    }


def _word_columns(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Return True for each column that holds something besides numbers."""
    return [
        not all(cell.replace(",", "").isdigit() for cell in column)
        for column in zip(*rows, strict=True)
    ]


def _shown(example: Example) -> dict[str, str]:
    return {
        "id": visible(example.id),
        "split": example.split,
        "labels": ", ".join(map(visible, example.labels)) or "no label",
        "note": visible(example.note),
        "text": visible(example.text),
    }

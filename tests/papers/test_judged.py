"""Every judged table of every paper, computed again: no cell leaves its tolerance.

A cell that is beyond its tolerance must be marked so on the paper's page under ``docs/reproduced``,
and be the page's own number.
Tables that take minutes or hours are marked ``reproduction``; ``make test-all`` runs them.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from postil_papers.loading import load_paper, paper_names
from postil_papers.registry import experiments_of
from postil_papers.results import ResultStore
from postil_papers.runner import reproduce

PAGES = Path(__file__).parents[2] / "docs" / "reproduced"
SECONDS = {  # tables that take seconds
    ("genkin-lewis-madigan-2004", "terms"),
    ("zhang-jin-yang-hauptmann-2003", "table2"),
    ("zhang-oles-2001", "table2"),
}
JUDGED = [
    (name, table.id)
    for name in paper_names()
    for table in load_paper(name).tables
    if table.tolerance is not None
]


def section(name: str, table: str) -> str:
    """The part of a paper's page on one table."""
    page = (PAGES / name / "README.md").read_text(encoding="utf-8")
    return page.partition(f"\n## {table}: ")[2].partition("\n## ")[0]


def marked(text: str) -> dict[tuple[str, str], float]:
    """Our numbers in the cells of a Markdown table that are marked ``!`` or ``*``."""
    rows = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    columns = rows[0][1:]
    return {
        (row[0], column): float(cell.split(" / ")[1])
        for row in rows[2:]
        for column, cell in zip(columns, row[1:], strict=True)
        if "!" in cell or "\\*" in cell
    }


def test_the_marks_of_a_page_are_read():
    page = """\
        ||SVM|NB|
        |-|-:|-:|
        |F1|1 / 2 / +1!|1 / 1 / 0|
        |P|1 / 0 / -1\\* [1]|3|"""
    assert marked(dedent(page)) == {("F1", "SVM"): 2, ("P", "SVM"): 0}


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "table"),
    [
        pytest.param(*case, marks=() if case in SECONDS else pytest.mark.reproduction)
        for case in JUDGED
    ],
)
def test_judged_cells_stay_within_tolerance(name, table, corpus_file):
    corpus_file("reuters")
    # Tables share experiments, and a kept result is of this very code.
    found = reproduce(load_paper(name), experiments_of(name), only=[table], store=ResultStore())
    assert not found.failures
    page = section(name, table)
    (computed,) = found.tables
    judged = [cell for cell in computed.judged if cell.ours is not None]
    assert judged
    shown = marked(page)
    for cell in judged:
        if cell.verdict != "within":
            unit = 10.0 ** -computed.exhibit.decimals_in(cell.key.column)
            # The page rounds, and another computer may differ a little.
            assert cell.ours == pytest.approx(shown[cell.key[1:]], rel=0.01, abs=0.6 * unit)
    assert computed.mean_verdict in (None, "within") or "not met" in page

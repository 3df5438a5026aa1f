"""Reports and comparisons as tables of text; undefined values are shown as ``–``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from postil.common.escaping import visible
from postil.common.numbers import probability_text
from postil.evaluate.counts import MARK, shown
from postil.evaluate.coverage import PRECISIONS, CoverageCurve
from postil.evaluate.details import aimed_table, details, suggestions_table
from postil.evaluate.text_tables import counted, label, p_text, span, text_table

if TYPE_CHECKING:
    from postil.evaluate.comparisons import RunComparison
    from postil.evaluate.report import Report

CONFUSED: Final = 5  # pairs or categories to show


def renderables(report: Report, top: int = 10, *, full: bool = False) -> list[RenderableType]:
    """Return the parts of a report that were measured, for a rich console.

    The number that a reader wants comes first. The full report has every measure, and the rules
    that the numbers follow.
    """
    first = [headlines(report), hierarchical(report), routed(report)]
    if report.provenance.folds is not None:
        first.insert(0, out_of_fold(report))
    text = "\n".join(filter(None, first))
    parts: list[RenderableType] = [Text(text), Text(f"{heading(report)}\n")]
    # With one label a document, the headline has them.
    shown_first = report.accuracy is not None and report.options.aim in ("error", "f1", "micro-f1")
    if report.aimed is not None and not shown_first:
        parts.insert(0, aimed_table(report.aimed, report.counts))
    if full:
        parts += details(report)
    if report.categories and top > 0:
        parts.append(categories_table(report, top, FULL_COLUMNS if full else SHORT_COLUMNS))
    if report.counts.errors.any():
        parts.append(confusion_table(report))
    if report.coverage is not None:
        parts.append(coverage_table(report.coverage))
    suggestions = report.suggestions
    # With one label a document, there is little to rank.
    wanted = report.accuracy is None or report.options.at is not None
    if suggestions is not None and suggestions.at and wanted and not full:
        parts.append(suggestions_table(suggestions))
    return [*parts, Text(footing(report))] if full else parts


def headlines(report: Report) -> str:
    """Return the numbers that a reader wants first, one on each line."""
    return "\n".join(
        f"{name.replace('_f1', '-F1'):8} {shown(each.value):>5} %   "
        f"{each.level:.0%} interval {shown(each.low)} to {shown(each.high)}"
        for name, each in report.headline.items()
    )


def hierarchical(report: Report) -> str:
    """Return a line on the measures that count the labels above, or nothing."""
    if not report.hierarchical:
        return ""
    precision, recall, f1 = map(shown, report.hierarchical.values())
    return f"with the labels above: F1 {f1} %, precision {precision} %, recall {recall} %"


def out_of_fold(report: Report) -> str:
    """Return a line on training documents that are decided without them."""
    documents = counted(report.members.shape[0], "training document")
    return (
        f"out of fold on {documents}: each is decided by one of {report.provenance.folds} models, "
        "which had not seen it"
    )


def routed(report: Report) -> str:
    """Return what the labels with the minimum probability of the options give, or nothing."""
    least, curve = report.options.min_probability, report.coverage
    if least is None or curve is None:
        return ""
    found = curve.from_probability(least)
    if not found.labels_given:
        return "routed      0.0 %   no label is probable enough: all documents are referred"
    precision = found.precision
    return (
        f"routed   {shown(found.coverage):>5} %   of documents, from probability "
        f"{probability_text(least)} on; precision {shown(precision.value)} %, "
        f"{precision.level:.0%} interval {shown(precision.low)} to {shown(precision.high)}"
    )


def heading(report: Report) -> str:
    """Return the origin and size of what was measured."""
    measured = report.measured()
    source = ", ".join(
        f"{word} {measured[key]}"
        for word, key in (
            ("corpus", "corpus"),
            ("tested on", "split"),
            ("method", "method"),
            ("decided by", "decision_rule"),
        )
        if measured[key]
    )
    lines = [source] if source else []
    lines.append(
        f"{counted(measured['documents'], 'document')} "
        f"({measured['documents_without_category']:,} without category), "
        f"{counted(measured['categories'], 'category', 'categories')} "
        f"({measured['categories_without_members']:,} without members)"
    )
    memberships = counted(measured["memberships"], "membership")
    lines.append(f"{memberships}, {measured['accepted']:,} accepted")
    return "\n".join(map(visible, [*lines, *report.provenance.notes]))


SHORT_COLUMNS = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "members": "documents",
}
FULL_COLUMNS = {
    "training_documents": "train",
    "members": "test",
    "true_positives": "TP",
    "false_positives": "FP",
    "false_negatives": "FN",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "break_even_nearest": "break-even, nearest",
    "average_precision": "average precision",
}


def categories_table(report: Report, top: int, labels: Mapping[str, str]) -> Table:
    """Return the largest categories, one on each line; numbers are counts, or shares in %."""
    header, rows = category_cells(report, labels, top)
    table = text_table("largest categories, in %", header, rows)
    if len(report.categories) > top:
        table.caption = f"… and {len(report.categories) - top:,} more\n"
    return table


NUMBERS = {
    *("members", "true_positives", "false_positives", "false_negatives", "true_negatives"),
    "training_documents",
}
"""The columns of numbers of documents, or of sums of their weights; the others are shares."""


def category_cells(
    report: Report, labels: Mapping[str, str], top: int | None = None
) -> tuple[list[str], list[list[str]]]:
    """Return the header and the cells of a table of categories, the largest first.

    Parameters
    ----------
    report:
        The report.
    labels:
        Title of each column of the report to show; columns that were not measured are left out.
    top:
        Number of categories, by default all.
    """
    columns, members = report.columns(), report.counts.members
    wanted = {key: label for key, label in labels.items() if key in columns}
    rows = []
    # The order is by a column that the table shows.
    order = (
        report.order() if "training_documents" in wanted else np.argsort(-members, kind="stable")
    )
    for category in order[:top]:
        values = [columns[key][category] for key in wanted]
        cells = [
            f"{value:,.10g}" if key in NUMBERS or not isinstance(value, float) else shown(value)
            for key, value in zip(wanted, values, strict=True)
        ]
        rows.append([visible(report.titles[category]), *cells])
    return ["category", *wanted.values()], rows


def confusion_table(report: Report) -> Table:
    """Return the most confused categories; with several labels, those missed and given wrongly."""
    names = [visible(name) for name in report.titles]
    if report.accuracy is not None:
        pairs = [
            (names[true], MARK if given is None else names[given], f"{documents:,}")
            for true, given, documents in report.confused[:CONFUSED]
        ]
        return text_table("most confused", ("true", "given", "documents"), pairs, texts=(0, 1))
    sides = [
        [
            (names[c], f"{wrong[c]:,} of {of[c]:,}")
            for c in np.argsort(-wrong, kind="stable")[:CONFUSED]
            if wrong[c]
        ]
        for wrong, of in (
            (report.counts.false_negatives, report.counts.members),
            (report.counts.false_positives, report.counts.accepted),
        )
    ]
    rows = [(*left, "│", *right) for left, right in zip_longest(*sides, fillvalue=("", ""))]
    header = ("most missed", "of documents", "│", "most given wrongly", "of given")
    return text_table("most frequent errors", header, rows, texts=(0, 2, 3))


def coverage_table(curve: CoverageCurve) -> Table:
    """Return the share of documents that get a label at a minimum probability."""
    rows = [
        (
            f"{100 * each:.0f} or more",
            shown(curve.at(each)),
            shown(curve.threshold_at(each), 3, 1.0),
        )
        for each in PRECISIONS
    ]
    header = ("precision", "coverage", "minimum probability")
    return text_table("coverage at a precision, in %", header, rows)


def footing(report: Report) -> str:
    """Return the rules that the numbers follow."""
    rule = report.measured()["undefined"]
    lines = [
        f"{MARK} is undefined (0/0). In macro averages {rule['meaning']}; the column "
        "“undefined” counts them."
    ]
    if report.ranking is not None:
        lines.append(
            "A micro-averaged break-even point adds up counts at each category's own point; "
            "categories without members are left out."
        )
    if report.options.plan is not None:
        plan = report.options.plan
        lines.append(
            f"In brackets: {plan.level:.0%} bootstrap intervals over documents, "
            f"{counted(plan.resamples, 'resample')}, seed {plan.seed}."
        )
    return "\n".join(lines)


def comparison_tables(comparison: RunComparison) -> list[RenderableType]:
    """Return the tests and differences of two runs; ``*`` marks significant ones."""
    left, right, level = comparison.left, comparison.right, comparison.level
    header = ("test", f"{left} better", f"{right} better", "equal", "undefined", "p")
    tests = [
        (
            label(name),
            *(f"{n:,}" for n in (test.left_better, test.right_better, test.equal, test.undefined)),
            p_text(test.p_value, level),
        )
        for name, test in comparison.tests.items()
    ]
    differences = [
        (label(name), shown(each.value, 2), span(each, 2), p_text(each.p_value, level))
        for name, each in comparison.differences.items()
    ]
    columns = ("measure", "difference", "interval", "p")
    return [
        text_table(f"{left} and {right}", header, tests),
        text_table(f"{left} minus {right}, in % points", columns, differences),
        Text(f"* p < {level:g}, each test by itself"),
    ]

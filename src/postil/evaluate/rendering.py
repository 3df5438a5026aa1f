"""Reports and comparisons as tables of text; undefined values are shown as ``–``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from postil.common.escaping import visible
from postil.evaluate.counts import MARK, shown
from postil.evaluate.measures import Aimed, Average, macro

if TYPE_CHECKING:
    from postil.evaluate.comparisons import RunComparison
    from postil.evaluate.ranking import Ranking
    from postil.evaluate.report import Report


def as_text(parts: Sequence[RenderableType], width: int) -> str:
    """Print to a string without colours, in lines of at most ``width`` characters."""
    console = Console(file=StringIO(), width=width, color_system=None, legacy_windows=False)
    for part in parts:
        console.print(part)
    written = console.file.getvalue() if isinstance(console.file, StringIO) else ""
    return "\n".join(line.rstrip() for line in written.splitlines()) + "\n"


def renderables(report: Report, top: int = 10) -> list[RenderableType]:
    """Return the parts of a report that were measured, for a rich console."""
    parts: list[RenderableType] = [Text(heading(report))]
    if report.aimed is not None:
        parts.append(aimed_table(report.aimed))
    parts.append(decisions_table(report))
    if report.ranking is not None:
        parts.append(ranking_table(report, report.ranking))
    if report.pooled_calibration is not None:
        parts.append(calibration_table(report))
    if report.top:
        parts.append(top_table(report))
    if report.categories and top > 0:
        parts.append(categories_table(report, top))
    return [*parts, Text(footing(report))]


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
        f"{_counted(measured['documents'], 'document')} "
        f"({measured['documents_without_category']:,} without category), "
        f"{_counted(measured['categories'], 'category', 'categories')} "
        f"({measured['categories_without_members']:,} without members)"
    )
    memberships = _counted(measured["memberships"], "membership")
    lines.append(f"{memberships}, {measured['accepted']:,} accepted")
    return "\n".join(map(visible, [*lines, *report.provenance.notes]))


def aimed_table(aim: Aimed) -> Table:
    """Return the measure that the model was trained for; it comes first in a report."""
    table = _table(f"aimed at {aim.measure}", ("measure", "micro", "macro", "undefined"))
    digits = 2 if aim.less_is_better else 1
    table.add_row(
        Text(f"{_aim_label(aim)}, in %"),
        shown(aim.micro, digits),
        shown(aim.macro.value, digits),
        _undefined(aim.macro),
    )
    if aim.reached is not None:
        kept = f"{aim.reached:,} of {aim.categories:,}"
        table.add_row(Text("the floor holds"), "yes" if aim.micro_reached else "no", kept, "")
    if aim.total is not None:
        mean = aim.total / max(1, aim.macro.categories)
        table.add_row(
            Text(f"{aim.measure.partition('(')[0]}, summed"), f"{aim.total:,g}", f"{mean:,g}"
        )
    return table


# The measure that is maximised, by the one that has a floor.
_OTHERS = {"recall": "precision", "precision": "recall"}


def _aim_label(aim: Aimed) -> str:
    if aim.total is not None:
        return "share of the value of perfect decisions, above giving nothing"
    kept, floor, _ = aim.measure.removeprefix("micro-").partition(">=")
    return _OTHERS[kept] if floor else _label(kept.replace("-", "_"))


def decisions_table(report: Report) -> Table:
    """Return micro and macro measures, both kinds of macro-F1, accuracy and intervals."""
    table = _table("decisions, in %", ("measure", "micro", "macro", "undefined"))
    for name, average in report.macro.items():
        digits = 2 if name == "error" else 1
        table.add_row(
            "F1 (macro: mean of F1)" if name == "f1" else _label(name),
            _with_interval(report, f"micro_{name}", report.micro[name], digits),
            _with_interval(report, f"macro_{name}", average.value, digits),
            _undefined(average),
        )
    means = report.macro_f1_of_means
    shown_means = _with_interval(report, "macro_f1_of_means", means.value)
    table.add_row("F1 of mean precision, mean recall", "", shown_means, _undefined(means))
    name = "exact match" if report.accuracy is None else "accuracy"
    table.add_row(f"{name} (documents)", _with_interval(report, "exact_match", report.exact_match))
    return table


def ranking_table(report: Report, ranking: Ranking) -> Table:
    """Return break-even points by definition, average precision and ROC area."""
    rule = report.options.undefined
    table = _table("rankings, in %", ("measure", "micro", "macro", "undefined"))
    for name, points in ranking.break_even.items():
        average = points.macro(rule)
        label = f"break-even, {name}"
        table.add_row(label, shown(points.micro), shown(average.value), _undefined(average))
    average = macro(ranking.average_precisions, rule)
    for name, curve in ranking.precision_recall.items():
        beside = (shown(average.value), _undefined(average)) if name == "pooled" else ("", "")
        table.add_row(f"average precision, {name}", shown(curve.average_precision), *beside)
    area = macro(ranking.roc_areas, rule)
    table.add_row("ROC area", shown(ranking.roc.area), shown(area.value), _undefined(area))
    return table


def calibration_table(report: Report) -> Table:
    """Return calibration of all pairs together and averaged over categories."""
    table = _table("probabilities", ("measure", "pooled", "macro", "undefined"))
    pooled = report.pooled_calibration
    for name, average in report.macro_calibration.items():
        value = pooled.measures()[name] if pooled else None
        cells = (shown(value, 4, 1), shown(average.value, 4, 1), _undefined(average))
        table.add_row(_label(name), *cells)
    return table


def top_table(report: Report) -> Table:
    """Return averages over the categories with the most training documents."""
    header = (
        "largest categories",
        "macro-F1",
        "undefined",
        "micro-F1",
        "micro break-even, nearest",
    )
    table = _table("over the categories with the most training documents, in %", header)
    for each in report.top:
        table.add_row(
            f"{each.k:,}",
            shown(each.macro_f1.value),
            _undefined(each.macro_f1),
            shown(each.micro_f1),
            shown(each.micro_break_even),
        )
    return table


_CATEGORY_COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("training_documents", "train", False),
    ("members", "test", False),
    ("true_positives", "TP", False),
    ("false_positives", "FP", False),
    ("false_negatives", "FN", False),
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("f1", "F1", True),
    ("break_even_nearest", "break-even, nearest", True),
    ("average_precision", "average precision", True),
)


def categories_table(report: Report, top: int) -> Table:
    """Return the largest categories, one on each line."""
    columns = report.columns()
    wanted = [each for each in _CATEGORY_COLUMNS if each[0] in columns]
    table = _table("categories, in %", ("category", *(label for _, label, _ in wanted)))
    for category in report.order()[:top]:
        cells = [
            shown(float(columns[key][category])) if share else f"{columns[key][category]:,}"
            for key, _, share in wanted
        ]
        table.add_row(Text(visible(report.categories[category])), *cells)
    if len(report.categories) > top:
        table.caption = f"… and {len(report.categories) - top:,} more"
    return table


def footing(report: Report) -> str:
    """Return the rules that the numbers follow."""
    undefined = report.measured()["undefined"]
    lines = [
        f"{MARK} is undefined (0/0). In macro averages {undefined['meaning']}; the column "
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
            f"{_counted(plan.resamples, 'resample')}, seed {plan.seed}."
        )
    return "\n".join(lines)


def comparison_tables(comparison: RunComparison) -> list[RenderableType]:
    """Return the tests and differences of two runs; ``*`` marks significant ones."""
    left, right = comparison.left, comparison.right
    tests = _table(
        f"{left} and {right}",
        ("test", f"{left} better", f"{right} better", "equal", "undefined", "p"),
    )
    for name, test in comparison.tests.items():
        tallies = (test.left_better, test.right_better, test.equal, test.undefined)
        tests.add_row(
            _label(name), *(f"{tally:,}" for tally in tallies), _p(test.p_value, comparison.level)
        )
    header = ("measure", "difference", "interval", "p")
    differences = _table(f"{left} minus {right}, in % points", header)
    for name, each in comparison.differences.items():
        interval = each.interval
        span = f"[{shown(interval.low, 2)}, {shown(interval.high, 2)}]"
        differences.add_row(
            _label(name), shown(interval.value, 2), Text(span), _p(each.p_value, comparison.level)
        )
    return [tests, differences, Text(f"* p < {comparison.level:g}, each test by itself")]


def _table(title: str, header: Sequence[str]) -> Table:
    table = Table(
        title=Text(visible(title), "bold"),
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column(Text(visible(header[0])), overflow="ellipsis")
    for name in header[1:]:
        table.add_column(Text(visible(name)), justify="right")
    return table


def _with_interval(report: Report, name: str, value: float, digits: int = 1) -> Text:
    interval = report.intervals.get(name)
    span = ""
    if interval is not None:
        span = f" [{shown(interval.low, digits)}, {shown(interval.high, digits)}]"
    return Text(shown(value, digits) + span)


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _undefined(average: Average) -> str:
    return f"{average.undefined:,} of {average.categories:,}"


_WORDS = {"f1": "F1", "brier": "Brier", "mcnemar": "McNemar", "wilcoxon": "Wilcoxon"}


def _label(name: str) -> str:
    return " ".join(_WORDS.get(word, _beta(word)) for word in name.split("_"))


def _beta(word: str) -> str:
    """Write F0.5 for f0.5; leave all other words."""
    return word.capitalize() if word[0] == "f" and word[1:2].isdigit() else word


def _p(value: float, level: float) -> str:
    if math.isnan(value):
        return MARK
    mark = "*" if value < level else ""
    return f"{value:.4f}{mark}" if value >= 0.0001 else f"< 0.0001{mark}"

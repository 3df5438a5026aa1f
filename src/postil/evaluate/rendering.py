"""Reports and comparisons as tables of text; undefined values are shown as ``–``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    from postil.evaluate.bootstrap import Interval
    from postil.evaluate.calibration import Calibration
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
        parts.append(calibration_table(report, report.pooled_calibration))
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
    digits = 2 if aim.less_is_better else 1
    micro = shown(aim.micro, digits)
    rows = [(f"{_aim_label(aim)}, in %", micro, *_averaged(aim.macro, digits))]
    if aim.reached is not None:
        kept = f"{aim.reached:,} of {aim.categories:,}"
        rows.append(("the floor holds", "yes" if aim.micro_reached else "no", kept, ""))
    if aim.total is not None:
        mean = aim.total / max(1, aim.macro.categories)
        name = f"{aim.measure.partition('(')[0]}, summed"
        rows.append((name, f"{aim.total:,g}", f"{mean:,g}", ""))
    return _table(f"aimed at {aim.measure}", AVERAGES, rows)


# The measure that is maximised, by the one that has a floor.
_OTHERS = {"recall": "precision", "precision": "recall"}


def _aim_label(aim: Aimed) -> str:
    if aim.total is not None:
        return "share of the value of perfect decisions, above giving nothing"
    kept, floor, _ = aim.measure.removeprefix("micro-").partition(">=")
    return _OTHERS[kept] if floor else _label(kept.replace("-", "_"))


def decisions_table(report: Report) -> Table:
    """Return micro and macro measures, both kinds of macro-F1, accuracy and intervals."""

    def with_interval(name: str, value: float, digits: int = 1) -> str:
        interval = report.intervals.get(name)
        return shown(value, digits) + (f" {_span(interval, digits)}" if interval else "")

    rows = []
    for name, average in report.macro.items():
        digits = 2 if name == "error" else 1
        rows.append(
            (
                "F1 (macro: mean of F1)" if name == "f1" else _label(name),
                with_interval(f"micro_{name}", report.micro[name], digits),
                with_interval(f"macro_{name}", average.value, digits),
                _undefined(average),
            )
        )
    means = report.macro_f1_of_means
    shown_means = with_interval("macro_f1_of_means", means.value)
    rows.append(("F1 of mean precision, mean recall", "", shown_means, _undefined(means)))
    name = "exact match" if report.accuracy is None else "accuracy"
    exact = with_interval("exact_match", report.exact_match)
    rows.append((f"{name} (documents)", exact, "", ""))
    return _table("decisions, in %", AVERAGES, rows)


def ranking_table(report: Report, ranking: Ranking) -> Table:
    """Return break-even points by definition, average precision and ROC area."""
    rule = report.options.undefined
    rows = [
        (f"break-even, {name}", shown(points.micro), *_averaged(points.macro(rule)))
        for name, points in ranking.break_even.items()
    ]
    average = _averaged(macro(ranking.average_precisions, rule))
    for name, curve in ranking.precision_recall.items():
        beside = average if name == "pooled" else ("", "")
        rows.append((f"average precision, {name}", shown(curve.average_precision), *beside))
    rows.append(("ROC area", shown(ranking.roc.area), *_averaged(macro(ranking.roc_areas, rule))))
    return _table("rankings, in %", AVERAGES, rows)


def calibration_table(report: Report, pooled: Calibration) -> Table:
    """Return calibration of all pairs together and averaged over categories."""
    measured = pooled.measures()
    rows = [
        (_label(name), shown(measured[name], 4, 1), *_averaged(average, 4, 1))
        for name, average in report.macro_calibration.items()
    ]
    return _table("probabilities", ("measure", "pooled", "macro", "undefined"), rows)


def top_table(report: Report) -> Table:
    """Return averages over the categories with the most training documents."""
    last = ("micro-F1", "micro break-even, nearest")
    header = ("largest categories", "macro-F1", "undefined", *last)
    rows = [
        (
            f"{each.k:,}",
            *_averaged(each.macro_f1),
            shown(each.micro_f1),
            shown(each.micro_break_even),
        )
        for each in report.top
    ]
    return _table("over the categories with the most training documents, in %", header, rows)


_CATEGORY_COLUMNS = {
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


def categories_table(report: Report, top: int) -> Table:
    """Return the largest categories, one on each line; numbers are counts, or shares in %."""
    columns = report.columns()
    wanted = {key: label for key, label in _CATEGORY_COLUMNS.items() if key in columns}
    rows = []
    for category in report.order()[:top]:
        values = [columns[key][category] for key in wanted]
        cells = [shown(v) if isinstance(v, float) else f"{v:,}" for v in values]
        rows.append([visible(report.categories[category]), *cells])
    table = _table("categories, in %", ("category", *wanted.values()), rows)
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
    left, right, level = comparison.left, comparison.right, comparison.level
    header = ("test", f"{left} better", f"{right} better", "equal", "undefined", "p")
    tests = [
        (
            _label(name),
            *(f"{n:,}" for n in (test.left_better, test.right_better, test.equal, test.undefined)),
            _p(test.p_value, level),
        )
        for name, test in comparison.tests.items()
    ]
    differences = [
        (_label(name), shown(each.value, 2), _span(each, 2), _p(each.p_value, level))
        for name, each in comparison.differences.items()
    ]
    columns = ("measure", "difference", "interval", "p")
    return [
        _table(f"{left} and {right}", header, tests),
        _table(f"{left} minus {right}, in % points", columns, differences),
        Text(f"* p < {level:g}, each test by itself"),
    ]


AVERAGES = ("measure", "micro", "macro", "undefined")


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table whose first column is text and whose others are numbers."""
    table = Table(
        title=Text(visible(title), "bold"),
        box=SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    table.add_column(Text(visible(header[0])), overflow="ellipsis")
    for name in header[1:]:
        longest = max(map(len, name.split()), default=1)  # a header is wrapped, never cut
        table.add_column(Text(visible(name)), justify="right", min_width=longest)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _averaged(average: Average, digits: int = 1, scale: float = 100.0) -> tuple[str, str]:
    return shown(average.value, digits, scale), _undefined(average)


def _undefined(average: Average) -> str:
    return f"{average.undefined:,} of {average.categories:,}"


def _span(interval: Interval, digits: int) -> str:
    return f"[{shown(interval.low, digits)}, {shown(interval.high, digits)}]"


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


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

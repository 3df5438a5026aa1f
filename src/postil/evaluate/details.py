"""The tables of a full report: every measure of decisions, rankings and probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table

from postil.evaluate.counts import shown
from postil.evaluate.measures import Aimed, macro
from postil.evaluate.text_tables import averaged, label, span, text_table, undefined_of

if TYPE_CHECKING:
    from postil.evaluate.calibration import Calibration
    from postil.evaluate.counts import Counts
    from postil.evaluate.ranking import Ranking
    from postil.evaluate.report import Report
    from postil.evaluate.suggestions import Suggestions

AVERAGES = ("measure", "micro", "macro", "undefined")


def details(report: Report) -> list[RenderableType]:
    """Return the tables of every measure of decisions, rankings and probabilities."""
    parts: list[RenderableType] = [decisions_table(report)]
    if report.ranking is not None:
        parts.append(ranking_table(report, report.ranking))
    if report.suggestions is not None and report.suggestions.at:
        parts.append(suggestions_table(report.suggestions))
    if report.pooled_calibration is not None:
        parts.append(calibration_table(report, report.pooled_calibration))
    if report.top:
        parts.append(top_table(report))
    return parts


def aimed_table(aim: Aimed, counts: Counts) -> Table:
    """Return the measure that the model was trained for; it comes first in a report.

    What a floor costs is also seen in the number of labels that documents are given.
    """
    digits = 2 if aim.less_is_better else 1
    micro = shown(aim.micro, digits)
    rows = [(f"{_aim_label(aim)}, in %", micro, *averaged(aim.macro, digits))]
    if aim.reached is not None:
        kept = f"{aim.reached:,} of {aim.categories:,}"
        rows.append(("the floor holds", "yes" if aim.micro_reached else "no", kept, ""))
        if aim.unused:
            rows.append(("given to no document", "", f"{aim.unused:,} more", ""))
        given, true = (
            each.sum() / max(1, counts.cases) for each in (counts.accepted, counts.members)
        )
        rows.append((f"labels a document ({true:.1f} true)", f"{given:.1f}", "", ""))
    if aim.total is not None:
        mean = aim.total / max(1, aim.macro.categories)
        name = f"{aim.measure.partition('(')[0]}, summed"
        rows.append((name, f"{aim.total:,g}", f"{mean:,g}", ""))
    return text_table(f"aimed at {aim.measure}", AVERAGES, rows)


# The measure that is maximised, by the one that has a floor.
_OTHERS = {"recall": "precision", "precision": "recall"}


def _aim_label(aim: Aimed) -> str:
    if aim.total is not None:
        return "share of the value of perfect decisions, above giving nothing"
    kept, floor, _ = aim.measure.removeprefix("micro-").partition(">=")
    return _OTHERS[kept] if floor else label(kept.replace("-", "_"))


def decisions_table(report: Report) -> Table:
    """Return micro and macro measures, both kinds of macro-F1, accuracy and intervals."""

    def with_interval(name: str, value: float, digits: int = 1) -> str:
        interval = report.intervals.get(name)
        return shown(value, digits) + (f" {span(interval, digits)}" if interval else "")

    rows = []
    for name, average in report.macro.items():
        digits = 2 if name == "error" else 1
        rows.append(
            (
                "F1 (macro: mean of F1)" if name == "f1" else label(name),
                with_interval(f"micro_{name}", report.micro[name], digits),
                with_interval(f"macro_{name}", average.value, digits),
                undefined_of(average),
            )
        )
    means = report.macro_f1_of_means
    shown_means = with_interval("macro_f1_of_means", means.value)
    rows.append(("F1 of mean precision, mean recall", "", shown_means, undefined_of(means)))
    name = "exact match" if report.accuracy is None else "accuracy"
    exact = with_interval("exact_match", report.exact_match)
    rows.append((f"{name} (documents)", exact, "", ""))
    return text_table("decisions, in %", AVERAGES, rows)


def ranking_table(report: Report, ranking: Ranking) -> Table:
    """Return break-even points by definition, average precision and ROC area."""
    rule = report.options.undefined
    rows = [
        (f"break-even, {name}", shown(points.micro), *averaged(points.macro(rule)))
        for name, points in ranking.break_even.items()
    ]
    average = averaged(macro(ranking.average_precisions, rule))
    for name, curve in ranking.precision_recall.items():
        beside = average if name == "pooled" else ("", "")
        rows.append((f"average precision, {name}", shown(curve.average_precision), *beside))
    rows.append(("ROC area", shown(ranking.roc.area), *averaged(macro(ranking.roc_areas, rule))))
    return text_table("rankings, in %", AVERAGES, rows)


def suggestions_table(suggestions: Suggestions) -> Table:
    """Return how well the first labels of documents fit, whatever the thresholds."""
    ranks = suggestions.at
    rows = [
        (title, *map(shown, values), *[""] * (len(ranks) - len(values)))
        for title, values in suggestions.rows()
    ]
    header = ("measure", *(f"at {each.k:,}" for each in ranks))
    return text_table("the first labels as suggestions, in %", header, rows)


def calibration_table(report: Report, pooled: Calibration) -> Table:
    """Return calibration of all pairs together and averaged over categories."""
    measured = pooled.measures()
    rows = [
        (label(name), shown(measured[name], 4, 1), *averaged(average, 4, 1))
        for name, average in report.macro_calibration.items()
    ]
    return text_table("probabilities", ("measure", "pooled", "macro", "undefined"), rows)


def top_table(report: Report) -> Table:
    """Return averages over the categories with the most training documents."""
    last = ("micro-F1", "micro break-even, nearest")
    header = ("largest categories", "macro-F1", "undefined", *last)
    rows = [
        (
            f"{each.k:,}",
            *averaged(each.macro_f1),
            shown(each.micro_f1),
            shown(each.micro_break_even),
        )
        for each in report.top
    ]
    return text_table("over the categories with the most training documents, in %", header, rows)

"""The charts of a report: precision and recall, coverage, reliability, learning curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from postil.evaluate.calibration import Calibration
from postil.evaluate.counts import shown
from postil.evaluate.coverage import coverage_curve
from postil.plots.figure import Axis, Figure, Line, Panel, Stroke
from postil.report.study import Measured
from postil.report.training import LearningCurve

POINTS = 201
PERCENT = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
MINIMA = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


class Chart(NamedTuple):
    """A figure, a sentence on how to read it, and its main numbers as a table."""

    figure: Figure
    reading: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def precision_recall_chart(measured: Measured) -> Chart | None:
    """Return precision against recall of all pairs, and the point of the decisions."""
    ranking = measured.report.ranking
    if ranking is None or not measured.truth.nnz:
        return None
    curve = ranking.precision_recall["pooled"].to_dict(POINTS)
    micro = measured.report.micro
    lines = [_line("one threshold for all", curve["recall"], curve["precision"])]
    if not np.isnan([micro["recall"], micro["precision"]]).any():
        here = [micro["recall"]], [micro["precision"]]
        lines.append(_line("the decisions", *here, joined=False, marked=True))
    area = shown(ranking.precision_recall["pooled"].average_precision)
    return Chart(
        _figure("precision-recall", "Precision against recall", "recall", "precision", lines),
        "All pairs of a document and a category are ranked together; average precision "
        f"{area}\u00a0%. The decisions need not be on the line: each category has a threshold of "
        "its own, or the categories of a document compete.",
    )


def coverage_chart(measured: Measured) -> Chart | None:
    """Return precision against coverage as the minimum probability of a label rises."""
    if measured.probabilities is None or not measured.decisions.nnz:
        return None
    found = coverage_curve(measured.truth, measured.decisions, measured.probabilities)
    kept = np.unique(np.linspace(0, len(found.thresholds) - 1, POINTS).round().astype(np.int64))
    line = _line("given labels", found.coverage[kept].tolist(), found.precision[kept].tolist())
    rows = []
    for least in MINIMA:
        at = np.count_nonzero(found.thresholds >= least) - 1
        if at >= 0:
            shares = shown(float(found.precision[at])), shown(float(found.coverage[at]))
            rows.append((f"{least:g}", *shares))
    figure = _figure("coverage", "Precision against coverage", "coverage", "precision", [line])
    return Chart(
        figure,
        "A given label is kept only if its probability reaches a minimum. Coverage is the share of "
        "documents that keep a label; the others are left for a person.",
        ("minimum probability", "precision, %", "coverage, %"),
        tuple(rows),
    )


def reliability_chart(calibration: Calibration | None) -> Chart | None:
    """Return the observed share of members against the mean probability, bin by bin."""
    if calibration is None:
        return None
    some = calibration.cases > 0
    means, observed = calibration.probability[some], calibration.observed[some]
    lines = [
        _line("observed", means.tolist(), observed.tolist(), marked=True),
        _line("as it should be", [0.0, 1.0], [0.0, 1.0], dashed=True),
    ]
    rows = tuple(
        (shown(float(mean)), shown(float(share)), f"{int(cases):,}")
        for mean, share, cases in zip(means, observed, calibration.cases[some], strict=True)
    )
    return Chart(
        _figure("reliability", "Reliability", "mean probability", "share of members", lines),
        "Of the pairs of a document and a category with a probability near 70\u00a0%, about "
        "70\u00a0% should be right. Expected calibration error "
        f"{calibration.expected_error:.4f}, Brier score {calibration.brier:.4f}.",
        ("mean probability, %", "share of members, %", "pairs"),
        rows,
    )


def learning_chart(curve: LearningCurve | None) -> Chart | None:
    """Return the quality on held-out documents against the number of training documents."""
    if curve is None or np.isnan(curve.values).any():
        return None
    means, sizes = 100 * curve.values.mean(axis=0), tuple(map(float, curve.documents))
    each = {
        f"fold {number}": tuple((100 * values).tolist())
        for number, values in enumerate(curve.values, 1)
    }
    lines = [Line("mean", sizes, tuple(means.tolist())), *_dots(sizes, each)]
    figure = Figure(
        "learning",
        "Learning curve",
        Axis("documents learned from", "log", ticks=sizes),
        Axis(f"{curve.measure}, in %"),
        (Panel(tuple(lines)),),
    )
    gain = means[-1] - means[-2]
    columns = zip(*each.values(), strict=True)
    return Chart(
        figure,
        f"The {curve.measure} on two folds that were held out. The last doubling of the documents "
        f"changed it by {gain:+.1f} points: a curve that still rises asks for more documents.",
        ("documents", "mean, %", *(f"{name}, %" for name in each)),
        tuple(
            (f"{size:,.0f}", f"{mean:.1f}", *(f"{value:.1f}" for value in values))
            for size, mean, values in zip(sizes, means, columns, strict=True)
        ),
    )


def _dots(sizes: tuple[float, ...], each: dict[str, tuple[float, ...]]) -> list[Line]:
    return [Line("each fold", sizes, values, joined=False) for values in each.values()]


def _line(
    name: str,
    x: list[float],
    y: list[float],
    *,
    joined: bool = True,
    marked: bool = False,
    dashed: bool = False,
) -> Line:
    """Return a line of shares, in percent."""
    across, up = (tuple(100 * value for value in values) for values in (x, y))
    stroke: Stroke = "dashed" if dashed else "solid"
    return Line(name, across, up, stroke=stroke, joined=joined, marked=marked)


def _figure(identity: str, title: str, x: str, y: str, lines: list[Line]) -> Figure:
    across, up = (Axis(f"{name}, in %", ticks=PERCENT) for name in (x, y))
    return Figure(identity, title, across, up, (Panel(tuple(lines)),), legend=len(lines) > 1)

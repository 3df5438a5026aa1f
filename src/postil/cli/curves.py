"""Precision-recall and ROC curves as a file: of all categories together, and of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from postil.cli.console import json_text
from postil.cli.failures import check_output, naming

if TYPE_CHECKING:
    from postil.assessment import Assessment

FORMATS = (".csv", ".json")
HEADER = (
    "curve",
    "averaging",
    "category",
    "threshold",
    "recall",
    "precision",
    "false_positive_rate",
)
# What a point of each curve holds, by the names of the header.
POINTS = {
    "precision_recall": {"recall": "recall", "precision": "precision"},
    "roc": {"recall": "true_positive_rate", "false_positive_rate": "false_positive_rate"},
}


def check_curves_file(target: Path, *inputs: str | Path) -> None:
    """Refuse a file that could not be written, before anything is measured."""
    if target.suffix not in FORMATS:
        raise typer.BadParameter(f"--curves is a file .csv or .json, not {str(target)!r}")
    check_output(target, *inputs)


def write_curves(measured: Assessment, target: Path) -> None:
    """Write the curves, each of at most about as many points as JSON reports hold.

    Cost: sorting the documents for each category; memory for one category at a time.
    """
    from postil.corpus.files.atomic import output_file

    with naming(target), output_file(target) as file:
        for piece in (_as_csv if target.suffix == ".csv" else _as_json)(measured):
            file.write(piece.encode())


def _curves(measured: Assessment) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Every curve: its kind, the averaging or the category it is of, and its points."""
    from postil.evaluate import cuts_of_categories, precision_recall_curve, roc_curve

    report = measured.report
    points = report.options.curve_points
    assert report.ranking is not None
    for averaging, curve in report.ranking.precision_recall.items():
        yield "precision_recall", averaging, "", curve.to_dict(points)
    yield "roc", "pooled", "", report.ranking.roc.to_dict(points)
    each = cuts_of_categories(measured.truth, measured.scores)
    for category, cuts in zip(report.categories, each, strict=True):
        yield "precision_recall", "", category, precision_recall_curve(cuts).to_dict(points)
        yield "roc", "", category, roc_curve(cuts).to_dict(points)


def _as_json(measured: Assessment) -> Iterator[str]:
    before = "[\n"
    for kind, averaging, category, curve in _curves(measured):
        of = {"averaging": averaging or None, "category": category if not averaging else None}
        yield before + json_text({"curve": kind, **of, **curve})
        before = ",\n"
    yield "\n]\n"


def _as_csv(measured: Assessment) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, HEADER, restval="", lineterminator="\n")
    writer.writeheader()
    for kind, averaging, category, curve in _curves(measured):
        columns = {"threshold": curve["thresholds"]}
        columns |= {name: curve[of] for name, of in POINTS[kind].items()}
        for values in zip(*columns.values(), strict=True):
            point = dict(zip(columns, values, strict=True))
            writer.writerow({"curve": kind, "averaging": averaging, "category": category, **point})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()

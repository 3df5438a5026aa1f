"""The files of `postil evaluate`: curves, the plot of coverage, and wrong documents."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postil.cli.console import json_text, say
from postil.cli.files import check_output, naming_errors
from postil.corpus.document import Document, text_start
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.common.types import Floats
    from postil.evaluate import Report
    from postil.train.assess import Assessment

ENDINGS = {
    "--curves": (".csv", ".json"),
    "--errors": (".csv", ".jsonl"),
    "--plot": (".svg", ".png"),
}
LEVELS = (0.90, 0.95, 0.99)
"""The precisions that the plot shows."""

HEADER = (
    "curve",
    "averaging",
    "category",
    "threshold",
    "recall",
    "precision",
    "false_positive_rate",
    "coverage",
)
# The values of each kind of curve, by the columns of the header.
POINTS = {
    "precision_recall": {"recall": "recall", "precision": "precision"},
    "roc": {"recall": "true_positive_rate", "false_positive_rate": "false_positive_rate"},
    "coverage": {"precision": "precision", "coverage": "coverage"},
}
ERROR_COLUMNS = (
    "id",
    "true",
    "given",
    "given_probabilities",
    "missed",
    "missed_probabilities",
    "confidence",
    "text",
)


def check_files(files: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Refuse files of the wrong kind, and those that cannot be written, before any work."""
    for option, target in files.items():
        if target is None:
            continue
        if target.suffix not in ENDINGS[option]:
            endings = " or ".join(ENDINGS[option])
            raise UsageError(f"{option} is a file {endings}, not {str(target)!r}")
        check_output(target, *inputs)
        if option == "--plot":
            from postil.plots.drawing import require_plots

            require_plots()


class Starts:
    """The start of the text of each document that is measured, on one line."""

    def __init__(self) -> None:
        self._marked: list[str] = []
        self._others: list[str] = []

    def of(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents and keep the start of each."""
        for document in documents:
            kept = self._marked if document.split == "test" else self._others
            kept.append(text_start(document))
            yield document

    @property
    def measured(self) -> list[str]:
        """The starts of the documents marked test, or of all if none is marked."""
        return self._marked or self._others


def write_errors(measured: Assessment, starts: Sequence[str], target: Path) -> int:
    """Write the wrong documents, the most confident mistakes first, and return their number.

    The confidence in a mistake is the largest probability of a label that was wrongly given, or of
    one minus that of a label that was missed; if one label took the place of another, that of the
    given one. Without probabilities the order is that of the documents.
    """
    from postil.common.files import output_file

    as_csv = target.suffix == ".csv"
    rows = 0
    with naming_errors(target), output_file(target) as file:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, ERROR_COLUMNS, lineterminator="\n")
        if as_csv:
            writer.writeheader()
        for error in _errors(measured, starts):
            rows += 1
            if as_csv:
                writer.writerow({name: _cell(value) for name, value in error.items()})
            else:
                buffer.write(json_text(error) + "\n")
            file.write(buffer.getvalue().encode("utf-8", "backslashreplace"))
            buffer.seek(0)
            buffer.truncate()
        file.write(buffer.getvalue().encode())
    return rows


def _cell(value: Any) -> str:  # noqa: ANN401 - a value of JSON
    if isinstance(value, list):
        return ";".join(map(str, value))
    return "" if value is None else str(value)


def _errors(measured: Assessment, starts: Sequence[str]) -> Iterator[dict[str, Any]]:
    import numpy as np

    from postil.evaluate.measures import decided_rightly

    wrong = np.flatnonzero(~decided_rightly(measured.truth, measured.decisions))
    names, probabilities = measured.report.titles, measured.probabilities
    confidence: list[float | None] = [None] * len(wrong)
    if probabilities is not None:
        sure = np.array([_confidence(measured, probabilities, row) for row in wrong.tolist()])
        order = np.argsort(-sure, kind="stable")
        wrong, confidence = wrong[order], sure[order].tolist()
    for row, sure_of in zip(wrong.tolist(), confidence, strict=True):
        true, given = _columns(measured.truth, row), _columns(measured.decisions, row)
        missed = [column for column in true if column not in given]
        if probabilities is not None:
            given.sort(key=lambda column: -probabilities[row, column])
        yield {
            "id": measured.ids[row],
            "true": [names[column] for column in true],
            "given": [names[column] for column in given],
            "given_probabilities": _rounded(probabilities, row, given),
            "missed": [names[column] for column in missed],
            "missed_probabilities": _rounded(probabilities, row, missed),
            "confidence": None if sure_of is None else round(sure_of, 6),
            "text": starts[row] if row < len(starts) else "",
        }


def _columns(indicator: Any, row: int) -> list[int]:  # noqa: ANN401 - a CSR matrix
    columns: list[int] = indicator.indices[
        indicator.indptr[row] : indicator.indptr[row + 1]
    ].tolist()
    return sorted(columns)


def _confidence(measured: Assessment, probabilities: Floats, row: int) -> float:
    true, given = _columns(measured.truth, row), _columns(measured.decisions, row)
    wrongly = [probabilities[row, column] for column in given if column not in true]
    missed = [1 - probabilities[row, column] for column in true if column not in given]
    return float(max(wrongly if len(true) == len(given) == 1 else wrongly + missed))


def _rounded(probabilities: Floats | None, row: int, columns: list[int]) -> list[float] | None:
    if probabilities is None:
        return None
    return [round(float(probabilities[row, column]), 6) for column in columns]


def write_plot(report: Report, target: Path) -> None:
    """Draw precision at each coverage, with some precisions as levels."""
    from postil.common.files import output_file
    from postil.plots.drawing import png_bytes, svg_bytes
    from postil.plots.figure import Axis, Figure, Level, Line, Panel

    if report.coverage is None:
        raise UsageError(
            "--plot shows coverage against precision, which needs probabilities, and the model has "
            "none; train it with a calibration"
        )
    points = report.coverage.points(report.options.curve_points)
    across = tuple(100 * each for each in points["coverage"])
    up = tuple(100 * each for each in points["precision"])
    lowest = min(up, default=0.0)
    levels = [
        Level("coverage", 100 * least, f"{least:.0%}: {100 * found:.1f}% of documents")
        for least in LEVELS
        if (found := report.coverage.at(least)) is not None and 100 * least >= lowest
    ]
    line = Line("precision", across, up, marked=False)
    figure = Figure(
        "coverage",
        "Precision of the labels given, by coverage",
        Axis("documents with a label, in %"),
        Axis("precision, in %"),
        (Panel((line, *levels)),),
        legend=False,
    )
    drawn = (svg_bytes if target.suffix == ".svg" else png_bytes)(figure)
    with naming_errors(target), output_file(target) as file:
        file.write(drawn)
    say(f"wrote {target}")


def write_curves(measured: Assessment, target: Path) -> None:
    """Write all curves, each thinned to about as many points as JSON reports hold.

    The scores of one category at a time are sorted.
    """
    from postil.common.files import output_file

    with naming_errors(target), output_file(target) as file:
        for piece in (_as_csv if target.suffix == ".csv" else _as_json)(measured):
            file.write(piece.encode())


def _curves(measured: Assessment) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield each curve: its kind, its averaging or its category, and its points."""
    from postil.evaluate.curves import cuts_of_categories, precision_recall_curve, roc_curve

    report = measured.report
    points = report.options.curve_points
    assert report.ranking is not None
    for averaging, curve in report.ranking.precision_recall.items():
        yield "precision_recall", averaging, "", curve.to_dict(points)
    yield "roc", "pooled", "", report.ranking.roc.to_dict(points)
    if report.coverage is not None:
        yield "coverage", "given", "", report.coverage.points(points)
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

"""The report of a model as one HTML page, complete in itself.

The page fetches nothing and escapes everything that comes from outside. Its only script sorts
tables; the page's policy names the script by its digest, so that no other can run.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from postil.common.escaping import visible
from postil.common.pages import render_page
from postil.evaluate.counts import shown
from postil.evaluate.headline import headline as first_numbers
from postil.explain.explanation import verdict
from postil.explain.page import marked_fields
from postil.model.leaderboard import leaderboard
from postil.model.overview import Facts, gather
from postil.model.route import route_sentence
from postil.plots.svg import line_chart
from postil.report.charts import (
    Chart,
    coverage_chart,
    learning_chart,
    precision_recall_chart,
    reliability_chart,
)
from postil.report.tables import (
    Table,
    category_table,
    cells_of,
    confusion_table,
    doubt_table,
    error_table,
    fit_facts,
    suggestion_table,
    term_table,
    together_table,
)
from postil.report.training import KNOWN, SURE, UNLIKELY

if TYPE_CHECKING:
    from postil.report.study import Measured, Mistake, Study

TERMS = 8
TEXT = 1500
Z = 1.959964  # the quantile of a Gaussian for 95 %


def render_report(study: Study, model_name: str) -> str:
    """Return the page of a study.

    Parameters
    ----------
    study : Study
        The numbers to show.
    model_name : str
        The name of the model, for the heading.
    """
    model, report = study.model, study.measured.report
    whole, each = gather(model, TERMS, range(model.categories))
    script = files("postil").joinpath("templates", "report.js").read_text(encoding="utf-8")
    measured, board = study.measured, leaderboard(model.method)
    charts = {
        "curves": [precision_recall_chart(measured), coverage_chart(measured)],
        "reliability": [reliability_chart(report.pooled_calibration)],
        "learning": [learning_chart(study.curve)],
    }
    return render_page(
        "report.html",
        heading=f"Report on {model_name}",
        script=script,
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
        study=study,
        report=report,
        figures=headline(measured),
        single=report.accuracy is not None,
        charts={name: [_drawn(c) for c in some if c] for name, some in charts.items()},
        categories=category_table(report),
        confusions=confusion_table(measured),
        errors=error_table(report),
        together=together_table(measured) if report.accuracy is None else None,
        suggestions=suggestion_table(report),
        terms=term_table(whole, each),
        mistakes=[_mistake(mistake) for mistake in study.mistakes],
        doubts=doubt_table(study.doubts, study.doubted or 0),
        bounds=(SURE, UNLIKELY, KNOWN),
        search="" if board is None else board.sentence,
        leaderboard=None if board is None else Table(board.header, board.rows),
        fits=fit_facts(whole, each),
        facts=_facts(whole, study),
    )


class Figure(NamedTuple):
    """A number of the headline, its 95 % interval, and how that was found."""

    name: str
    value: str
    interval: str
    how: str


NAMES = {"accuracy": "accuracy", "micro_f1": "micro-F1", "macro_f1": "macro-F1"}


def headline(measured: Measured) -> list[Figure]:
    """Return accuracy and macro-F1 if every document has one label, else micro- and macro-F1."""
    report = measured.report
    figures = [
        Figure(
            NAMES[name],
            shown(each.value),
            f"{shown(each.low)} to {shown(each.high)}",
            each.method.capitalize(),
        )
        for name, each in first_numbers(report).items()
    ]
    if report.aimed is not None:
        name = f"the aim, {report.aimed.measure}"
        figures.insert(0, Figure(name, shown(report.aimed.micro), "", "all categories together"))
    return figures


def _drawn(chart: Chart) -> dict[str, Any]:
    return {
        "title": chart.figure.title,
        "svg": line_chart(chart.figure),
        "reading": chart.reading,
        "numbers": Table(chart.header, cells_of(chart.rows), 0) if chart.rows else None,
    }


def _mistake(mistake: Mistake) -> dict[str, Any]:
    document, explanation = mistake.document, mistake.explanation
    if explanation is None:
        fields: list[Any] = [(name, _start(text, TEXT)) for name, text in document.fields.items()]
        reason = ""
    else:
        fields = marked_fields(explanation, TEXT)[1]
        reason = verdict(explanation)
    note = "" if explanation is None else explanation.note
    return {
        "id": document.id,
        "given": ", ".join(map(visible, mistake.given)) or "nothing",
        "labels": ", ".join(map(visible, document.labels)) or "nothing",
        "category": mistake.category if explanation is None else explanation.title,
        "missed": mistake.missed,
        "learned": mistake.learned,
        "probability": mistake.probability,
        "reason": reason,
        "note": note[:1].upper() + note[1:],
        "fields": fields,
    }


def _start(text: str, most: int) -> list[Mapping[str, str]]:
    return [{"text": text[:most] + ("…" if len(text) > most else ""), "css": "", "title": ""}]


def _facts(whole: Facts, study: Study) -> dict[str, str]:
    recipe, training = whole["recipe"], whole["training"]
    named = ": ".join(filter(None, [recipe.get("name"), recipe.get("title")]))
    calibration = whole["calibration"]
    return {
        "Recipe": named or "none",
        "Learned from": f"{training['documents']:,} documents"
        + (f" of {training['corpus']}" if training["corpus"] else ""),
        "Measured on": study.measured.report.provenance.split or "",
        "Corpus": study.corpus,
        "Decision rule": whole["decision"]["rule"],
        "Route": route_sentence(route) if (route := whole["method"].get("route")) else "",
        "Probabilities": f"{calibration} calibration" if calibration else "none",
        "Written by": " ".join(filter(None, [whole["created_by"], whole["created"]])),
    }

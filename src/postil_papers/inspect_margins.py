"""`postil inspect --margins`: margins on labelled documents, and the bounds they give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from postil.cli.console import counted, say, show_table
from postil.cli.files import CountedCorpus, reporting_problems
from postil.cli.inspect_text import INDENT, show_title, show_wrapped
from postil.cli.options import Reading
from postil.cli.progress import progress_bar
from postil.model.overview import OVER_MEAN, Facts

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil_papers.margins import Margins, MeasuredMargins


USUAL_GAMMA = 1.0


def refuse_without(reading: Reading, gamma: float | None) -> None:
    """Raise UsageError for options of margins without ``--margins``."""
    from postil.errors import UsageError

    given = [*reading.given, *(["--margin-at"] if gamma is not None else [])]
    if given:
        raise UsageError(f"{', '.join(given)}: these options need --margins CORPUS")


def measured_margins(
    model: Model, corpus: str, reading: Reading, columns: Sequence[int], gamma: float | None
) -> Facts:
    """Return the margins of a model on a corpus; report unknown and missing labels on stderr."""
    from postil_papers.margins import measure_margins, measure_vector_margins

    gamma = USUAL_GAMMA if gamma is None else gamma
    vectors = reading.vectors([corpus])
    if vectors is not None:
        source = vectors.source
        with progress_bar() as bar:
            measured = measure_vector_margins(
                model, vectors, columns=columns, gamma=gamma, progress=bar.update
            )
    else:
        opened = reading.open(corpus)
        source = opened.name
        documents = opened if reading.values["split"] else _learnable(opened)
        with reporting_problems(opened), progress_bar() as bar:
            measured = measure_margins(
                model, documents, columns=columns, gamma=gamma, source=source, progress=bar.update
            )
    _report_labels(measured, source)
    return {"corpus": source} | _facts(measured)


def _learnable(corpus: CountedCorpus) -> Iterator[Document]:
    """Yield the documents that a model would learn from: all that are not marked test."""
    from postil.errors import CorpusError

    for document in corpus:
        if document.split != "test":
            yield document
    if corpus.documents and corpus.tested == corpus.documents:
        raise CorpusError(
            f"{corpus.name}: every document is marked test, and margins are of documents that a "
            "model learns from; use --split test to measure test documents"
        )


def _report_labels(measured: MeasuredMargins, source: str) -> None:
    from postil_papers.margins import few

    if measured.unknown:
        say(
            f"{counted(len(measured.unknown), 'label')} unknown to the model: "
            f"{few(measured.unknown)} (not counted)"
        )
    memberless = measured.margins.memberless
    if memberless:
        say(
            f"{counted(len(memberless), 'category', 'categories')} without a member in {source}: "
            f"{few(memberless)} (margins are those of other documents alone)"
        )


def _facts(measured: MeasuredMargins) -> Facts:
    """Return margins as plain values: those of the whole, and of each ``category`` by name."""
    from postil_papers.margins import ADDITIVE, MULTIPLICATIVE, NEITHER

    margins = measured.margins
    rows = list(_rows(margins))
    families = (ADDITIVE, MULTIPLICATIVE, NEITHER)
    return {
        "documents": margins.documents,
        "learned_from": measured.learned_from,
        "constant": margins.constant,
        "gamma": margins.gamma,
        "norms": {
            name: {"largest": norm.largest, "mean": norm.mean}
            for name, norm in margins.norms._asdict().items()
        },
        "separated": int((margins.least > 0).sum()),
        "favours": {family: margins.favoured.count(family) for family in families},
        "median": _medians(rows),
        "unknown_labels": list(measured.unknown),
        "category": dict(zip(margins.names, rows, strict=True)),
    }


def _rows(margins: Margins) -> Iterator[Facts]:
    columns = {
        "members": margins.members,
        "one_norm": margins.sizes.one,
        "two_norm": margins.sizes.two,
        "entropy": margins.sizes.entropy,
        "least_margin": margins.least,
        "under": margins.under,
        "perceptron_mistakes": margins.perceptron_mistakes,
        "winnow_mistakes": margins.winnow_mistakes,
        "additive": margins.additive,
        "multiplicative": margins.multiplicative,
        "ratio": margins.ratio,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    for row, favoured in zip(values, margins.favoured, strict=True):
        finite = (value if math.isfinite(value) else None for value in row)
        yield dict(zip(columns, finite, strict=True)) | {"favours": favoured}


def _medians(rows: list[Facts]) -> Facts:
    """Return the median of each number over the categories that have it, or None."""
    from statistics import median

    names = [name for name in (rows[0] if rows else {}) if name != "favours"]
    known = {name: [row[name] for row in rows if row[name] is not None] for name in names}
    return {name: float(median(values)) if values else None for name, values in known.items()}


def add_margins(whole: Facts, each: list[Facts], measured: Facts) -> None:
    """Add the measured margins to the facts of the model and of each category."""
    by_name: dict[str, Any] = measured.pop("category")
    whole["margins"] = measured
    for facts in each:
        facts["margins"] = by_name[facts["name"]]


ABSENT = "-"
MEDIAN = "median"

_NORMS = {"two": "‖x‖₂", "infinity": "‖x‖∞", "one": "‖x‖₁"}
_WEIGHTS = {
    "members": "members",
    "one_norm": "‖w‖₁",
    "two_norm": "‖w‖₂",
    "entropy": "entropy",
    "least_margin": "least margin",
}
_BOUNDS = {
    "perceptron_mistakes": "Perceptron's",
    "winnow_mistakes": "Winnow's",
    "additive": "additive",
    "multiplicative": "multiplicative",
    "ratio": "ratio",
    "favours": "favours",
}


def show_margins(whole: Facts, each: list[Facts]) -> None:
    """Print the documents' norms, tables with a line for each category, and a legend."""
    measured = whole["margins"]
    rows = [(facts["name"], facts["margins"]) for facts in each]
    if len(rows) > 1:
        rows.append((MEDIAN, measured["median"]))
    _show_norms(measured)
    show_title("Weights found, and margins y(w·x + b)")
    _show_rows(rows, _WEIGHTS | {"under": f"below {measured['gamma']:g}"})
    show_title("Mistakes at most, and the bounds' terms")
    _show_rows(rows, _BOUNDS)
    _show_legend(measured, len(each))
    if whole["terms"] == OVER_MEAN:
        show_wrapped(
            "The model compares categories with each other: margins against 0 say little of what "
            "it decides.",
            further=INDENT,
        )


def _show_norms(measured: Facts) -> None:
    documents = counted(measured["documents"], "document")
    learned = ", which it learned from" if measured["learned_from"] else ""
    show_title(f"Vectors of {documents} of {measured['corpus']}{learned}")
    rows = [
        (INDENT + _NORMS[name], _number(norm["largest"]), _number(norm["mean"]))
        for name, norm in measured["norms"].items()
    ]
    show_table((f"{INDENT}norm", "largest", "mean"), rows, right=" rr")
    if measured["constant"]:
        show_wrapped(
            "With a constant 1 appended to each document, whose weight is the intercept: it is in "
            "all norms here.",
            further=INDENT,
        )


def _show_rows(rows: list[tuple[str, Facts]], columns: dict[str, str]) -> None:
    cells = [
        [INDENT + name, *(_number(facts.get(column, "")) for column in columns)]
        for name, facts in rows
    ]
    numbers = "".join(" " if column == "favours" else "r" for column in columns)
    show_table((f"{INDENT}category", *columns.values()), cells, right=" " + numbers)


def _show_legend(measured: Facts, categories: int) -> None:
    favours = measured["favours"]
    of_all = counted(categories, "category", "categories")
    lines = []
    if measured["separated"] < categories:
        lines.append(
            f"{ABSENT}: not separable by these weights, so that no number of mistakes is bounded; "
            f"{measured['separated']:,} of {of_all} have every margin above 0."
        )
    lines += [
        "ratio: the multiplicative term over the additive one; the same for every margin.",
        f"The bounds favour additive updates (Perceptron, SVM) for {favours['additive']:,} of "
        f"{of_all}, multiplicative ones (Winnow) for {favours['multiplicative']:,}. Each theorem "
        "has an unknown constant, and the two may differ: a ratio near 1 decides nothing. A model "
        "of the other family may find weights that suit it better.",
    ]
    typer.echo()
    for line in lines:
        show_wrapped(line, further=INDENT)


def _number(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return ABSENT if value is None else value
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"

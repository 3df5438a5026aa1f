"""`postil evaluate`: measures of a model on labelled documents, and their curves as a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from postil.cli.console import json_text, say, show_json, show_table
from postil.cli.files import TO_MARK, check_output, naming_errors, reporting_problems
from postil.cli.options import (
    AsJson,
    CorpusName,
    ModelFile,
    Reading,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.model.model import Model
    from postil.recipes.parts import Comparison
    from postil.train.assess import Assessment


UNKNOWN = "–"
CURVE_FORMATS = (".csv", ".json")
HEADER = (
    "curve",
    "averaging",
    "category",
    "threshold",
    "recall",
    "precision",
    "false_positive_rate",
)
# The values of each kind of curve, by the columns of the header.
POINTS = {
    "precision_recall": {"recall": "recall", "precision": "precision"},
    "roc": {"recall": "true_positive_rate", "false_positive_rate": "false_positive_rate"},
}


@reads_corpus
def evaluate(
    model: ModelFile,
    corpus: CorpusName,
    reading: Reading,
    categories: Annotated[
        Literal["all", "trained", "shared"],
        Option(
            help="Categories to measure: all of the model and the documents, those of the model, "
            "or those of both.",
        ),
    ] = "all",
    undefined: Annotated[
        Literal["zero", "one", "skip"], Option(help="Value of 0/0 in macro averages.")
    ] = "zero",
    top: Annotated[int, Option(min=0, help="Number of categories to show.")] = 10,
    beta: Annotated[
        list[float] | None,
        Option(
            help="Measure F-beta too, in which recall weighs beta times as much as precision; may "
            "be repeated.",
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        Option(min=0, help="Number of resamples for 95% intervals of the measures of decisions."),
    ] = 0,
    seed: Annotated[int, Option(min=0, help="Random seed of the resamples.")] = 0,
    curves: Annotated[
        Path | None,
        output_option("File for precision-recall and ROC curves, .csv or .json.", "--curves"),
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model on labelled documents.

    The documents are those marked test, or all if none is marked. If they are exactly the
    documents that the model learned from, a warning says so ("learned_from" in JSON). Labels that
    the model never learned are named ("unknown_labels" in JSON). The numbers that the paper of
    the recipe prints for the corpus stand beside the model's ("expected" in JSON).

    \b
    Examples:
      postil evaluate modapte.postil reuters-modapte
      postil evaluate modapte.postil reuters-modapte --categories shared --json
      postil evaluate demo.postil demo --bootstrap 1000 --beta 0.5 --curves curves.csv
    """
    from postil.evaluate import Options, Plan
    from postil.model.load import load_model
    from postil.train.assess import assess_vectors, assessment

    options = Options(
        undefined=undefined,
        betas=tuple(beta or ()),
        plan=Plan(bootstrap, seed) if bootstrap else None,
    )
    if curves is not None:
        if curves.suffix not in CURVE_FORMATS:
            raise UsageError(f"--curves is a file .csv or .json, not {str(curves)!r}")
        check_output(curves, model, corpus)
    loaded = load_model(model, threads=threads)
    vectors = reading.vectors(corpus)
    if vectors is not None:
        measured = assess_vectors(loaded, vectors, categories=categories, options=options)
    else:
        opened = reading.open(corpus)
        with reporting_problems(opened), progress_bar() as bar:
            measured = assessment(
                loaded,
                opened,
                corpus=opened.name,
                categories=categories,
                options=options,
                threads=threads,
                progress=bar.update,
            )
    if measured.learned_from:
        say(
            f"warning: these are the documents that {model} learned from: the numbers say how "
            "well it remembers, not how well it does on others; give it some it has not seen, or "
            f"{TO_MARK}, and train again"
        )
    if measured.unknown:
        say(measured.unknown_note())
    if curves is not None:
        _write_curves(measured, curves)
    expected = [] if measured.learned_from else _expected(loaded, corpus, measured.report)
    if as_json:
        show_json(
            measured.report.to_dict()
            | {
                "learned_from": measured.learned_from,
                "unknown_labels": list(measured.unknown),
                "expected": [each.to_dict() for each in expected],
            }
        )
        return
    typer.echo(measured.report.to_text(top=top), nl=False)
    if expected:
        _show_expected(expected, str(loaded.recipe.get("paper", "")))


def _expected(model: Model, corpus: str, report: Report) -> list[Comparison]:
    """Return the numbers that the model's recipe expects on the corpus, beside those measured."""
    if not model.recipe.get("expect"):
        return []
    from postil.recipes.parts import compare_with_paper
    from postil.recipes.recipe import Recipe

    return compare_with_paper(Recipe.from_dict(model.recipe, "the model's recipe"), corpus, report)


def _show_expected(expected: list[Comparison], paper: str) -> None:
    typer.echo("\nwhat the recipe expects, in %")
    rows = [
        (
            each.measure,
            f"{each.printed:.1f}",
            UNKNOWN if each.ours is None else f"{each.ours:.1f}",
            UNKNOWN if each.difference is None else f"{each.difference:+.1f}",
            f"{each.tolerance:g}",
            "yes" if each.near else "no",
        )
        for each in expected
    ]
    header = ("measure", paper or "expected", "ours", "difference", "tolerance", "within")
    show_table(header, rows, " rrrr")


def _write_curves(measured: Assessment, target: Path) -> None:
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

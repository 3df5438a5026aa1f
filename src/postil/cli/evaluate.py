"""`postil evaluate`: how good a model is on labelled documents.

Precision-recall and ROC curves as a file: of all categories together, and of each.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from postil.cli.console import json_text, say, show_json
from postil.cli.failures import check_output, file_named, naming
from postil.cli.output import TO_MARK, told
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus
from postil.cli.recipes import expected_of, show_expected

if TYPE_CHECKING:
    from postil.train.assess import Assessment


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
    from postil.common.files import output_file

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


@reads_corpus
def evaluate(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    reading: Reading,
    categories: Annotated[
        Literal["all", "trained", "shared"],
        typer.Option(
            "--categories",
            help="Those of training or test documents, those trained, or those in both.",
        ),
    ] = "all",
    undefined: Annotated[
        Literal["zero", "one", "skip"],
        typer.Option("--undefined", help="What 0/0 counts as in macro averages."),
    ] = "zero",
    top: Annotated[int, typer.Option("--top", min=0, help="Categories to show.")] = 10,
    beta: Annotated[
        list[float] | None,
        typer.Option("--beta", help="Measure F-beta too (recall weighs beta), may be repeated."),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            "--bootstrap", min=0, help="95% intervals of measures of decisions, so many resamples."
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the resamples.")] = 0,
    curves: Annotated[
        Path | None,
        typer.Option(
            "--curves",
            help="Write precision-recall and ROC curves, .csv or .json.",
            parser=file_named,
            metavar="FILE",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Measure a model on the documents marked test, or on all if none is marked.

    Where these are the very documents that the model learned from, all of them and no others, a
    warning says so ("learned_from" in JSON): it does well on them whatever it does on others.
    Labels that it never learned are named ("unknown_labels" in JSON): they are missed by
    necessity. Where the model's recipe says what its paper prints for the corpus, that is put
    beside ("expected" in JSON).

    \b
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
        check_curves_file(curves, model, corpus)
    loaded = load_model(model, threads=threads)
    vectors = reading.vectors(corpus)
    if vectors is not None:
        measured = assess_vectors(loaded, vectors, categories=categories, options=options)
    else:
        opened = reading.open(corpus)
        with told(opened), steps() as progress:
            measured = assessment(
                loaded,
                opened,
                corpus=opened.name,
                categories=categories,
                options=options,
                threads=threads,
                progress=progress.reach,
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
        write_curves(measured, curves)
    expected = [] if measured.learned_from else expected_of(loaded, corpus, measured.report)
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
    show_expected(expected, str(loaded.recipe.get("paper", "")))

"""`postil evaluate`: measures of a model on labelled documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Option

from postil.cli.console import counted, say, show_json, show_table, terminal_width
from postil.cli.evaluate_files import Starts, check_files, write_curves, write_errors, write_plot
from postil.cli.files import TO_MARK, reporting_problems
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
from postil.common.tables import TableFormat, table_text
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.model.model import Model
    from postil.recipes.parts import Comparison
    from postil.train.assess import Assessment


UNKNOWN = "–"
SHOWN = 10


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
    top: Annotated[
        int | None,
        Option(min=0, help="Number of categories to show (default: 10, in other tables all)."),
    ] = None,
    full: Annotated[
        bool,
        Option("--full", help="Show all measures: rankings, break-even points, calibration, …."),
    ] = False,
    table: Annotated[
        TableFormat,
        Option(help="Print the table of categories as text, csv, latex or markdown."),
    ] = "text",
    beta: Annotated[
        list[float] | None,
        Option(
            help="Measure F-beta too, in which recall weighs beta times as much as precision; may "
            "be repeated.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        Option(
            metavar="K,K,…",
            help="Measure the first K labels as suggestions (default: 1,3,5 where documents have "
            "several labels).",
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Show coverage and precision of the labels with at least this probability; 0 for "
            "none (default: that of the model's route, if it was trained with one).",
        ),
    ] = None,
    weighted: Annotated[
        bool,
        Option(
            "--weighted",
            help="Count each document by its sample weight; gives measures of decisions only.",
        ),
    ] = False,
    bootstrap: Annotated[
        int,
        Option(
            min=0,
            help="Number of resamples for 95% intervals of all measures of decisions (default: "
            "intervals of the first numbers only).",
        ),
    ] = 0,
    seed: Annotated[int, Option(min=0, help="Random seed of the resamples.")] = 0,
    curves: Annotated[
        Path | None,
        output_option(
            "File for precision-recall, ROC and coverage curves, .csv or .json.", "--curves"
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        output_option("File for a plot of coverage against precision, .svg or .png.", "--plot"),
    ] = None,
    errors: Annotated[
        Path | None,
        output_option("File for the wrong documents, .csv or .jsonl.", "--errors"),
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model on labelled documents.

    The first line is accuracy if every document has one label, else micro-F1; then come the largest
    categories, the most frequent confusions, and coverage: the share of documents that get a label
    if only labels above a minimum probability are given, at the precision that this reaches. Where
    documents have several labels, the first labels by probability are measured as suggestions, too.
    --full or --beta shows all measures. --errors lists the wrong documents with their
    probabilities, the most confident mistakes first.

    A model that was trained with --route, or --min-probability, adds a line: the share of documents
    that get so probable a label, and the precision of these labels with its interval.

    The documents are those marked test, or all if none is marked. If they are exactly the
    documents that the model learned from, a warning says so ("learned_from" in JSON). Labels that
    the model never learned are named ("unknown_labels" in JSON). The numbers that the paper of
    the recipe prints for the corpus stand beside the model's ("expected" in JSON).

    \b
    Examples:
      postil evaluate modapte.postil reuters-modapte
      postil evaluate modapte.postil reuters-modapte --categories shared --json
      postil evaluate demo.postil demo --errors wrong.csv --plot coverage.svg
      postil evaluate demo.postil demo --min-probability 0.9
      postil evaluate demo.postil demo --at 1,5,10
      postil evaluate demo.postil demo --table markdown > categories.md
      postil evaluate demo.postil demo --full --bootstrap 1000 --beta 0.5 --curves curves.csv
    """
    from postil.evaluate import Options, Plan
    from postil.model.load import load_model
    from postil.train.assess import assess_vectors, assessment

    options = Options(
        undefined=undefined,
        betas=tuple(beta or ()),
        at=_ranks(at),
        plan=Plan(bootstrap, seed) if bootstrap else None,
        min_probability=min_probability,
    )
    files = {"--curves": curves, "--plot": plot, "--errors": errors}
    check_files(files, model, *corpus)
    _check_choices(weighted and (curves or plot), as_json and table != "text")
    loaded = load_model(model, threads=threads)
    vectors = reading.vectors(corpus)
    starts = Starts()
    if vectors is not None:
        measured = assess_vectors(loaded, vectors, categories=categories, options=options)
    else:
        opened = reading.open(corpus, loaded)
        with reporting_problems(opened), progress_bar() as bar:
            measured = assessment(
                loaded,
                opened if errors is None else starts.of(opened),
                corpus=opened.name,
                categories=categories,
                weighted=weighted,
                options=options,
                threads=threads,
                progress=bar.update,
            )
    warn_of(measured, str(model))
    if curves is not None:
        write_curves(measured, curves)
    if plot is not None:
        write_plot(measured.report, plot)
    if errors is not None:
        count = write_errors(measured, starts.measured, errors)
        say(f"wrote {counted(count, 'wrong document')} to {errors}")
    expected = [] if measured.learned_from else _expected(loaded, " ".join(corpus), measured.report)
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
    shown = SHOWN if top is None else top
    if table != "text":
        _show_categories(measured.report, table, top, full=full)
        return
    text = measured.report.to_text(shown, full=full or bool(beta), width=terminal_width())
    typer.echo(text, nl=False)
    if expected:
        _show_expected(expected, str(loaded.recipe.get("paper", "")))


def _check_choices(weighted_curves: object, two_outputs: bool) -> None:
    if weighted_curves:
        raise UsageError("--weighted measures decisions only: give no --curves and no --plot")
    if two_outputs:
        raise UsageError("--json and --table both choose the output: give one of them")


def _ranks(given: str | None) -> tuple[int, ...] | None:
    """Return the numbers in a list such as 1,3,5."""
    if given is None:
        return None
    try:
        return tuple(int(each) for each in given.split(","))
    except ValueError:
        raise UsageError(f"--at takes whole numbers, as in 1,3,5; received {given!r}") from None


def warn_of(measured: Assessment, model: str, notify: Callable[[str], None] = say) -> None:
    """Print a warning if the model learned from the documents, and the labels it does not know."""
    if measured.learned_from:
        notify(
            f"warning: these are the documents that {model} learned from: the numbers say how "
            "well it remembers, not how well it does on others; give it some it has not seen, or "
            f"{TO_MARK}, and train again; postil report measures these out of fold"
        )
    if measured.unknown:
        notify(measured.unknown_note())


def _show_categories(report: Report, form: TableFormat, top: int | None, *, full: bool) -> None:
    """Print the table of categories for another program; CSV has every value as it is."""
    from postil.evaluate.rendering import FULL_COLUMNS, SHORT_COLUMNS, category_cells, headlines

    if form == "csv":
        columns = report.columns()
        values = report.per_category()
        order = report.order()[:top].tolist()
        cells = [["" if v is None else str(v) for v in values[c].values()] for c in order]
        header = list(columns)
    else:
        header, cells = category_cells(report, FULL_COLUMNS if full else SHORT_COLUMNS, top)
    right = " " + "r" * (len(header) - 1)
    summary = [" ".join(line.split()) for line in headlines(report).splitlines()]
    typer.echo(table_text(form, header, cells, right=right, summary=summary), nl=False)


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

"""`postil evaluate`: how good a model is on labelled documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from postil.cli.console import say, show_json
from postil.cli.curves import check_curves_file, write_curves
from postil.cli.expected import expected_of, show_expected
from postil.cli.failures import file_named
from postil.cli.passing import TO_MARK, told
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus


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
    from postil.assessment import assess_vectors, assessment
    from postil.evaluate import Options, Plan
    from postil.model.loading import load_model

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
        with told(opened), steps() as watch:
            measured = assessment(
                loaded,
                opened,
                corpus=opened.name,
                categories=categories,
                options=options,
                threads=threads,
                watch=watch.reach,
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

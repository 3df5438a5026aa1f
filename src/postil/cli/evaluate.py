"""`postil evaluate`: how good a model is on labelled documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from postil.cli.console import say, show_json
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
    top: Annotated[int, typer.Option("--top", help="Categories to show.")] = 10,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Measure a model on the documents marked test, or on all if none is marked.

    Documents that the model learned from are measured too, with a warning ("learned_from" in
    JSON): it does well on them whatever it does on others.

    \b
    postil evaluate modapte.postil reuters-modapte
    postil evaluate modapte.postil reuters-modapte --categories shared --json
    """
    from postil.assessment import assessment
    from postil.evaluate import Options
    from postil.model.loading import load_model

    loaded = load_model(model, threads=threads)
    opened = reading.open(corpus)
    with told(opened), steps() as watch:
        measured = assessment(
            loaded,
            opened,
            corpus=opened.name,
            categories=categories,
            options=Options(undefined=undefined),
            threads=threads,
            watch=watch.reach,
        )
    if measured.learned_from:
        say(
            f"warning: these are the documents that {model} learned from: the numbers say how "
            "well it remembers, not how well it does on others; give it some it has not seen, or "
            f"{TO_MARK}, and train again"
        )
    if as_json:
        show_json(measured.report.to_dict() | {"learned_from": measured.learned_from})
    else:
        typer.echo(measured.report.to_text(top=top), nl=False)

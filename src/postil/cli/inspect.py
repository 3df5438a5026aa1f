"""`postil inspect`: what is in a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from postil.cli.console import show_json
from postil.cli.reading import Reading, reads_corpus
from postil.errors import ModelFileError, PostilError

Sort = Literal["size", "name", "certificate"]

OVERVIEW_TERMS = 5
DETAIL_TERMS = 10


@reads_corpus
def inspect_model(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    reading: Reading,
    categories: Annotated[
        list[str] | None,
        typer.Option("--category", help="Show this category in detail, may be repeated."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=0, help="Terms each way (all: 5, in detail and JSON: 10)."),
    ] = None,
    sort: Annotated[
        Sort | None,
        typer.Option(
            "--sort", help="Largest, by name, or least certain first (default: size, or as named)."
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option("--interval", help="Level of the weights' intervals (default: 0.95)."),
    ] = None,
    margins: Annotated[
        str | None,
        typer.Option(
            "--margins",
            metavar="CORPUS",
            help="Margins on these labelled documents, and which family of methods they suit.",
        ),
    ] = None,
    margin_at: Annotated[
        float | None,
        typer.Option("--margin-at", help="Count documents with a margin below this (default: 1)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")] = False,
) -> None:
    """Show what a model holds: its categories with their terms, and how it was trained.

    \b
    postil inspect demo.postil
    postil inspect demo.postil --category sport --top 20
    postil inspect demo.postil --sort certificate --json
    postil inspect sure.postil --category sport --interval 0.9
    postil inspect demo.postil --margins demo

    Terms of a category in detail have intervals where the model was trained with posterior = true.
    With --margins a corpus is read: all documents but those marked test, or those of --split.
    """
    from postil.cli import inspect_tables as tables
    from postil.cli.inspect_facts import gather, level_for, sorted_facts
    from postil.cli.reading import columns_named
    from postil.model.load import load_model
    from postil_papers.inspect_margins import (
        add_margins,
        measured_margins,
        refuse_without,
        show_margins,
    )

    if margins is None:
        refuse_without(reading, margin_at)
    loaded = load_model(model)
    named = bool(categories)
    columns = columns_named(categories or loaded.names, loaded.names, str(model))
    if top is None:
        top = DETAIL_TERMS if named or json else OVERVIEW_TERMS
    with _as_written(model):
        whole, each = gather(loaded, top, columns, level_for(loaded, interval))
    if margins is not None:
        add_margins(whole, each, measured_margins(loaded, margins, reading, columns, margin_at))
    if sort is not None or not named:
        each = sorted_facts(each, sort or "size")
    if json:
        show_json({"model": str(model)} | whole | {"categories": each})
        return
    with _as_written(model):
        typer.echo(tables.headline(str(model), whole))
        if margins is not None:
            show_margins(whole, each)
        elif named:
            for facts in each:
                tables.show_category(whole, facts)
        else:
            tables.show_model(whole, each)


@contextmanager
def _as_written(model: Path) -> Iterator[None]:
    """Refuse what a model tells of its training where postil did not write it.

    It has no part in decisions, and is not looked at when a model is loaded.
    """
    try:
        yield
    except PostilError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            f"{model}: what it tells of its training is not as postil writes it ({error!r}); it "
            "can be used, but not shown"
        ) from error

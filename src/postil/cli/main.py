"""The command line: `postil COMMAND …`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from postil import __version__
from postil.cli import (
    analyze,
    compare,
    corpus,
    demo,
    evaluate,
    explain,
    inspect,
    predict,
    recipes,
    reproduce,
    train,
    vectorize,
)
from postil.errors import PostilError, UsageError

INTERRUPTED = 130  # what typer makes of Ctrl-C

app = typer.Typer(
    name="postil",
    help="Text categorization with regularized linear classifiers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(corpus.app, name="corpus")
app.command("analyze")(analyze.analyze)
app.command("vectorize")(vectorize.vectorize)
app.command("train")(train.train)
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("explain")(explain.explain)
app.command("inspect")(inspect.inspect_model)
app.command("compare")(compare.compare)
app.command("recipes")(recipes.recipes)
app.command("reproduce")(reproduce.reproduce)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"postil {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Text categorization with regularized linear classifiers."""


def run() -> None:
    """Run the command line; errors become one line on stderr and an exit code.

    0 is success, 1 failure, 2 wrong usage, 130 Ctrl-C.
    """
    try:
        app()
    except PostilError as error:
        typer.echo(f"postil: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except OSError as error:
        # A full disk, a closed terminal: nothing of ours, but no reason for a traceback.
        where = f"{error.filename}: " if error.filename else ""
        typer.echo(f"postil: {where}{error.strerror or error}", err=True)
        sys.exit(1)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            typer.echo("postil: interrupted; nothing was left half-written", err=True)
        raise

"""The command line: `postil COMMAND …`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from postil import __version__
from postil.cli import analyze, corpus, demo, vectorize
from postil.errors import PostilError, UsageError

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
        _fail(str(error), code=2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        _fail("interrupted; nothing was left half-written", code=128 + signal.SIGINT)
    except BrokenPipeError:
        # Whoever read our output has seen enough; a second complaint at exit helps nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def _fail(message: str, code: int) -> None:
    typer.echo(f"postil: {message}", err=True)
    sys.exit(code)

"""`postil analyze`: what an analyzer makes of a text."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from postil.cli.console import show_json
from postil.common.escaping import visible


def analyze(
    text: Annotated[
        str | None, typer.Argument(help="A text; without it, each line of stdin is one.")
    ] = None,
    analyzer: Annotated[
        str, typer.Option("--analyzer", "-a", help="The spec to try.")
    ] = "words lower",
    explain: Annotated[
        bool, typer.Option("--explain", help="List everything a spec may be made of.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")] = False,
) -> None:
    """Show the tokens an analyzer spec makes of a text.

    Of many texts, one on each line of stdin, --json gives a line each.

    \b
    postil analyze "Oil prices rose 3%" -a "words lower stop(snowball:en) stem(porter)"
    postil analyze --explain
    postil analyze --json < lines.txt
    """
    if explain:
        _explain(json=json)
        return
    from postil.text.analyzer import Analyzer

    chosen = Analyzer(analyzer)
    lines = [text] if text is not None else (line.rstrip("\n") for line in sys.stdin)
    for line in lines:
        tokens = chosen.tokens(line)
        if json:
            found = {"analyzer": str(chosen.spec), "tokens": tokens}
            show_json(found, in_a_line=text is None)
        else:
            typer.echo(visible(" | ".join(tokens)))


def _explain(*, json: bool) -> None:
    from postil.text.catalogue import describe

    groups = describe()
    if json:
        show_json(groups)
        return
    for group, items in groups.items():
        typer.echo(f"{group}:")
        for signature, help_text in items.items():
            typer.echo(f"  {signature:<24} {help_text}".rstrip())

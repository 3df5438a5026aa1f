"""`postil reproduce`: a paper's tables and figures, its numbers beside ours."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import say, show_json, show_table, styled
from postil.cli.progress import ProgressBar, progress_bar

if TYPE_CHECKING:
    from postil_papers.registry import Listed
    from postil_papers.runner import Step


UNKNOWN = "-"


def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(help="Short name of a paper, as zhang-oles-2001; --list names all of them."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="A table or figure, as table2 (see --list); may be repeated."),
    ] = None,
    list_only: Annotated[
        bool,
        typer.Option("--list", help="List the names for --only and their cost; run nothing."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the page (Markdown, HTML) and figures."),
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Compute everything again, also what is kept.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="One object for each cell (or line of --list), for a program."),
    ] = False,
) -> None:
    """Run a paper's experiments and print its numbers beside ours.

    postil keeps results by the bytes of the documents, the code and the settings: a second run is
    instant, and an interrupted one resumes where it stopped. Experiments on a corpus that is absent
    are left out, with a message.

    \b
    Examples:
      postil reproduce --list
      postil reproduce zhang-oles-2001 --list
      postil reproduce zhang-oles-2001
      postil reproduce zhang-oles-2001 --only table2 --json
      postil reproduce zhang-oles-2001 -o reproduction/
    """
    from postil_papers.harness import progress_to
    from postil_papers.loading import load_paper, paper_names
    from postil_papers.registry import experiments_of, figures_of
    from postil_papers.results import ResultStore
    from postil_papers.runner import reproduce as run

    if paper is None:
        if not list_only or only:
            raise typer.BadParameter(f"name a paper: {', '.join(paper_names())}")
        _list_papers(as_json=as_json)
        return
    if list_only:
        _list(paper, only, as_json=as_json)
        return
    if output is not None:
        from postil.plots.drawing import require_plots

        require_plots()  # before the work, not after it
    with progress_bar() as bar, progress_to(bar.update):
        result = run(
            load_paper(paper),
            experiments_of(paper),
            only=only,
            store=ResultStore(refresh=refresh),
            progress=partial(_show_step, bar),
        )
    if output is not None:
        from postil_papers.render.pages import write_files

        for path in write_files(result, output, figures_of(result)):
            say(f"wrote {path}")
    if as_json:
        from postil_papers.render.pages import cells_json

        show_json(cells_json(result))
        return
    from rich.console import Console

    from postil_papers.render.terminal import print_reproduction

    print_reproduction(result, Console(file=styled(sys.stdout), highlight=False))


def _list(name: str, only: list[str] | None, *, as_json: bool) -> None:
    """Show the tables and figures of a paper without computing anything."""
    from postil_papers.loading import load_paper
    from postil_papers.registry import experiments_of, listed
    from postil_papers.results import ResultStore

    found = listed(load_paper(name), experiments_of(name), ResultStore(), only)
    if as_json:
        show_json([asdict(each) for each in found])
        return
    header = ("--only", "experiments", "took", "corpora", "what it shows")
    show_table(header, [_row(each) for each in found], " rr")
    if any(each.seconds is None for each in found):
        say("took: seconds when computed here before; - where a part never was computed")


def _list_papers(*, as_json: bool) -> None:
    from postil_papers.loading import load_paper, paper_names

    papers = [load_paper(name) for name in paper_names()]
    if as_json:
        show_json([{"paper": paper.name, "title": paper.title} for paper in papers])
        return
    show_table(("paper", "title"), [(paper.name, paper.title) for paper in papers], "  ")


def _row(each: Listed) -> tuple[str, ...]:
    return (
        each.id,
        str(len(each.experiments)),
        UNKNOWN if each.seconds is None else f"{each.seconds:.1f} s",
        " ".join(each.corpora) or UNKNOWN,
        each.title,
    )


def _show_step(bar: ProgressBar, step: Step) -> None:
    bar.close()  # the bar of an experiment that is over
    state = {
        "started": "…",
        "finished": f"done in {step.seconds:.1f} s",
        "cached": "kept from an earlier run",
        "failed": f"failed: {step.error}",
        "absent": f"not run: {step.error}",
    }[step.state]
    say(f"[{step.number}/{step.total}] {step.experiment}: {state}")

"""`postil train`: a corpus to a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import counted, say, show_json
from postil.cli.failures import check_model_output, file_named, naming
from postil.cli.passing import TO_MARK, told
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus
from postil.cli.search import search_lines, search_sentence, searching
from postil.cli.spooling import Spool

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.model.model import Model


@reads_corpus
def train(
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Model file to write.", parser=file_named, metavar="FILE"
        ),
    ],
    reading: Reading,
    recipe: Annotated[
        str,
        typer.Option("--recipe", "-r", help="Name or TOML file; see postil recipes."),
    ] = "default",
    test: Annotated[
        bool, typer.Option("--test/--no-test", help="Measure on the documents marked test.")
    ] = True,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of folds, and of random orders in learning.")
    ] = 0,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search for λ by cross-validation: 10^-k for k = 0..6, 5 folds, one for all.",
        ),
    ] = False,
    search_per_category: Annotated[
        bool, typer.Option("--search-per-category", help="Search for a λ for each category.")
    ] = False,
    search_folds: Annotated[
        int | None, typer.Option("--search-folds", min=2, help="Folds of the search.")
    ] = None,
    search_measure: Annotated[
        str | None,
        typer.Option(
            "--search-measure",
            help="f1, error, loss, break-even or log-likelihood (default: f1, or break-even where "
            "the recipe tunes thresholds).",
        ),
    ] = None,
    search_grid: Annotated[
        str | None, typer.Option("--search-grid", help="The λ to try, as 1e-2,1e-3,1e-4.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Learn a categorizer from labelled documents and write it to a file.

    Documents marked test are never learned from; if there are any, the model is measured on them.
    Thresholds and probabilities come from training documents alone.

    A search chooses λ, the strength of regularization, by cross-validation on the training
    documents: it learns once for each fold and λ. Any option of a search asks for one; what they
    leave out is as the recipe's [search] table says, or else the paper's; but f1 and error look at
    decisions at a score of 0, so that a recipe that tunes its thresholds out of fold and has no
    such table is searched by break-even.

    \b
    postil train demo -o demo.postil
    postil train reuters-modapte -o modapte.postil --recipe mod-least-squares
    postil train mails.csv -o mails.postil --label-column folder --text-columns subject
    postil train demo -o searched.postil -r logistic --search
    postil train demo -o searched.postil --search-per-category --search-folds 3
    """
    from postil.assessment import assessment
    from postil.model.saving import save_model
    from postil.recipes.recipe import load_recipe
    from postil.training import train as learn

    chosen = searching(
        load_recipe(recipe),
        search=search,
        per_category=search_per_category,
        folds=search_folds,
        measure=search_measure,
        grid=search_grid,
    )
    check_model_output(output, corpus, recipe)
    opened = reading.open(corpus)
    begun = time.monotonic()
    with Spool() as tests:
        opened.tests = tests if test else None
        with told(opened), steps() as watch:
            model = learn(
                opened,
                chosen,
                corpus=opened.name,
                threads=threads,
                seed=seed,
                watch=watch.reach,
                tell=say,
            )
        seconds = time.monotonic() - begun
        with naming(output):
            save_model(model, output)
        report = None
        if test and opened.tested:
            with steps() as watch:
                tested = assessment(
                    model, tests, corpus=opened.name, threads=threads, watch=watch.reach
                )
            report = tested.report
            if tested.unknown:
                say(tested.unknown_note())
    if test and report is None:
        say(f"no document is marked test, so nothing was measured; {TO_MARK}")
    if as_json:
        show_json(_as_dict(model, output, seconds, report))
        return
    _show(model, output, seconds, report)


def _show(model: Model, output: Path, seconds: float, report: Report | None) -> None:
    if report is not None:
        typer.echo(report.to_text(), nl=False)
    size = output.stat().st_size
    worst = max((each["certificate"] or 0.0 for each in model.reports), default=0.0)
    say(
        f"learned {counted(len(model.names), 'category', 'categories')} from "
        f"{counted(model.training.documents, 'document')} and "
        f"{counted(model.vectorizer.terms, 'term')} in {seconds:.1f} s; "
        f"largest certificate {worst:.1e}"
    )
    found = model.method.get("search")
    if found:
        say(search_sentence(found))
        for line in search_lines(found):
            say(f"  {line}")
    for each in model.reports:
        if each["note"]:
            say(f"  {each['category']}: {each['note']}")
    say(f"wrote {output} ({size / 1e6:.1f} MB); see postil inspect {output}")


def _as_dict(
    model: Model, output: Path, seconds: float, report: Report | None
) -> dict[str, object]:
    return {
        "model": str(output),
        "recipe": model.recipe.get("name"),
        "documents": model.training.documents,
        "categories": len(model.names),
        "terms": model.vectorizer.terms,
        "seconds": seconds,
        "search": model.method.get("search"),
        "reports": list(model.reports),
        "evaluation": None if report is None else report.to_dict(),
    }

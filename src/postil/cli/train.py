"""`postil train`: a corpus to a model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import report_problems, say, show_json
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.evaluate import Report
    from postil.model.model import Model


@reads_corpus
def train(
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
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
    seed: Annotated[int, typer.Option("--seed", help="Of folds and random orders.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Learn a categorizer from labelled documents and write it to a file.

    Documents marked test are never learned from; if there are any, the model is measured on them.
    Thresholds and probabilities come from training documents alone.

    \b
    postil train demo -o demo.postil
    postil train reuters-modapte -o modapte.postil --recipe mod-least-squares
    postil train mails.csv -o mails.postil --label-column folder --text-columns subject
    """
    from postil.assessment import assess
    from postil.model.saving import save_model
    from postil.recipes.recipe import load_recipe
    from postil.training import train as learn

    chosen = load_recipe(recipe)
    opened = reading.open(corpus)
    begun = time.monotonic()
    seen = _Passing(opened)
    with steps() as watch:
        model = learn(
            seen, chosen, corpus=opened.name, threads=threads, seed=seed, watch=watch.reach
        )
    seconds = time.monotonic() - begun
    report_problems(opened)
    save_model(model, output)
    report = None
    if test and seen.tested:
        with steps() as watch:
            report = assess(
                model,
                (document for document in opened if document.split == "test"),
                corpus=opened.name,
                threads=threads,
                watch=watch.reach,
            )
    if as_json:
        show_json(_as_dict(model, output, seconds, report))
        return
    _show(model, output, seconds, report)


class _Passing:
    """A corpus whose test documents are counted as it passes."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.tested = 0

    def __iter__(self) -> Iterator[Document]:
        for document in self._corpus:
            self.tested += document.split == "test"
            yield document


def _show(model: Model, output: Path, seconds: float, report: Report | None) -> None:
    if report is not None:
        typer.echo(report.to_text(), nl=False)
    size = output.stat().st_size
    worst = max((each["certificate"] or 0.0 for each in model.reports), default=0.0)
    say(
        f"learned {len(model.names)} categories from {model.training.documents} documents and "
        f"{model.vectorizer.terms} terms in {seconds:.1f} s; largest certificate {worst:.1e}"
    )
    for note in (each["note"] for each in model.reports if each["note"]):
        say(f"  {note}")
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
        "reports": list(model.reports),
        "evaluation": None if report is None else report.to_dict(),
    }

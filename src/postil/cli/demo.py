"""`postil demo`: training, testing and explaining on the embedded corpus."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from postil.cli.console import show_bold, show_table
from postil.cli.files import naming_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from postil.corpus.document import Document
    from postil.evaluate import Report
    from postil.model.model import Model
    from postil.train.predict import Predictor


SHOWN_TERMS = 6


def demo(
    output: Annotated[
        Path, Option("--output", "-o", help="Folder to write the model and the page to.")
    ] = Path("postil-demo"),
) -> None:
    """Train, test and explain a model on the embedded corpus.

    The model and a page that explains one decision are written to the folder.

    \b
    Examples:
      postil demo
      postil demo -o /tmp/postil
    """
    from postil.corpus.opening import open_corpus
    from postil.model.save import save_model
    from postil.recipes.recipe import load_recipe
    from postil.train.assess import assess
    from postil.train.predict import Predictor
    from postil.train.train import train

    corpus = open_corpus("demo")
    documents = list(corpus)
    tested = [document for document in documents if document.split == "test"]
    output.mkdir(parents=True, exist_ok=True)

    call, file, page = command_name(), output / "demo.postil", output / "why.html"

    show_bold(f"1. Learning: {call} train demo -o {file}")
    model = train(documents, load_recipe("auto"), corpus="demo", notify=typer.echo)
    with naming_errors(file):
        save_model(model, file)
    _show_model(model)

    typer.echo()
    show_bold(f"2. Testing: {call} evaluate {file} demo")
    _show_measures(assess(model, tested, corpus="demo"), len(tested))

    typer.echo()
    show_bold(f"3. Deciding: {call} predict {file} demo")
    predictor = Predictor(model)
    _show_decisions(predictor, tested[:4])

    typer.echo()
    show_bold(f"4. Explaining: {call} explain {file} demo --html {page}")
    _explain(predictor, tested[0], page)

    typer.echo(f"\nThe model is {file}, the page is {page}.")
    typer.echo(f"Try: {call} inspect {file}; {call} recipes; {call} --help")


def command_name() -> str:
    """Return how to call this postil from here: by its name only if the shell finds it."""
    beside = Path(sys.executable).parent
    found = shutil.which("postil")
    if found is not None and Path(found).parent.resolve() == beside.resolve():
        return "postil"
    script = beside / "postil"
    if not script.is_file():
        return f"{shlex.quote(sys.executable)} -m postil"
    here = Path.cwd()
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))


def _show_model(model: Model) -> None:
    from postil.model.description import describe

    typer.echo(
        f"{len(model.names)} categories from {model.training.documents} documents and "
        f"{model.vectorizer.terms} terms, by the recipe {model.recipe['name']}"
    )
    rows = [
        (facts["name"], " ".join(one["term"] for one in facts["up"]))
        for facts in describe(model, top=SHOWN_TERMS)["categories"]
    ]
    show_table(("category", "terms that speak for it"), rows)


def _show_measures(report: Report, documents: int) -> None:
    micro, macro = report.micro, report.macro
    typer.echo(f"on {documents} documents it has not seen, in %:")
    rows = [
        (name, f"{100 * micro[name]:.1f}", f"{100 * macro[name].value:.1f}")
        for name in ("precision", "recall", "f1")
    ]
    show_table(("measure", "micro", "macro"), rows, " rr")


def _show_decisions(predictor: Predictor, documents: Sequence[Document]) -> None:
    fields = predictor.model.vectorizer.fields
    scores = predictor.scores(fields.columns_of(list(documents)))
    given = predictor.names(scores)
    rows = [
        (document.id, ", ".join(names) or "–", ", ".join(sorted(document.labels)) or "–")
        for document, names in zip(documents, given, strict=True)
    ]
    show_table(("document", "given, best first", "by its author"), rows)


def _explain(predictor: Predictor, document: Document, page: Path) -> None:
    from postil.common.files import output_file
    from postil.explain.page import render_html
    from postil.explain.terminal import render_text
    from postil.train.reasons import Reasons

    reasons = Reasons(predictor).explain(document.fields, document.id)
    explanations = reasons.reasons
    typer.echo(f"{document.id}: {document.fields['title']}")
    typer.echo(render_text(explanations[0], shown=SHOWN_TERMS), nl=False)
    with naming_errors(page), output_file(str(page)) as file:
        file.write(render_html(explanations, title=document.fields["title"]).encode())

"""`postil explain`: why a document was given a category, and what would change that.

What `postil explain` says of documents that are vectors, and of those that are texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from postil.cli.console import say, show_json
from postil.cli.failures import check_output, naming
from postil.cli.output import told
from postil.cli.reading import Reading, reads_corpus
from postil.common.escaping import visible
from postil.errors import CorpusError

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.train.reasons import DocumentReasons
    from postil.vectors.fields import Fields


STDOUT = "-"
WIDTH = 80
WIDEST = 120


@reads_corpus
def explain(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    reading: Reading,
    documents: Annotated[
        str | None, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", help="Document to explain, may be repeated (default: the first)."),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            "--category",
            help="Category to explain, may be repeated (default: those given, and the nearest "
            "that is not).",
        ),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option(
            "--text", help="Explain this text instead, or FIELD=TEXT for each; - is stdin."
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option("--html", help="Write a page with the words highlighted, - for stdout."),
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", min=0, help="Terms each way (text: 10, JSON: all).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")] = False,
) -> None:
    """Show why a model gave a document a category or not, and what would flip the decision.

    The terms that pushed it up and down and what each added, the margin against the threshold,
    the probability if the model is calibrated, the words whose loss or gain would change it.

    A model of numbered features takes svmlight files; their documents are numbered from 1.

    \b
    postil explain demo.postil demo --id gz-101
    postil explain demo.postil demo --category sport --json
    postil explain demo.postil --text "The harbour committee met on Monday" --html why.html
    postil explain bbr.postil test.svm --id 7
    """
    from postil.cli.reading import columns_named
    from postil.errors import UsageError
    from postil.model.load import load_model

    _check_options(documents, ids, texts, html, top, json=json)
    if html is not None:
        check_output(html, model, documents)
    loaded = load_model(model)
    columns = columns_named(categories, loaded.names, str(model)) if categories else None
    vectors = None if documents is None else reading.vectors(documents)
    if vectors is not None and html is not None:
        raise typer.BadParameter("--html shows a text, and vectors have none: leave it out")
    try:
        reasons = reasons_of(loaded, vectors)
    except UsageError as error:
        raise UsageError(f"{model}: {error}") from None
    if vectors is not None:
        chosen = numbered_documents(vectors, ids or [], loaded.names)
    else:
        chosen = _documents(reading, documents, ids or [], texts or [], loaded.vectorizer.fields)
    told = [(each, reasons(each, columns)) for each in chosen]
    if html is not None:
        _write_page(html, *told[0])
    if json:
        show_json({"model": str(model), "documents": [_to_dict(*one, texts, top) for one in told]})
    elif html is None:
        _show(told, top)


def _check_options(
    documents: str | None,
    ids: list[str] | None,
    texts: list[str] | None,
    html: str | None,
    top: int | None,
    *,
    json: bool,
) -> None:
    """Refuse what contradicts itself or would mean nothing, before anything is read."""
    refused = {
        "name a corpus, or give --text": documents is None and not texts,
        "--text stands in place of a corpus: give one or the other": (
            documents is not None and bool(texts)
        ),
        "--id is of a document in a corpus, and --text has none": bool(ids and texts),
        "a page is on one document: give --html one --id": (
            html is not None and len(set(ids or ())) > 1
        ),
        "--json and --html - would both write to stdout: name a file for the page": (
            json and html == STDOUT
        ),
        "--top is for text and JSON; the page says how many terms it leaves out": (
            top is not None and html is not None and not json
        ),
    }
    for message, applies in refused.items():
        if applies:
            raise typer.BadParameter(message)


def _documents(
    reading: Reading, name: str | None, ids: list[str], texts: list[str], fields: Fields
) -> list[Document]:
    from postil.cli.reading import ModelFields, document_of, documents_with

    if name is None:
        return [document_of(texts, fields)]
    corpus = reading.open(name)
    with told(corpus):
        chosen = documents_with(corpus, ids)
    ModelFields(fields).look(chosen)
    return chosen


def _to_dict(
    document: Document, told: DocumentReasons, texts: list[str] | None, top: int | None
) -> dict[str, Any]:
    explanations = []
    for reason in told.reasons:
        # A comparison is named "this rather than that": a program gets the two names apart.
        named = {"category": reason.category, "rather_than": reason.rival}
        one = reason.explanation.to_dict() | named
        if top is not None:
            one["terms"] = _strongest(one["terms"], top)
        explanations.append(one)
    return {
        "id": document.id or "text",  # as postil predict names it
        "labels": None if texts else list(document.labels),
        "given": list(told.given),
        "fields": [part._asdict() for part in told.document.parts],
        "explanations": explanations,
    }


def _strongest(terms: list[dict[str, Any]], top: int) -> list[dict[str, Any]]:
    """The first so many each way of terms that come strongest first."""
    up = [term for term in terms if term["added"] > 0][:top]
    down = [term for term in terms if term["added"] < 0][:top]
    return sorted([*up, *down], key=lambda term: -abs(term["added"]))


def _show(told: list[tuple[Document, DocumentReasons]], top: int | None) -> None:
    import shutil
    import sys

    from postil.cli.streams import styled
    from postil.explain.terminal import SHOWN_TERMS, render_text, wants_colour

    colour = wants_colour(sys.stdout)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    blocks = []
    for document, one in told:
        blocks.append(_headline(document, one) + "\n")
        blocks += [
            render_text(
                reason.explanation,
                width=min(columns, WIDEST),
                colour=colour,
                shown=SHOWN_TERMS if top is None else top,
            )
            for reason in one.reasons
        ]
    typer.echo("\n".join(blocks), nl=False, file=styled(sys.stdout) if colour else None)


def _headline(document: Document, told: DocumentReasons) -> str:
    name = document.id or "the text"
    given = ", ".join(told.given) or "no category"
    labelled = f"; labelled {', '.join(document.labels)}" if document.labels else ""
    return visible(f"{name}: given {given}{labelled}")


def _write_page(target: str, document: Document, told: DocumentReasons) -> None:
    from postil.common.files import output_file
    from postil.explain.page import render_html

    page = render_html(
        [reason.explanation for reason in told.reasons], title=_headline(document, told)
    )
    with naming(target), output_file(target) as file:
        file.write(page.encode("utf-8"))
    if target != STDOUT:
        say(f"wrote {target}")


Explain: TypeAlias = "Callable[[Document, Sequence[int] | None], DocumentReasons]"


def reasons_of(model: Model, vectors: NumberedDocuments | None) -> Explain:
    """What explains a document: by its texts, or by its number where documents are vectors."""
    from postil.train.predict import Predictor, VectorPredictor
    from postil.train.reasons import Reasons, VectorReasons

    if vectors is None:
        reasons = Reasons(Predictor(model))
        return lambda document, columns: reasons.explain(document.fields, document.id, columns)
    numbered = VectorReasons(VectorPredictor(model))
    return lambda document, columns: numbered.explain(vectors, int(document.id) - 1, columns)


def numbered_documents(
    vectors: NumberedDocuments, ids: Sequence[str], names: tuple[str, ...]
) -> list[Document]:
    """The documents of these numbers, in that order, or the first; they have labels and no text."""
    from postil.corpus.document import Document

    known, labels = vectors.ids, vectors.labels_for(names)
    if not known:
        raise CorpusError(f"{vectors.source} holds no document to explain")
    wanted = list(dict.fromkeys(ids)) or known[:1]
    row_of = {number: row for row, number in enumerate(known)}
    missing = [name for name in wanted if name not in row_of]
    if missing:
        raise CorpusError(
            f"{vectors.source} has no document {', '.join(map(repr, missing))}: its documents are "
            f"numbered from 1 to {len(known)}"
        )
    return [Document(name, {}, labels[row_of[name]]) for name in wanted]

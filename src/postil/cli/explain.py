"""`postil explain`: why a document was given a category, and what would change that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer import Option

from postil.cli.console import say, show_json, styled
from postil.cli.files import STREAM, check_output, naming_errors, reporting_problems
from postil.cli.options import (
    AsJson,
    Inputs,
    ModelFields,
    ModelFile,
    OptionalCorpus,
    Reading,
    Texts,
    category_columns,
    document_from_texts,
    reads_corpus,
)
from postil.cli.progress import with_progress
from postil.common.escaping import visible
from postil.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.train.reasons import DocumentReasons


WIDTH = 80
WIDEST = 120
EXAMPLES = 3
MOST_ON_PAGE = 100

Explain: TypeAlias = "Callable[[Document, Sequence[int] | None], DocumentReasons]"


@reads_corpus
def explain(
    model: ModelFile,
    reading: Reading,
    documents: OptionalCorpus = None,
    ids: Annotated[
        list[str] | None,
        Option(
            "--id",
            help="Id of a document to explain; may be repeated (default: the first, and on a page "
            f"the first {MOST_ON_PAGE}).",
        ),
    ] = None,
    categories: Annotated[
        list[str] | None,
        Option(
            "--category",
            help="Category to explain; may be repeated (default: those given, and the nearest "
            "that was not given).",
        ),
    ] = None,
    texts: Texts = None,
    html: Annotated[
        str | None,
        Option(
            "--html",
            "-o",
            metavar="FILE",
            help="Page to write, with the words highlighted; - is standard output.",
        ),
    ] = None,
    top: Annotated[
        int | None, Option(min=0, help="Number of terms for and against (default: 10, JSON: all).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show why a model gave a document a category or not.

    The output names the terms that speak for and against the category and what each added, the
    margin to the threshold, the probability if the model is calibrated, and the words whose loss
    or gain would flip the decision. A page on several documents begins with an index of what each
    was given.

    A model of numbered features reads svmlight files; their documents are numbered from 1.

    \b
    Examples:
      postil explain demo.postil demo --id gz-101
      postil explain demo.postil demo --category sport --json
      postil explain demo.postil demo --split test -o why.html
      postil explain demo.postil --text "The harbour committee met on Monday" --html why.html
      postil explain bbr.postil test.svm --id 7
    """
    from postil.model.load import load_model

    _check_options(documents, ids, texts, html, top, as_json=as_json)
    if html is not None:
        check_output(html, model, *documents or ())
    loaded = load_model(model)
    columns = category_columns(categories, loaded.names, str(model)) if categories else None
    vectors = reading.vectors(documents) if documents else None
    if vectors is not None and html is not None:
        raise UsageError("--html shows a text, and vectors have none: leave it out")
    try:
        explained = explainer_of(loaded, vectors)
    except UsageError as error:
        raise UsageError(f"{model}: {error}") from None
    note = ""
    if vectors is not None:
        chosen = numbered_documents(vectors, ids or [], loaded.names)
    elif documents is None:
        chosen = [document_from_texts(texts or [], loaded.vectorizer.fields)]
    else:
        opened = reading.open(documents, loaded)
        with reporting_problems(opened):
            chosen = documents_with(opened, ids or [], 1 if html is None else MOST_ON_PAGE + 1)
        if not ids and len(chosen) > MOST_ON_PAGE:
            chosen = chosen[:MOST_ON_PAGE]
            note = f"These are the first {MOST_ON_PAGE} documents of {opened.name}."
        ModelFields(loaded.vectorizer.fields).check(chosen)
    results: Iterable[tuple[Document, DocumentReasons]]
    results = ((document, explained(document, columns)) for document in chosen)
    if as_json:
        results = list(results)
    if html is not None:
        counted = with_progress(results, "explaining") if len(chosen) > 1 else results
        _write_page(html, counted, f"{model.name} on {' '.join(documents or ['a text'])}", note)
    if as_json:
        shown = [_to_dict(*result, texts, top) for result in results]
        show_json({"model": str(model), "documents": shown})
    elif html is None:
        _show(list(results), top)


def _check_options(
    documents: Inputs | None,
    ids: list[str] | None,
    texts: list[str] | None,
    html: str | None,
    top: int | None,
    *,
    as_json: bool,
) -> None:
    """Refuse options that contradict each other or have no effect, before any reading."""
    refused = {
        "name a corpus, or give --text": not documents and not texts,
        "--text takes the place of a corpus: give one or the other": (bool(documents and texts)),
        "--id names a document of a corpus, and --text has no id: leave --id out": (
            bool(ids and texts)
        ),
        "--json and --html - both write to standard output: name a file for the page": (
            as_json and html == STREAM
        ),
        "--top is for text and JSON: leave it out, the page says how many terms it omits": (
            top is not None and html is not None and not as_json
        ),
    }
    for message, applies in refused.items():
        if applies:
            raise UsageError(message)


def explainer_of(model: Model, vectors: NumberedDocuments | None) -> Explain:
    """Return a function that explains a document by its texts, or by its number in ``vectors``."""
    from postil.train.predict import Predictor, VectorPredictor
    from postil.train.reasons import Reasons, VectorReasons

    if vectors is None:
        reasons = Reasons(Predictor(model))
        return lambda document, columns: reasons.explain(document.fields, document.id, columns)
    numbered = VectorReasons(VectorPredictor(model))
    return lambda document, columns: numbered.explain(vectors, int(document.id) - 1, columns)


def documents_with(corpus: Corpus, ids: Sequence[str], most: int = 1) -> list[Document]:
    """Return the documents of these ids in their order, or without ids the first ``most``.

    Reading stops as soon as all are found.
    """
    documents = iter(corpus)
    if not ids:
        first = list(islice(documents, most))
        if not first:
            raise CorpusError(f"{corpus.name} holds no document to explain")
        return first
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Document] = {}
    seen: list[str] = []
    for document in with_progress(documents, f"looking in {corpus.name}"):
        if len(seen) < EXAMPLES:
            seen.append(document.id)
        if document.id in wanted:
            found.setdefault(document.id, document)
            if len(found) == len(wanted):
                break
    missing = [name for name in wanted if name not in found]
    if missing:
        examples = f"its first are {', '.join(map(repr, seen))}" if seen else "it has no documents"
        raise CorpusError(
            f"{corpus.name} has no document with the id {', '.join(map(repr, missing))}; {examples}"
        )
    return [found[name] for name in wanted]


def numbered_documents(
    vectors: NumberedDocuments, ids: Sequence[str], names: tuple[str, ...]
) -> list[Document]:
    """Return the documents of these numbers in their order, or the first; they have no text."""
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


def _to_dict(
    document: Document, result: DocumentReasons, texts: list[str] | None, top: int | None
) -> dict[str, Any]:
    explanations = []
    for explanation in result.reasons:
        one = explanation.to_dict()
        if top is not None:
            one["terms"] = _strongest(one["terms"], top)
        explanations.append(one)
    return {
        "id": document.id or "text",  # as postil predict names it
        "labels": None if texts else list(document.labels),
        "given": list(result.given),
        **({"refer": True} if result.referred else {}),
        "fields": [part._asdict() for part in result.document.parts],
        "explanations": explanations,
    }


def _strongest(terms: list[dict[str, Any]], top: int) -> list[dict[str, Any]]:
    """Return the ``top`` strongest terms for and against; they come strongest first."""
    up = [term for term in terms if term["added"] > 0][:top]
    down = [term for term in terms if term["added"] < 0][:top]
    return sorted([*up, *down], key=lambda term: -abs(term["added"]))


def _show(results: list[tuple[Document, DocumentReasons]], top: int | None) -> None:
    import shutil
    import sys

    from postil.explain.terminal import SHOWN_TERMS, render_text, wants_colour

    colour = wants_colour(sys.stdout)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    blocks = []
    for document, result in results:
        blocks.append(_headline(document, result) + "\n")
        blocks += [
            render_text(
                reason,
                width=min(columns, WIDEST),
                colour=colour,
                shown=SHOWN_TERMS if top is None else top,
            )
            for reason in result.reasons
        ]
    typer.echo("\n".join(blocks), nl=False, file=styled(sys.stdout) if colour else None)


def _headline(document: Document, result: DocumentReasons) -> str:
    name = document.id or "the text"
    given = ", ".join(result.given) or "no category"
    labelled = f"; labelled {', '.join(document.labels)}" if document.labels else ""
    referred = "; referred: no label is sure enough for the route" if result.referred else ""
    return visible(f"{name}: given {given}{referred}{labelled}")


def _write_page(
    target: str, results: Iterable[tuple[Document, DocumentReasons]], title: str, note: str
) -> None:
    """Write the page of one document, or that of several with an index."""
    from postil.common.files import output_file
    from postil.explain.page import Explained, render_documents, render_html

    results = iter(results)
    first = list(islice(results, 2))
    if len(first) == 1:
        ((document, result),) = first
        reasons = result.reasons
        page = render_html(reasons, title=_headline(document, result))
    else:
        explained = (
            Explained(
                document.id,
                result.given,
                document.labels,
                result.reasons,
            )
            for document, result in chain(first, results)
        )
        page = render_documents(explained, title=title, note=note)
    with naming_errors(target), output_file(target) as file:
        file.write(page.encode("utf-8"))
    if note:
        say(f"{note} Name others with --id.")
    if target != STREAM:
        say(f"wrote {target}")

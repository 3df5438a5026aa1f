"""`postil predict`: the categories of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import say
from postil.cli.failures import check_output, file_named, naming
from postil.cli.passing import PassingCorpus, told
from postil.cli.progress import meter
from postil.cli.reading import Reading, reads_corpus

if TYPE_CHECKING:
    from postil.cli.predicting import Predicting
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.vectors.fields import Fields

STDOUT = "standard output"


@reads_corpus
def predict(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    reading: Reading,
    corpus: Annotated[
        str | None, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option("--text", help="This text instead, or FIELD=TEXT for each; - is stdin."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write (default: stdout).",
            parser=file_named,
            metavar="FILE",
        ),
    ] = None,
    scores: Annotated[
        int, typer.Option("--scores", min=0, help="Give scores of the best so many categories.")
    ] = 0,
    chunk: Annotated[
        int, typer.Option("--chunk", min=1, help="Most documents held in memory at a time.")
    ] = 4096,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
) -> None:
    """Give documents their categories, one line of JSON each, in the order they came.

    A line holds the document's id, its categories best first, and, for a model that has them,
    their probabilities; "terms": 0 marks a document with no term that the model knows. Of a
    stream, what has come is decided before more is waited for.

    A model of numbered features (imported, or trained on an svmlight file) takes svmlight files;
    their documents are numbered from 1.

    \b
    postil predict demo.postil demo
    postil predict demo.postil --text "The harbour committee met on Monday"
    postil predict mails.postil new.csv --scores 3 -o new.jsonl
    postil predict bbr.postil test.svm
    tail -f new.jsonl | postil predict mails.postil - | jq --unbuffered .labels
    """
    from postil.cli.predicting import Predicting
    from postil.model.loading import load_model
    from postil.prediction import Predictor

    if (corpus is None) == (not texts):
        raise typer.BadParameter("name a corpus, or give --text: one or the other")
    if output is not None:
        check_output(output, model, corpus)
    loaded = load_model(model, threads=threads)
    vectors = None if corpus is None else reading.vectors(corpus)
    if vectors is not None:
        _run_vectors(loaded, vectors, scores, output)
        return
    predictor = Predictor(loaded, threads)
    if corpus is None:
        documents: Iterable[Document] = [_given(texts or [], predictor.model.vectorizer.fields)]
        with _writer(output) as write:
            _run(documents, Predicting(predictor, chunk, scores, write))
        return
    opened = reading.open(corpus)
    with told(opened), meter(f"predicting {opened.name}") as shown, _writer(output) as write:
        _run(opened, Predicting(predictor, chunk, scores, write, shown.advance))


def _given(texts: list[str], fields: Fields) -> Document:
    from dataclasses import replace

    from postil.cli.explain_input import document_of

    return replace(document_of(texts, fields), id="text")


def _run_vectors(model: Model, vectors: NumberedDocuments, best: int, output: Path | None) -> None:
    """All documents of an svmlight file at once."""
    import numpy as np

    from postil.cli.predicting import lines_of, unknown_sentence
    from postil.prediction import VectorPredictor

    predictor = VectorPredictor(model)
    columns = predictor.vectors(vectors)
    unknown = np.diff(columns.indptr) == 0
    ids = vectors.ids
    scores = predictor.scores(columns)
    probabilities = predictor.probabilities(scores, predictor.variances(columns))
    lines = lines_of(predictor, ids, scores, probabilities, unknown, best)
    with _writer(output) as write:
        if lines:
            write(lines)
    if unknown.any():
        count = int(unknown.sum())
        say(unknown_sentence(count, len(ids), ids[int(unknown.argmax())]))


def _run(documents: Iterable[Document], predicting: Predicting) -> None:
    if isinstance(documents, PassingCorpus):
        documents.pauses.listener = predicting.pause
    for document in documents:
        predicting.add(document)
    predicting.finish()


@contextmanager
def _writer(output: Path | None) -> Iterator[Callable[[list[str]], None]]:
    """Writes lines, and hands them on at once."""
    from postil.corpus.files.atomic import output_file

    if output is None:

        def show(lines: list[str]) -> None:
            with naming(STDOUT):  # or a failure would be laid to what is read meanwhile
                typer.echo("\n".join(lines))

        yield show
        return
    with naming(output), output_file(output) as file:

        def write(lines: list[str]) -> None:
            with naming(output):
                file.write(("\n".join(lines) + "\n").encode())
                file.flush()

        yield write

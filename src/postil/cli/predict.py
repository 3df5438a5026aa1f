"""`postil predict`: the categories of documents.

Documents to lines of categories, some at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.console import json_text, say
from postil.cli.failures import check_output, file_named, naming
from postil.cli.output import PassingCorpus, told
from postil.cli.progress import meter
from postil.cli.reading import ModelFields, Reading, reads_corpus

if TYPE_CHECKING:
    from postil.common.types import Flags, Floats
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.train.predict import Decider, Predictor
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
    from postil.model.load import load_model
    from postil.train.predict import Predictor

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

    from postil.cli.reading import document_of

    return replace(document_of(texts, fields), id="text")


def _run_vectors(model: Model, vectors: NumberedDocuments, best: int, output: Path | None) -> None:
    """All documents of an svmlight file at once."""
    import numpy as np

    from postil.train.predict import VectorPredictor

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
    from postil.common.files import output_file

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


Write = Callable[[list[str]], None]


class Predicting:
    """Decides documents ``size`` at a time, or what there is at a pause, and writes their lines.

    A rule that gives shares of a batch can only be asked about all documents at once: they are
    then held to the end.
    """

    def __init__(
        self,
        predictor: Predictor,
        size: int,
        best: int,
        write: Write,
        count: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._predictor = predictor
        self._size = size
        self._best = best
        self._write = write
        self._count = count
        self._whole = predictor.model.decision.whole_batch
        self._fields = ModelFields(predictor.model.vectorizer.fields)
        self._held: list[Document] = []
        self._decided = 0
        self._unknown = 0
        self._first_unknown = ""

    def add(self, document: Document) -> None:
        """Take the next document; it may be decided at once, or with others that follow."""
        self._held.append(document)
        if len(self._held) >= self._size:
            self.pause()

    def pause(self) -> None:
        """Decide what is held, if that can be done before the end."""
        if self._held and not self._whole:
            self._decide()

    def finish(self) -> None:
        """Decide what is left, and say how many documents the model knows nothing of."""
        if self._held:
            self._decide()
        if self._unknown:
            say(unknown_sentence(self._unknown, self._decided, self._first_unknown))

    def _decide(self) -> None:
        # Let go first: deciding must not be tried again if it fails.
        held, self._held = self._held, []
        self._fields.look(held)
        self._write(self._lines(held))
        self._decided += len(held)
        self._count(len(held))

    def _lines(self, held: Sequence[Document]) -> list[str]:
        predictor = self._predictor
        columns = predictor.model.vectorizer.fields.columns_of(held)
        scores = predictor.scores(columns)
        unknown = predictor.unknown(columns, scores)
        for row in unknown.nonzero()[0].tolist():
            self._unknown += 1
            self._first_unknown = self._first_unknown or held[row].id
        probabilities = predictor.probabilities(scores, predictor.variances(columns))
        ids = [document.id for document in held]
        return lines_of(predictor, ids, scores, probabilities, unknown, self._best)


def lines_of(
    predictor: Decider,
    ids: Sequence[str],
    scores: Floats,
    probabilities: Floats | None,
    unknown: Flags,
    best: int,
) -> list[str]:
    """A line of JSON for each document; ``unknown`` are those without a term of the model."""
    names = predictor.model.names
    lines = []
    for row, given in enumerate(predictor.given(scores)):
        line: dict[str, Any] = {"id": ids[row], "labels": [names[c] for c in given]}
        if probabilities is not None:
            line["probabilities"] = _by_name(names, given, probabilities[row])
        if best:
            order = (-scores[row]).argsort(kind="stable")[:best]
            line["scores"] = _by_name(names, order, scores[row])
        if unknown[row]:
            line["terms"] = 0
        lines.append(json_text(line))
    return lines


def unknown_sentence(unknown: int, decided: int, first: str) -> str:
    """How many documents the model knows nothing of."""
    hold = "holds" if unknown == 1 else "hold"
    documents = "document" if decided == 1 else "documents"
    return (
        f"{unknown} of {decided} {documents} {hold} no term that the model "
        f'knows ("terms": 0); the first: {first}'
    )


def _by_name(
    names: Sequence[str], columns: Iterable[int], values: Sequence[float]
) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}

"""`postil predict`: the categories of documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.failures import naming
from postil.cli.passing import told
from postil.cli.progress import meter
from postil.cli.reading import Reading, reads_corpus

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.prediction import Predictor


@reads_corpus
def predict(
    model: Annotated[Path, typer.Argument(help="Model file.")],
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    reading: Reading,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: stdout).")
    ] = None,
    scores: Annotated[
        int, typer.Option("--scores", min=0, help="Give scores of the best so many categories.")
    ] = 0,
    chunk: Annotated[
        int, typer.Option("--chunk", min=1, help="Documents held in memory at a time.")
    ] = 4096,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
) -> None:
    """Give documents their categories, one line of JSON each, in the order they came.

    A line holds the document's id, its categories best first, and, for a model that has them,
    their probabilities.

    \b
    postil predict demo.postil demo
    postil predict mails.postil new.csv --scores 3 -o new.jsonl
    cat new.jsonl | postil predict mails.postil - | jq .labels
    """
    from postil.corpus.files.atomic import output_file
    from postil.model.loading import load_model
    from postil.prediction import Predictor

    predictor = Predictor(load_model(model, threads=threads), threads)
    opened = reading.open(corpus)
    with told(opened), meter(f"predicting {opened.name}") as shown:
        lines = _lines(predictor, opened, chunk, scores, shown.advance)
        if output is None:
            for line in lines:
                typer.echo(line)
        else:
            with naming(output), output_file(output) as file:
                for line in lines:
                    file.write(f"{line}\n".encode())


def _lines(
    predictor: Predictor,
    documents: Iterable[Document],
    size: int,
    best: int,
    count: Callable[[int], None],
) -> Iterator[str]:
    from postil.errors import CorpusError

    fields = predictor.model.vectorizer.fields
    missing = set(fields.names)
    stream = iter(documents)
    # A rule that gives shares of a batch can only be asked about all documents at once.
    step = None if predictor.model.decision.whole_batch else size
    while held := list(islice(stream, step)):
        for document in held:
            missing -= document.fields.keys()
        if fields.names and missing == set(fields.names):
            raise CorpusError(
                f"no document has the field {', '.join(fields.names)}, which the model reads; they "
                f"have {', '.join(sorted(held[0].fields))}: name the column, as in "
                f"--text-columns {next(iter(held[0].fields), 'text')}={fields.names[-1]}"
            )
        scores = predictor.scores(fields.columns_of(held))
        probabilities = predictor.probabilities(scores)
        for row, given in enumerate(predictor.given(scores)):
            names = predictor.model.names
            line: dict[str, Any] = {"id": held[row].id, "labels": [names[c] for c in given]}
            if probabilities is not None:
                line["probabilities"] = _by_name(names, given, probabilities[row])
            if best:
                order = scores[row].argsort(kind="stable")[::-1][:best]
                line["scores"] = _by_name(names, order, scores[row])
            yield json.dumps(line, ensure_ascii=False)
        count(len(held))


def _by_name(
    names: Sequence[str], columns: Iterable[int], values: Sequence[float]
) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}

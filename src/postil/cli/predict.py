"""`postil predict`: the categories of documents, as lines of JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from postil.cli.console import counted, json_text, say
from postil.cli.files import check_output, naming_errors, reporting_problems
from postil.cli.options import (
    ModelFields,
    ModelFile,
    OptionalCorpus,
    Reading,
    Texts,
    Threads,
    document_from_texts,
    names_entry,
    output_option,
    reads_corpus,
)
from postil.cli.progress import ProgressBar, progress_bar
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.common.types import Flags, Floats
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.train.predict import Decider, Predictor


STDOUT = "standard output"

Write = Callable[[list[str]], None]


@reads_corpus
def predict(
    model: ModelFile,
    reading: Reading,
    corpus: OptionalCorpus = None,
    texts: Texts = None,
    output: Annotated[
        Path | None, output_option("File to write (default: standard output).")
    ] = None,
    scores: Annotated[int, Option(min=0, help="Number of best categories to give scores for.")] = 0,
    min_probability: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Give only labels with at least this probability; 0 gives all (default: that of "
            "the model's route, if it was trained with one).",
        ),
    ] = None,
    refer: Annotated[
        Path | None,
        output_option("File for the documents without so probable a label.", "--refer"),
    ] = None,
    chunk: Annotated[int, Option(min=1, help="Largest number of documents held in memory.")] = 4096,
    threads: Threads = None,
) -> None:
    """Give documents their categories, one line of JSON each.

    A line holds the document's id, its categories, best first, and their probabilities if the
    model has any; "terms": 0 marks a document without a term that the model knows. Lines come in
    the order of the documents. From a stream, each document is decided as soon as it arrives. If
    the model was trained with --labels, "names" has the names of the categories of the line.

    With a minimum probability, less probable labels are not given. They are under "withheld", and
    "refer": true marks a document that is left without a label, for a person to decide; --refer
    writes these documents to a file of their own, not to the output. A model that was trained with
    --route has a minimum probability of its own.

    A model of numbered features (imported, or trained on an svmlight file) reads svmlight files;
    their documents are numbered from 1.

    \b
    Examples:
      postil predict demo.postil demo
      postil predict demo.postil --text "The harbour committee met on Monday"
      postil predict mails.postil new.csv --scores 3 -o new.jsonl
      postil predict demo.postil demo --min-probability 0.9 --refer unsure.jsonl -o sure.jsonl
      postil predict bbr.postil test.svm
      tail -f new.jsonl | postil predict mails.postil - | jq --unbuffered .labels
    """
    from postil.model.load import load_model
    from postil.model.route import least_probability
    from postil.train.predict import Predictor

    if corpus is None and not texts:
        raise UsageError("name a corpus to categorize, or give a text with --text")
    if corpus is not None and texts:
        raise UsageError("give a corpus or --text, not both")
    if output is not None:
        check_output(output, model, corpus)
    if refer is not None:
        check_output(refer, model, corpus)
        if output is not None and output.resolve() == refer.resolve():
            raise UsageError(f"--refer and --output both name {refer}: name two files")
    loaded = load_model(model, threads=threads)
    least = least_probability(loaded, min_probability)
    if refer is not None and least is None:
        raise UsageError(
            "--refer needs a minimum probability: give --min-probability, or train the model with "
            "--route"
        )
    vectors = None if corpus is None else reading.vectors(corpus)
    if vectors is not None:
        with _sorted_lines(output, refer, scores, least) as lines:
            _predict_vectors(loaded, vectors, lines)
        return
    predictor = Predictor(loaded, threads)
    if corpus is None:
        document = document_from_texts(texts or [], loaded.vectorizer.fields, name="text")
        with progress_bar() as bar, _sorted_lines(output, refer, scores, least) as lines:
            batch = Batch(predictor, chunk, lines, bar, "predicting")
            batch.add(document)
            batch.finish()
        return
    opened = reading.open(corpus, loaded)
    with (
        reporting_problems(opened),
        progress_bar("documents") as bar,
        _sorted_lines(output, refer, scores, least) as lines,
    ):
        batch = Batch(predictor, chunk, lines, bar, f"predicting {opened.name}")
        opened.pauses.listener = batch.pause
        for document in opened:
            batch.add(document)
        batch.finish()


def _predict_vectors(model: Model, vectors: NumberedDocuments, lines: SortedLines) -> None:
    """Decide all documents of an svmlight file at once."""
    import numpy as np

    from postil.train.predict import VectorPredictor

    predictor = VectorPredictor(model)
    columns = predictor.vectors(vectors)
    unknown = np.diff(columns.indptr) == 0
    ids = vectors.ids
    scores = predictor.scores(columns)
    probabilities = predictor.probabilities(scores, predictor.variances(columns))
    if len(ids):
        lines.write(predictor, ids, scores, probabilities, unknown)
    if unknown.any():
        _say_unknown(int(unknown.sum()), len(ids), ids[int(unknown.argmax())])


@contextmanager
def _sorted_lines(
    output: Path | None, refer: Path | None, best: int, least: float | None
) -> Iterator[SortedLines]:
    """Yield what writes the decided documents; at the end report how many are referred."""
    with ExitStack() as files:
        given = files.enter_context(_writer(output))
        unsure = given if refer is None else files.enter_context(_writer(refer))
        lines = SortedLines(given, unsure, best, least)
        yield lines
    if least is not None:
        why = f"without a label of probability {least:.3g} or more"
        if least > 1:
            why = "because no probability keeps the precision of the model's route"
        where = 'marked "refer": true' if refer is None else f"written to {refer}"
        say(f"referred {lines.referred} of {counted(lines.documents, 'document')}, {why}: {where}")


@contextmanager
def _writer(output: Path | None) -> Iterator[Write]:
    """Yield a function that writes lines and flushes them at once."""
    from postil.common.files import output_file

    if output is None:

        def show(lines: list[str]) -> None:
            with naming_errors(STDOUT):  # or the error would name the corpus that is being read
                typer.echo("\n".join(lines))

        yield show
        return
    with naming_errors(output), output_file(output) as file:

        def write(lines: list[str]) -> None:
            with naming_errors(output):
                file.write(("\n".join(lines) + "\n").encode())
                file.flush()

        yield write


class Batch:
    """Documents that wait for a decision; ``size`` at a time are decided and written.

    At a pause of a stream the waiting documents are decided at once. A rule that gives out shares
    of a batch needs all documents together: they are then held to the end.
    """

    def __init__(
        self,
        predictor: Predictor,
        size: int,
        lines: SortedLines,
        bar: ProgressBar,
        step: str,
    ) -> None:
        self._predictor = predictor
        self._size = size
        self._lines = lines
        self._bar = bar
        self._step = step
        self._whole = predictor.model.decision.whole_batch
        self._fields = ModelFields(predictor.model.vectorizer.fields)
        self._held: list[Document] = []
        self._decided = 0
        self._unknown = 0
        self._first_unknown = ""

    def add(self, document: Document) -> None:
        """Take the next document, and decide the batch if it is full."""
        self._held.append(document)
        if len(self._held) >= self._size:
            self.pause()

    def pause(self) -> None:
        """Decide the waiting documents, unless the rule needs all documents together."""
        if self._held and not self._whole:
            self._decide()

    def finish(self) -> None:
        """Decide the last documents, and report those without a known term."""
        if self._held:
            self._decide()
        if self._unknown:
            _say_unknown(self._unknown, self._decided, self._first_unknown)

    def _decide(self) -> None:
        # Empty the batch first: it must not be decided again if this fails.
        held, self._held = self._held, []
        self._fields.check(held)
        self._decide_on(held)
        self._decided += len(held)
        self._bar.update(self._step, self._decided)

    def _decide_on(self, held: Sequence[Document]) -> None:
        predictor = self._predictor
        columns = predictor.model.vectorizer.fields.columns_of(held)
        scores = predictor.scores(columns)
        unknown = predictor.unknown(columns, scores)
        for row in unknown.nonzero()[0].tolist():
            self._unknown += 1
            self._first_unknown = self._first_unknown or held[row].id
        probabilities = predictor.probabilities(scores, predictor.variances(columns))
        ids = [document.id for document in held]
        self._lines.write(predictor, ids, scores, probabilities, unknown)


@dataclass(slots=True)
class SortedLines:
    """Writes a line of JSON for each document; those to refer may have a file of their own.

    Parameters
    ----------
    given, unsure : callable
        Take the lines of documents, and of those that are left without a label.
    best : int
        The number of categories to give scores for.
    least : float, optional
        The minimum probability of a label.
    """

    given: Write
    unsure: Write
    best: int
    least: float | None
    documents: int = 0
    referred: int = 0

    def write(
        self,
        predictor: Decider,
        ids: Sequence[str],
        scores: Floats,
        probabilities: Floats | None,
        unknown: Flags,
    ) -> None:
        """Write documents in their order; ``unknown`` marks those without a known term."""
        lines: dict[Write, list[str]] = {}
        decided = predictor.given(scores)
        sure = decided
        if probabilities is not None and self.least:
            # With a hierarchy, a sure label takes the place of an unsure one below it.
            sure = predictor.given(scores, probabilities >= self.least)
        for row, given in enumerate(decided):
            chances = None if probabilities is None else probabilities[row]
            line = {"id": ids[row]} | self._labels(predictor.model.names, given, sure[row], chances)
            order: Iterable[int] = ()
            if self.best:
                order = (-scores[row]).argsort(kind="stable")[: self.best]
                line["scores"] = _by_name(predictor.model.names, order, scores[row])
            names = predictor.model.names
            line |= names_entry(
                predictor.model, (names[c] for c in dict.fromkeys((*sure[row], *given, *order)))
            )
            if unknown[row]:
                line["terms"] = 0
            self.referred += "refer" in line
            to = self.unsure if "refer" in line else self.given
            lines.setdefault(to, []).append(json_text(line))
        self.documents += len(ids)
        for to, kept in lines.items():
            to(kept)

    def _labels(
        self,
        names: Sequence[str],
        given: Sequence[int],
        sure: Sequence[int],
        chances: Floats | None,
    ) -> dict[str, Any]:
        """Return the labels of a document with their probabilities, and those withheld."""
        if chances is None:
            return {"labels": [names[c] for c in given]}
        entries: dict[str, Any] = {
            "labels": [names[c] for c in sure],
            "probabilities": _by_name(names, sure, chances),
        }
        withheld = [c for c in given if c not in sure]
        if withheld:
            entries["withheld"] = _by_name(names, withheld, chances)
        if self.least is not None and not sure:
            entries["refer"] = True
        return entries


def _by_name(
    names: Sequence[str], columns: Iterable[int], values: Sequence[float] | Floats
) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}


def _say_unknown(unknown: int, decided: int, first: str) -> None:
    hold = "holds" if unknown == 1 else "hold"
    documents = "document" if decided == 1 else "documents"
    say(
        f"{unknown} of {decided} {documents} {hold} no term that the model "
        f'knows ("terms": 0); the first: {first}'
    )

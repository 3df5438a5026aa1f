"""`postil predict`: the categories of documents, as lines of JSON or in a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    allowed_columns,
    document_from_texts,
    output_option,
    reads_corpus,
)
from postil.cli.progress import ProgressBar, progress_bar
from postil.common.numbers import probability_text
from postil.errors import DocumentError, UsageError
from postil.train.predictions import (
    PROBLEM,
    SEPARATORS,
    Prediction,
    Style,
    free_names,
    free_separator,
    json_entries,
    predictions_of,
    table_columns,
)

if TYPE_CHECKING:
    from postil.corpus.corpus import TableForm
    from postil.corpus.document import Document
    from postil.corpus.formats.format import Format
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.train.predict import Predictor


STDOUT = "standard output"
ID = "id"
JSON_LINES = ("", ".jsonl", ".ndjson", ".json")

Write = Callable[[Sequence[Prediction]], None]


@reads_corpus
def predict(
    model: ModelFile,
    reading: Reading,
    corpus: OptionalCorpus = None,
    texts: Texts = None,
    output: Annotated[
        Path | None,
        output_option(
            "File to write: a table if it is called .csv, .tsv, .parquet or .xlsx, else JSON Lines "
            "(default: standard output)."
        ),
    ] = None,
    top: Annotated[
        int,
        Option(
            min=0,
            help="Number of best labels to show, whatever the thresholds, with their "
            "probabilities (scores, if the model has none).",
        ),
    ] = 0,
    scores: Annotated[
        bool, Option("--scores", help="Show scores, not probabilities, with --top.")
    ] = False,
    include: Annotated[
        list[str] | None,
        Option(metavar="LABEL", help="Label that may be given, and no other; may be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        Option(metavar="LABEL", help="Label that is not given; may be repeated."),
    ] = None,
    under: Annotated[
        list[str] | None,
        Option(
            metavar="LABEL",
            help="Label that may be given, and all below it, and no other; may be repeated. It "
            "needs a model trained with --labels.",
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        Option(
            metavar="SHARE",
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
    """Give documents their categories, as JSON or in a table.

    A line holds the document's id, its categories, best first, and their probabilities if the
    model has any; "terms": 0 marks a document without a term that the model knows. Lines come in
    the order of the documents. From a stream, each document is decided as soon as it arrives. If
    the model was trained with --labels, "names" has the names of the categories of the line.

    An output called .csv, .tsv, .parquet or .xlsx is a table. If the input is a table, in any of
    these formats or JSON Lines, all its columns are kept as they are, and "labels" and
    "probabilities" are added; else the first column is "id". The column "problem" says if a row
    has no text, or no term that the model knows. With --on-error skip, it also says what is wrong
    with a file, or a row whose cells could be read: they are kept without labels.

    With a minimum probability, less probable labels are not given, nor any to a document without a
    known term. They are under "withheld", and "refer": true marks a document that is left without
    a label, for a person to decide (in a table the column "needs a person"); --refer writes these
    documents to a file of their own, not to the output. A model that was trained with --route has
    a minimum probability of its own.

    --include, --exclude and --under say which labels may be given: of a model that gives each
    document one label, the best of these. They change no probabilities. If the model was trained
    with --labels, a label is named by id, notation or name, and a table has columns of names.

    A model of numbered features (imported, or trained on an svmlight file) reads svmlight files;
    their documents are numbered from 1.

    \b
    Examples:
      postil predict demo.postil demo
      postil predict demo.postil --text "The harbour committee met on Monday"
      postil predict mails.postil new.csv -o labelled.csv
      postil predict mails.postil new.xlsx --top 3 -o suggestions.xlsx
      postil predict mails.postil new.jsonl --include refund --include delivery
      postil predict letters.postil letter.pdf reply.docx
      postil predict letters.postil lines.txt --format lines
      postil predict demo.postil demo --min-probability 0.9 --refer unsure.jsonl -o sure.jsonl
      postil predict bbr.postil test.svm
      tail -f new.jsonl | postil predict mails.postil - | jq --unbuffered .labels
    """
    from postil.model.load import load_model
    from postil.model.route import least_probability
    from postil.train.predict import Predictor

    if not corpus and not texts:
        raise UsageError("name a corpus to categorize, or give a text with --text")
    if corpus and texts:
        raise UsageError("give a corpus or --text, not both")
    if min_probability is not None and not 0 <= min_probability <= 1:
        raise UsageError(
            f"--min-probability takes a share from 0 to 1, such as 0.9 for 90 %, and received "
            f"{min_probability:g}"
        )
    tables = _checked_targets(output, refer, model, *corpus or ())
    loaded = load_model(model, threads=threads)
    least = least_probability(loaded, min_probability)
    if refer is not None and least is None:
        raise UsageError(
            "--refer needs a minimum probability: give --min-probability, or train the model with "
            "--route"
        )
    columns = allowed_columns(include or [], exclude or [], under or [], loaded, str(model))
    if scores and not top:
        raise UsageError("--scores shows the scores of the best labels: give their number by --top")
    separator, named = reading.values["label_separator"] or "", loaded.labels is not None
    style = Style(loaded.calibration is not None, top, least, separator, scores, named)
    style = style._replace(backs_off=bool(min_probability) and loaded.hierarchy is not None)
    labels = (*loaded.names, *loaded.titles)
    vectors = reading.vectors(corpus) if corpus else None
    if vectors is not None:
        with _sorting(output, refer, style, None, labels) as predictions:
            _predict_vectors(loaded, vectors, predictions, style, columns)
        return
    predictor = Predictor(loaded, threads)
    predictor.restrict(columns)
    if not corpus:
        document = document_from_texts(texts or [], loaded.vectorizer.fields, name="text")
        with progress_bar() as bar, _sorting(output, refer, style, None, labels) as found:
            batch = Batch(predictor, style, chunk, found, bar, "predicting")
            batch.add(document)
            batch.finish()
        return
    opened = reading.open(corpus, loaded, keep_records=any(tables))
    style = style._replace(changes=opened.problems.policy == "skip")
    with (
        reporting_problems(opened),
        progress_bar("documents") as bar,
        _sorting(output, refer, style, opened.form, labels) as found,
    ):
        step, from_table = f"predicting {opened.name}", opened.form is not None
        batch = Batch(predictor, style, chunk, found, bar, step, from_table=from_table)
        opened.pauses.listener = batch.pause
        opened.problems.keep = batch.keep if any(tables) else None
        for document in opened:
            batch.add(document)
        batch.finish()


def _checked_targets(
    output: Path | None, refer: Path | None, *inputs: str | Path
) -> list[Format | None]:
    """Return the formats of both files, None for JSON Lines; refuse those that cannot be written.

    ``inputs`` are the files that the command reads.
    """
    for target in (output, refer):
        if target is not None:
            check_output(target, *inputs)
    if output is not None and refer is not None and output.resolve() == refer.resolve():
        raise UsageError(f"--refer and --output both name {refer}: name two files")
    return [table_format(output), table_format(refer)]


def _predict_vectors(
    model: Model,
    vectors: NumberedDocuments,
    predictions: SortedPredictions,
    style: Style,
    allowed: set[int] | None,
) -> None:
    """Decide all documents of an svmlight file at once."""
    import numpy as np

    from postil.train.predict import VectorPredictor

    predictor = VectorPredictor(model)
    predictor.restrict(allowed)
    columns = predictor.vectors(vectors)
    unknown = np.diff(columns.indptr) == 0
    ids = vectors.ids
    scores = predictor.scores(columns)
    probabilities = predictor.probabilities(scores, predictor.variances(columns))
    if len(ids):
        predictions.write(predictions_of(predictor, style, ids, scores, probabilities, unknown))
    if unknown.any():
        _say_unknown(int(unknown.sum()), len(ids), ids[int(unknown.argmax())])


class Batch:
    """Documents that wait for a decision; ``size`` at a time are decided and written.

    At a pause of a stream the waiting documents are decided at once. A rule that gives out shares
    of a batch needs all documents together: they are then held to the end.
    """

    def __init__(
        self,
        predictor: Predictor,
        style: Style,
        size: int,
        predictions: SortedPredictions,
        bar: ProgressBar,
        step: str,
        *,
        from_table: bool = False,
    ) -> None:
        self._predictor = predictor
        self._style = style
        self._size = size
        self._predictions = predictions
        self._bar = bar
        self._step = step
        self._from_table = from_table
        self._whole = predictor.model.decision.whole_batch
        self._fields = ModelFields(predictor.model.vectorizer.fields)
        self._held: list[Document | Prediction] = []
        self._decided = 0
        self._unknown = 0
        self._first_unknown = ""

    def add(self, document: Document) -> None:
        """Take the next document, and decide the batch if it is full."""
        self._held.append(document)
        if len(self._held) >= self._size:
            self.pause()

    def keep(self, error: DocumentError, record: Mapping[str, object] | None) -> None:
        """Take a bad document, which is given no label, in its place.

        Of a bad row in a table its cells are needed.
        """
        if record is None and self._from_table:
            return
        identity = str((record or {}).get(ID) or f"{error.source}, {error.position}")
        self._held.append(Prediction(identity, {}, {}, {}, fault=str(error), record=record))
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
        documents = [each for each in held if not isinstance(each, Prediction)]
        self._fields.check(documents)
        found = iter(self._decided_on(documents) if documents else ())
        self._predictions.write(
            [each if isinstance(each, Prediction) else next(found) for each in held]
        )
        self._decided += len(documents)
        self._bar.update(self._step, self._decided)

    def _decided_on(self, documents: Sequence[Document]) -> list[Prediction]:
        predictor = self._predictor
        columns = predictor.model.vectorizer.fields.columns_of(documents)
        scores = predictor.scores(columns)
        unknown = predictor.unknown(columns, scores)
        for row in unknown.nonzero()[0].tolist():
            self._unknown += 1
            self._first_unknown = self._first_unknown or documents[row].id
        probabilities = predictor.probabilities(scores, predictor.variances(columns))
        ids = [document.id for document in documents]
        found = predictions_of(predictor, self._style, ids, scores, probabilities, unknown)
        return [
            replace(each, record=document.record, empty=each.unknown and _is_empty(document))
            for each, document in zip(found, documents, strict=True)
        ]


def _is_empty(document: Document) -> bool:
    return all(not text or text.isspace() for text in document.fields.values())


def _say_unknown(unknown: int, decided: int, first: str) -> None:
    hold = "holds" if unknown == 1 else "hold"
    documents = "document" if decided == 1 else "documents"
    say(
        f"{unknown} of {decided} {documents} {hold} no term that the model "
        f'knows ("terms": 0); the first: {first}'
    )


@contextmanager
def _sorting(
    output: Path | None,
    refer: Path | None,
    style: Style,
    form: TableForm | None,
    labels: Sequence[str],
) -> Iterator[SortedPredictions]:
    """Yield what writes predictions to the files; at the end report how many are referred.

    The parameters are those of :func:`_writer`; ``refer`` takes the documents without a label that
    is probable enough, if it is given.
    """
    least = style.least
    with ExitStack() as files:
        given = files.enter_context(_writer(output, style, form, labels))
        unsure = given
        if refer is not None:
            unsure = files.enter_context(_writer(refer, style, form, labels))
        faulty = given if table_format(refer) is None else unsure
        predictions = SortedPredictions(given, unsure, faulty)
        yield predictions
    if predictions.kept:
        skipped = counted(predictions.kept, "skipped document")
        say(f"{skipped} without labels {'is' if predictions.kept == 1 else 'are'} in the table")
    if least is not None:
        why = f"without a label of probability {probability_text(least)} or more"
        if least > 1:
            why = "because no probability keeps the precision of the model's route"
        where = 'marked "refer": true'
        if refer is not None:
            where = f"written to {refer}"
        elif table_format(output) is not None:
            where = 'marked "needs a person"'
        count = counted(predictions.documents, "document")
        say(f"referred {predictions.referred} of {count}, {why}: {where}")
    for target, to in ((output, given), (refer, unsure)):
        if target is not None:
            say(f"wrote {target}: {_contents(target, predictions.written[to], style)}")


def _contents(target: Path, written: Counter[str], style: Style) -> str:
    """Return how much is in a file that was written."""
    is_table = table_format(target) is not None
    found = [counted(written["rows"], "row" if is_table else "line")]
    if is_table and style.least is not None:
        needy = written["needy"]
        found.append(f"{needy:,} {'needs' if needy == 1 else 'need'} a person")
    return ", ".join(found)


@dataclass(slots=True)
class SortedPredictions:
    """Writes predictions; those of documents to refer may have a file of their own.

    Parameters
    ----------
    given, unsure, faulty : callable
        Take the predictions of documents, of those that are left without a label, and of bad ones.

    Attributes
    ----------
    written : dict of callable to Counter
        How many ``rows`` each has taken, and how many of them are ``needy`` of a person.
    """

    given: Write
    unsure: Write
    faulty: Write
    documents: int = 0
    referred: int = 0
    kept: int = 0
    written: dict[Write, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def write(self, predictions: Sequence[Prediction]) -> None:
        """Write predictions in their order."""
        sorted_out: dict[Write, list[Prediction]] = {}
        for each in predictions:
            self.kept += bool(each.fault)
            self.documents += not each.fault
            self.referred += each.refer
            to = self.unsure if each.refer else self.faulty if each.fault else self.given
            sorted_out.setdefault(to, []).append(each)
        for to, some in sorted_out.items():
            to(some)
            needy = sum(each.needs_person for each in some)
            self.written[to].update(rows=len(some), needy=needy)


def table_format(target: Path | None) -> Format | None:
    """Return the format of a table that the name of a file asks for, None for JSON Lines."""
    if target is None:
        return None
    from postil.common.compression import extension_of
    from postil.corpus.formats.guessing import formats_of_name

    formats = (each for each in formats_of_name(target.name) if each.fixed_columns)
    format = next(formats, None)
    if format is None and extension_of(target.name) not in JSON_LINES:
        raise UsageError(
            f"{target}: predictions are written as .jsonl, or as a table called .csv, .tsv, "
            ".parquet or .xlsx, also compressed (.csv.gz); choose one of these names"
        )
    return format


@contextmanager
def _writer(
    target: Path | None, style: Style, form: TableForm | None, labels: Sequence[str]
) -> Iterator[Write]:
    """Yield a function that writes predictions in the format that the name of the file asks for.

    Parameters
    ----------
    target : Path, optional
        The file; None is standard output.
    style : Style
        The parts of a prediction that are shown.
    form : TableForm, optional
        The form of the table that the documents come from, if they come from one.
    labels : sequence of str
        All labels that may be given.
    """
    from postil.common.files import output_file

    format = table_format(target)
    if target is not None and format is not None:
        with _table(target, format, style, form, labels) as write_rows:
            yield write_rows
        return
    if target is None:

        def show(predictions: Sequence[Prediction]) -> None:
            with naming_errors(STDOUT):  # or the error would name the corpus that is being read
                typer.echo("\n".join(_lines(predictions, style)))

        yield show
        return
    with naming_errors(target), output_file(target) as file:

        def write(predictions: Sequence[Prediction]) -> None:
            with naming_errors(target):
                file.write(("\n".join(_lines(predictions, style)) + "\n").encode())
                file.flush()

        yield write


def _lines(predictions: Sequence[Prediction], style: Style) -> list[str]:
    """Return predictions as JSON."""
    return [json_text(json_entries(each, style)) for each in predictions]


@contextmanager
def _table(
    target: Path, format: Format, style: Style, form: TableForm | None, labels: Sequence[str]
) -> Iterator[Write]:
    """Yield a function that writes predictions as rows: the columns of the input, and new ones."""
    from postil.corpus.corpus import TableForm
    from postil.corpus.formats.format import RowWriting, UnwritableError

    from_table, form = form is not None, form or TableForm((ID,))
    columns = table_columns(style)
    names = free_names(list(columns), form.names)
    renamed = [f"{new} (the input has {old})" for old, new in names.items() if old != new]
    if renamed:
        say(f"{target}: new columns are called {', '.join(renamed)}")
    wanted = style.separator or SEPARATORS[0]
    separator = free_separator((wanted, *SEPARATORS), labels, form)
    if separator != wanted:
        say(f"{target}: labels are separated by {separator!r}, since one holds {wanted!r}")
    kinds = {names[name]: kind for name, (kind, _) in columns.items()}
    problems = names[PROBLEM] if style.changes else ""
    assert format.write_rows is not None
    with (
        naming_errors(target),
        format.write_rows(RowWriting(target, form, kinds, separator, problems)) as write_rows,
    ):

        def write(predictions: Sequence[Prediction]) -> None:
            records = [
                {ID: each.id} if each.record is None or not from_table else each.record
                for each in predictions
            ]
            added = [[value(each) for _, value in columns.values()] for each in predictions]
            try:
                with naming_errors(target):
                    write_rows(records, added)
            except UnwritableError as error:
                where = f"one of the documents {predictions[0].id!r} to {predictions[-1].id!r}"
                if error.row is not None:
                    where = f"document {predictions[error.row].id!r}"
                raise DocumentError(str(target), where, str(error)) from None

        yield write

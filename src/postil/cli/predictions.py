"""What `postil predict` gives for documents, as lines of JSON or as the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from postil.cli.console import counted, json_text, say
from postil.cli.files import naming_errors
from postil.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from postil.common.types import Flags, Floats
    from postil.corpus.corpus import TableForm
    from postil.corpus.formats.format import Format
    from postil.train.predict import Decider

STDOUT = "standard output"
ID = "id"
SEPARATORS = (";", "|", "\t")
SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a document is given; values are probabilities, or scores if there are none.

    ``withheld`` holds labels that are not probable enough, ``top`` the best labels whatever the
    thresholds. ``fault`` is the message on a bad document, which is given nothing. ``record`` is
    the row of a table that the document comes from.
    """

    id: str
    labels: Mapping[str, float]
    withheld: Mapping[str, float]
    top: Mapping[str, float]
    refer: bool = False
    unknown: bool = False
    fault: str = ""
    record: Mapping[str, object] | None = None


class Style(NamedTuple):
    """The parts of a prediction that are shown.

    Parameters
    ----------
    calibrated : bool
        Labels have probabilities.
    top : int
        The number of best labels to show.
    least : float, optional
        The minimum probability of a label.
    faults : bool
        Bad documents are skipped.
    separator : str
        The separator of labels in a cell that is used if no label holds it.
    scores : bool
        The best labels are those with the highest scores, and have scores.
    """

    calibrated: bool
    top: int
    least: float | None
    faults: bool = False
    separator: str = ""
    scores: bool = False

    @property
    def top_column(self) -> str:
        """The title of the values of the best labels."""
        return "top probabilities" if self.calibrated and not self.scores else "top scores"


Write = Callable[[Sequence[Prediction]], None]


def table_format(target: Path | None) -> Format | None:
    """Return the format of a table that the name of a file asks for, None for JSON Lines."""
    from postil.corpus.formats.guessing import extension_of, formats_of_name

    if target is None:
        return None
    if extension_of(target.name) in SPREADSHEETS:
        raise UsageError(f"{target}: tables are written as .csv, .tsv, .parquet and .xlsx")
    formats = (each for each in formats_of_name(target.name) if each.write_rows is not None)
    return next(formats, None)


@contextmanager
def writer(
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
    return [json_text(_entries(each, style)) for each in predictions]


def _entries(prediction: Prediction, style: Style) -> dict[str, Any]:
    entries: dict[str, Any] = {"id": prediction.id, "labels": list(prediction.labels)}
    if style.calibrated:
        entries["probabilities"] = prediction.labels
    if prediction.withheld:
        entries["withheld"] = prediction.withheld
    if prediction.refer:
        entries["refer"] = True
    if style.top:
        entries["top"] = prediction.top
    if prediction.unknown:
        entries["terms"] = 0
    return entries


@contextmanager
def _table(
    target: Path, format: Format, style: Style, form: TableForm | None, labels: Sequence[str]
) -> Iterator[Write]:
    """Yield a function that writes predictions as rows: the columns of the input, and new ones."""
    from postil.corpus.corpus import TableForm
    from postil.corpus.formats.format import RowWriting, UnwritableError

    form = form or TableForm((ID,))
    columns = _columns(style)
    names = _free_names(list(columns), form.names)
    renamed = [f"{new} (the input has {old})" for old, new in names.items() if old != new]
    if renamed:
        say(f"{target}: new columns are called {', '.join(renamed)}")
    wanted = style.separator or SEPARATORS[0]
    separator = _separator((wanted, *SEPARATORS), labels, form)
    if separator != wanted:
        say(f"{target}: labels are separated by {separator!r}, since one holds {wanted!r}")
    kinds = {names[name]: kind for name, (kind, _) in columns.items()}
    assert format.write_rows is not None
    with (
        naming_errors(target),
        format.write_rows(RowWriting(target, form, kinds, separator)) as write_rows,
    ):

        def write(predictions: Sequence[Prediction]) -> None:
            records = [
                {ID: each.id} if each.record is None else each.record for each in predictions
            ]
            added = [[value(each) for _, value in columns.values()] for each in predictions]
            try:
                with naming_errors(target):
                    write_rows(records, added)
            except UnwritableError as error:
                where = f"one of the documents {predictions[0].id!r} to {predictions[-1].id!r}"
                raise DocumentError(str(target), where, str(error)) from None

        yield write


def _columns(style: Style) -> dict[str, tuple[type, Callable[[Prediction], object]]]:
    """Return the type and the value of each new column."""
    columns: dict[str, tuple[type, Callable[[Prediction], object]]] = {
        "labels": (list, lambda each: list(each.labels))
    }
    if style.calibrated:
        columns["probabilities"] = (float, lambda each: list(each.labels.values()))
    if style.least is not None:
        columns["withheld"] = (list, lambda each: list(each.withheld))
        columns["needs a person"] = (bool, lambda each: each.refer or bool(each.fault))
    if style.top:
        columns["top labels"] = (list, lambda each: list(each.top))
        columns[style.top_column] = (float, lambda each: list(each.top.values()))
    if style.faults:
        columns["problem"] = (str, lambda each: each.fault)
    return columns


def _free_names(wanted: Sequence[str], taken: Sequence[str]) -> dict[str, str]:
    """Return a name that is not taken for each wanted one."""
    used, found = set(taken), {}
    for name in wanted:
        free, number = name, 1
        while free in used:
            free = f"predicted {name}" + (f" {number}" if number > 1 else "")
            number += 1
        used.add(free)
        found[name] = free
    return found


def _separator(among: Sequence[str], labels: Sequence[str], form: TableForm) -> str:
    """Return the first separator of labels in a cell that no label holds."""
    free = [
        each
        for each in among
        if not any(each in label for label in labels) and (form.quote or each != form.delimiter)
    ]
    if not free:
        raise UsageError(
            f"the labels of the model hold each of {', '.join(map(repr, among))}, so none can "
            "separate them in a cell; write .jsonl"
        )
    return free[0]


@contextmanager
def sorting(
    output: Path | None,
    refer: Path | None,
    style: Style,
    form: TableForm | None,
    labels: Sequence[str],
) -> Iterator[SortedPredictions]:
    """Yield what writes predictions to the files; at the end report how many are referred.

    The parameters are those of :func:`writer`; ``refer`` takes the documents without a label that
    is probable enough, if it is given.
    """
    least = style.least
    with ExitStack() as files:
        given = files.enter_context(writer(output, style, form, labels))
        unsure = given
        if refer is not None:
            unsure = files.enter_context(writer(refer, style, form, labels))
        faulty = given if table_format(refer) is None else unsure
        predictions = SortedPredictions(given, unsure, faulty)
        yield predictions
    if predictions.kept:
        skipped = counted(predictions.kept, "skipped document")
        say(f"{skipped} without labels {'is' if predictions.kept == 1 else 'are'} in the table")
    if least is not None:
        why = f"without a label of probability {least:.3g} or more"
        if least > 1:
            why = "because no probability keeps the precision of the model's route"
        where = 'marked "refer": true'
        if refer is not None:
            where = f"written to {refer}"
        elif table_format(output) is not None:
            where = 'marked "needs a person"'
        count = counted(predictions.documents, "document")
        say(f"referred {predictions.referred} of {count}, {why}: {where}")


@dataclass(slots=True)
class SortedPredictions:
    """Writes predictions; those of documents to refer may have a file of their own.

    Parameters
    ----------
    given, unsure, faulty : callable
        Take the predictions of documents, of those that are left without a label, and of bad ones.
    """

    given: Write
    unsure: Write
    faulty: Write
    documents: int = 0
    referred: int = 0
    kept: int = 0

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


def predictions_of(
    decider: Decider,
    style: Style,
    ids: Sequence[str],
    scores: Floats,
    probabilities: Floats | None,
    unknown: Flags,
) -> list[Prediction]:
    """Return what documents are given.

    Parameters
    ----------
    decider : Decider
        The model.
    style : Style
        The parts of a prediction that are shown.
    ids : sequence of str
        The ids of the documents.
    scores : array
        Documents × categories.
    probabilities : array, optional
        Documents × categories, if the model is calibrated.
    unknown : array
        True for each document without a known term.
    """
    names, least = decider.model.names, style.least
    values = scores if probabilities is None else probabilities
    worth = scores if style.scores else values
    best = decider.suggested(worth, style.top).tolist() if style.top else [[]] * len(ids)
    found = []
    for row, given in enumerate(decider.given(scores)):
        sure = given if least is None else [c for c in given if values[row, c] >= least]
        rest = [c for c in given if c not in sure]
        found.append(
            Prediction(
                ids[row],
                labels=_by_name(names, sure, values[row]),
                withheld=_by_name(names, rest, values[row]),
                top=_by_name(names, best[row], worth[row]),
                refer=least is not None and not sure,
                unknown=bool(unknown[row]),
            )
        )
    return found


def _by_name(names: Sequence[str], columns: Sequence[int], values: Floats) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}

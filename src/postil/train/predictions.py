"""Predictions for documents, and how they are shown: as JSON, or in the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.common.types import Flags, Floats
    from postil.corpus.corpus import TableForm
    from postil.train.predict import Decider

SEPARATORS = (";", "|", "\t")
PROBLEM = "problem"
NO_TEXT = "no text"
UNKNOWN = "no term that the model knows"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The labels that a document is given; values are probabilities, or scores if there are none.

    ``withheld`` holds labels that are not probable enough, ``top`` the best labels whatever the
    thresholds. ``unknown`` marks a document without a term of the model, ``empty`` one of these
    that has no text. ``fault`` is the message on a bad document, which is given nothing.
    ``record`` is the row of a table that the document comes from. ``names`` are the names of
    labels for people, if the model has any.
    """

    id: str
    labels: Mapping[str, float]
    withheld: Mapping[str, float]
    top: Mapping[str, float]
    refer: bool = False
    unknown: bool = False
    fault: str = ""
    record: Mapping[str, object] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    empty: bool = False

    @property
    def problem(self) -> str:
        """Say why labels are missing, or are those of any empty text; nothing if all is well."""
        if self.fault or not self.unknown:
            return self.fault
        return NO_TEXT if self.empty else UNKNOWN

    @property
    def needs_person(self) -> bool:
        """True if a person has to decide."""
        return self.refer or bool(self.fault)

    def names_of(self, labels: Iterable[str]) -> list[str]:
        """Return the names of labels for people."""
        return [self.names[label] for label in labels]


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
    separator : str
        The separator of labels in a cell that is used if no label holds it.
    scores : bool
        The best labels are those with the highest scores, and have scores.
    named : bool
        Labels have names for people.
    changes : bool
        A cell that a table cannot hold is changed, and the problem of its row says so.
    backs_off : bool
        With a hierarchy, a probable label takes the place of an improbable one below it. The
        precision of a route is measured without that.
    """

    calibrated: bool
    top: int
    least: float | None
    separator: str = ""
    scores: bool = False
    named: bool = False
    changes: bool = False
    backs_off: bool = False

    @property
    def top_column(self) -> str:
        """The title of the values of the best labels."""
        return "top probabilities" if self.calibrated and not self.scores else "top scores"


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
    decided = decider.given(scores)
    able = decided
    if least is not None and style.backs_off:
        able = decider.given(scores, values >= least)
    for row, given in enumerate(decided):
        sure = able[row]
        if least is not None:
            # The probabilities of a document without a known term say nothing about it.
            sure = [c for c in sure if values[row, c] >= least and not unknown[row]]
        rest = [c for c in given if c not in sure]
        found.append(
            Prediction(
                ids[row],
                labels=_by_name(names, sure, values[row]),
                withheld=_by_name(names, rest, values[row]),
                top=_by_name(names, best[row], worth[row]),
                refer=least is not None and not sure,
                unknown=bool(unknown[row]),
                names=decider.model.names_for_people((*sure, *rest, *best[row])),
            )
        )
    return found


def _by_name(names: Sequence[str], columns: Sequence[int], values: Floats) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}


def json_entries(prediction: Prediction, style: Style) -> dict[str, Any]:
    """Return a prediction as the entries of a JSON object."""
    entries: dict[str, Any] = {"id": prediction.id, "labels": list(prediction.labels)}
    if style.calibrated:
        entries["probabilities"] = prediction.labels
    if prediction.withheld:
        entries["withheld"] = prediction.withheld
    if prediction.refer:
        entries["refer"] = True
    if style.top:
        entries["top"] = prediction.top
    if style.named:
        entries["names"] = prediction.names
    if prediction.unknown:
        entries["terms"] = 0
    return entries


def table_columns(style: Style) -> dict[str, tuple[type, Callable[[Prediction], object]]]:
    """Return the type and the value of each new column."""
    columns: dict[str, tuple[type, Callable[[Prediction], object]]] = {
        "labels": (list, lambda each: list(each.labels))
    }
    if style.named:
        columns["names"] = (list, lambda each: each.names_of(each.labels))
    if style.calibrated:
        columns["probabilities"] = (float, lambda each: list(each.labels.values()))
    if style.least is not None:
        columns["withheld"] = (list, lambda each: list(each.withheld))
        if style.named:
            columns["withheld names"] = (list, lambda each: each.names_of(each.withheld))
        columns["needs a person"] = (bool, lambda each: each.needs_person)
    if style.top:
        columns["top labels"] = (list, lambda each: list(each.top))
        if style.named:
            columns["top names"] = (list, lambda each: each.names_of(each.top))
        columns[style.top_column] = (float, lambda each: list(each.top.values()))
    columns[PROBLEM] = (str, lambda each: each.problem)
    return columns


def free_names(wanted: Sequence[str], taken: Sequence[str]) -> dict[str, str]:
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


def free_separator(among: Sequence[str], labels: Sequence[str], form: TableForm) -> str:
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

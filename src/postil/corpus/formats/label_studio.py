"""Label Studio: tasks with annotations, as it imports and exports them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from postil.common.files import output_file
from postil.corpus.document import Document
from postil.corpus.files.streams import Source
from postil.corpus.formats.annotations import (
    Held,
    Judgements,
    Record,
    ShapeError,
    about,
    annotated,
    listed_names,
)
from postil.corpus.formats.columns import NOT_LABELS
from postil.corpus.formats.format import Format, Head, Reading, WriteDocument, Writing
from postil.corpus.formats.jsonl import json_bytes
from postil.corpus.formats.records import (
    LABELS,
    TABLE_OPTIONS,
    Row,
    check_names,
    label_probabilities,
)
from postil.corpus.options import ReadOptions

CHOICES = "choices"
JSON_MIN_KEYS = ("annotation_id", "annotator")
CONTROLS = (LABELS, "label", "choice", CHOICES, "category", "class", "topic", "sentiment")
"""Usual names of controls, under which JSON_MIN has a single choice."""
LABEL_STUDIO_SIGNS = (
    re.compile(r'"data"\s*:\s*\{.*"(annotations|predictions|completions)"\s*:\s*\[', re.DOTALL),
    re.compile(r'"(annotations|predictions|completions)"\s*:\s*\[.*"data"\s*:\s*\{', re.DOTALL),
    re.compile(r'"annotation_id"\s*:.*"lead_time"\s*:|"lead_time"\s*:.*"annotation_id"', re.DOTALL),
    re.compile(r'^\s*(\[\s*)?\{\s*"data"\s*:\s*\{'),
)


def _read_label_studio(source: Source, options: ReadOptions) -> Reading:
    """Read tasks with annotations (JSON), or an annotation with the data of its task (JSON_MIN).

    Labels are the choices of annotations that were not cancelled; predictions are no labels. With
    a label column, only choices of the control of that name count. Nothing is known of the labels
    of a task without annotations. The id is that in the data, else that of the task. JSON_MIN is
    held in memory, since one task may have several records.
    """
    control = options.label_column

    def take(held: Held, position: int, record: Record) -> Row | None:
        if isinstance(record.get("data"), dict):
            return _task(position, record, control)
        if any(key in record for key in JSON_MIN_KEYS):
            _add_annotation(held, position, record, control)
            return None
        raise ShapeError(
            "is no task of Label Studio: it has neither data nor an annotation_id; if the texts "
            "are plain keys, read it as jsonl (--format jsonl)"
        )

    return annotated(source, options, take, "Label Studio")


def _task(position: int, task: Record, control: str | None) -> Row:
    """Return the row of a task with its annotations."""
    column = control or LABELS
    judgements = Judgements(position, {"id": task.get("id"), **task["data"]})
    if column in judgements.record:
        judgements.record[f"data.{column}"] = judgements.record.pop(column)
    own = judgements.record.pop(NOT_LABELS, None)
    annotations = task.get("annotations") or task.get("completions") or ()
    done = [each for each in annotations if not (each.get("was_cancelled") or each.get("skipped"))]
    for annotation in [each for each in done if each.get("ground_truth")] or done:
        chosen: list[str] = []
        for result in annotation.get("result") or ():
            value = result.get("value") or {}
            if CHOICES in value and control in (None, result.get("from_name")):
                chosen += listed_names(value[CHOICES])
        judgements.chose(chosen)
    _, row = judgements.row(column)
    if own is None:
        return position, row
    # What people give now was not excluded for good.
    return position, {**row, NOT_LABELS: [label for label in own if not judgements.yes[label]]}


def _add_annotation(held: Held, position: int, record: Record, control: str | None) -> None:
    """Add a record of JSON_MIN to those of its task.

    Several choices are an object; a single one is a string under the name of the control.
    """
    several = [name for name, value in record.items() if _choices(value) is not None]
    usual = [name for name in record if name in CONTROLS]
    controls = [control] if control else several or usual
    if not controls:
        raise ShapeError(
            "has no choices under a name that is known; name the control that holds the labels "
            f"(--label-column); the keys are {', '.join(record)}"
        )
    rest = {name: value for name, value in record.items() if name not in controls}
    judgements = held.setdefault(str(record.get("id", position)), Judgements(position, rest))
    chosen: list[str] = []
    for name in controls:
        value = record.get(name)
        chosen += [value] if isinstance(value, str) else _choices(value) or []
    judgements.chose(chosen)


def _choices(value: object) -> list[str] | None:
    """Return the choices in ``{"choices": […]}``, or in a list of such; None for other values."""
    if isinstance(value, dict) and isinstance(value.get(CHOICES), list):
        return listed_names(value[CHOICES])
    if isinstance(value, list) and value and all(_choices(each) is not None for each in value):
        return [choice for each in value for choice in _choices(each) or ()]
    return None


def _sniff_label_studio(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001
    """Return True if the first bytes have the keys of a task, or of an annotation."""
    text = head.data.decode(head.encoding, errors="replace")
    return text.lstrip("\ufeff \t\r\n")[:1] in "[{" and any(
        sign.search(text) for sign in LABEL_STUDIO_SIGNS
    )


@contextmanager
def _write_label_studio(writing: Writing) -> Iterator[WriteDocument]:
    """Write an array of tasks to import: labels as an annotation, uncertain ones as a prediction.

    The data of a task are the fields, the id and the rest. Choices are those of a control
    ``label`` for the first field.
    """
    with output_file(writing.target) as stream:
        between = b"[\n"

        def write_document(document: Document) -> None:
            nonlocal between
            stream.write(between + json_bytes(_task_of(document)))
            between = b",\n"

        yield write_document
        stream.write(b"[]\n" if between == b"[\n" else b"\n]\n")


def _task_of(document: Document) -> dict[str, object]:
    check_names(document)
    data: dict[str, object] = {"id": document.id, **document.fields, **about(document)}
    if document.not_labels or (document.labels and document.not_labels is not None):
        data[NOT_LABELS] = document.not_labels
    chances = label_probabilities(document)
    labels = document.labels or sorted(chances, key=lambda label: -chances[label])[:1]
    if not labels:
        return {"data": data}
    choices = {
        "from_name": "label",
        "to_name": next(iter(document.fields), "text"),
        "type": CHOICES,
        "value": {CHOICES: labels},
    }
    if not chances:
        return {"data": data, "annotations": [{"result": [choices]}]}
    score = min(chances[label] for label in labels)
    return {"data": data, "predictions": [{"result": [choices], "score": score}]}


LABEL_STUDIO = Format(
    name="label-studio",
    extensions=(),
    description="Label Studio: tasks with annotations (JSON), or JSON_MIN",
    read=_read_label_studio,
    options=TABLE_OPTIONS | {"encoding"},
    sniff=_sniff_label_studio,
    write=_write_label_studio,
    drops=("probabilities of labels, which become predictions to check",),
)

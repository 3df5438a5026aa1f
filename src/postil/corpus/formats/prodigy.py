"""Prodigy: answers to questions about labels, a line each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from postil.corpus.document import Document
from postil.corpus.files.streams import Source
from postil.corpus.formats.annotations import (
    Held,
    Judgements,
    Record,
    ShapeError,
    about,
    annotated,
    joined,
)
from postil.corpus.formats.columns import GROUP, NOT_LABELS, WEIGHT
from postil.corpus.formats.format import Format, Head, Reading
from postil.corpus.formats.jsonl import json_bytes
from postil.corpus.formats.records import ALL_OTHERS, TABLE_OPTIONS, check_names
from postil.corpus.formats.text import Encode, line_writer
from postil.corpus.options import ReadOptions, WriteOptions

PRODIGY_SIGN = re.compile(r'"_(input|task)_hash"\s*:|"answer"\s*:\s*"(accept|reject|ignore)"')
PRODIGY_KEYS = frozenset(
    {
        *("label", "accept", "options", "answer", "score", "priority", "meta", "config"),
        *("spans", "tokens", "style"),
    }
)
ABOUT_DOCUMENTS = ("id", "split", WEIGHT, GROUP)
"""The keys that are written to places where a tool keeps what it does not know."""


def _read_prodigy(source: Source, options: ReadOptions) -> Reading:
    """Read answers to a label (accept, reject), and choices among options.

    The records of one text are one document, so all documents are held in memory. A label that was
    rejected, or an option that was not chosen, is a known-negative label. A record that was ignored
    or not answered says nothing of its label.
    """
    return annotated(source, options, _add_answer, "Prodigy")


def _add_answer(held: Held, position: int, record: Record) -> None:
    """Add a record to those of its text."""
    answer = record.get("answer")
    if answer not in ("accept", "reject", "ignore", None):
        raise ShapeError(f"the answer {answer!r} is none of accept, reject and ignore; correct it")
    answers = _answers(record, answer)
    meta = record.get("meta") or {}
    texts = {
        name: value
        for name, value in record.items()
        if name not in PRODIGY_KEYS and not name.startswith("_")
    }
    about = {key: meta[key] for key in ABOUT_DOCUMENTS if key in meta}
    base: dict[str, Any] = {"id": record.get("_input_hash"), **texts, **about}
    key = json.dumps([base["id"], texts], sort_keys=True)
    judgements = held.setdefault(key, Judgements(position, base))
    for label, yes in answers.items():
        judgements.answered(label, yes=yes)
    chose_freely = "accept" in record and not record.get("options") and bool(answers)
    judgements.exhaustive |= chose_freely or meta.get(NOT_LABELS) == ALL_OTHERS


def _answers(record: Record, answer: str | None) -> dict[str, bool]:
    """Return the labels that a record answers, with True for those that are accepted."""
    if answer == "accept" and "accept" in record:
        options = {each["id"]: each for each in record.get("options") or ()}
        chosen = record["accept"] if isinstance(record["accept"], list) else [record["accept"]]
        offered = dict.fromkeys([*chosen, *options])
        return {_option_name(option, options): option in chosen for option in offered}
    if answer in ("accept", "reject") and isinstance(record.get("label"), str):
        return {record["label"]: answer == "accept"}
    return {}


def _option_name(option: object, options: Mapping[object, Record]) -> str:
    """Return the id of an option if it is a name, else its text."""
    if isinstance(option, str):
        return option
    return str(options.get(option, {}).get("text", option))


def _sniff_prodigy(head: Head, options: ReadOptions) -> bool:  # noqa: ARG001
    """Return True if the first line is an object with an answer or a hash of Prodigy."""
    first = head.lines[0] if head.lines else ""
    return first.lstrip().startswith("{") and PRODIGY_SIGN.search(first) is not None


def _prodigy_encoder(options: WriteOptions) -> Encode:  # noqa: ARG001 - one signature for all
    """Write a line for each label: accepted, rejected, or a question with a score.

    A document without any is a line with its text.
    """

    def encode(document: Document) -> bytes:
        check_names(document)
        meta: dict[str, object] = {"id": document.id, **about(document)}
        if document.not_labels is None and document.labels and not document.probabilities:
            meta[NOT_LABELS] = ALL_OTHERS
        answers: list[dict[str, object]] = [
            {"label": label, "answer": "accept"}
            for label in document.labels
            if label not in document.probabilities
        ]
        answers += [{"label": label, "answer": "reject"} for label in document.not_labels or ()]
        answers += [
            {"label": label, "score": chance} for label, chance in document.probabilities.items()
        ]
        text = joined(document)
        return b"\n".join(
            json_bytes({"text": text, **answer, "meta": meta}) for answer in answers or [{}]
        )

    return encode


PRODIGY = Format(
    name="prodigy",
    extensions=(),
    description="Prodigy: JSON Lines with label and answer, or options and accept",
    read=_read_prodigy,
    options=TABLE_OPTIONS | {"encoding"},
    sniff=_sniff_prodigy,
    write=line_writer(_prodigy_encoder),
    drops=("field names", "probabilities of labels, which become questions"),
)

"""Texts and labels from Python, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from numbers import Real
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.vectors.fields import Text, held

Texts = Sequence[Text] | Mapping[str, Sequence[Text]]

ONE_FIELD = "text"
RULE = "labels are a list of str for each text, as [['sport'], ['weather', 'sport'], []]"
INDICATOR = (
    "of an indicator of 0 and 1, inverse_transform of scikit-learn's MultiLabelBinarizer makes "
    "such lists"
)
SHOWN = 60

_ABSENT: Any = object()


def decoded(text: Any, rule: str = "") -> str:  # noqa: ANN401 - whatever the caller gave
    """A text as the vectorizer would read it; what is none is refused."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        raise UsageError(f"{rule}a text is a str, not {_shown(text)}")
    return text


def documents_of(texts: Texts) -> Iterator[Document]:
    """A document of each text, or of each row of a mapping of fields."""
    if isinstance(texts, (str, bytes)):
        raise UsageError("expected a sequence of texts, received one text: wrap it in a list")
    given: Mapping[str, Sequence[Text]] = (
        texts if isinstance(texts, Mapping) else {ONE_FIELD: texts}
    )
    columns = {name: held(column) for name, column in given.items()}
    counts = {name: len(column) for name, column in columns.items()}
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise UsageError(f"every field needs a text for each document; there are: {shown}")
    for number, row in enumerate(zip(*columns.values(), strict=True)):
        place = f"text {number}: "
        fields = {name: decoded(text, place) for name, text in zip(columns, row, strict=True)}
        yield Document(id=str(number), fields=fields)


def labelled(texts: Texts, labels: Iterable[Iterable[str]]) -> Iterator[Document]:
    """A document of each text with its labels; there must be some."""
    if not isinstance(labels, Iterable):
        raise UsageError(f"{RULE}; received {_shown(labels)}")
    if sp.issparse(labels):
        raise UsageError(f"{RULE}; received a sparse matrix: {INDICATOR}")
    is_empty = True
    for document, given in zip_longest(documents_of(texts), labels, fillvalue=_ABSENT):
        if document is _ABSENT or given is _ABSENT:
            more = "labels than texts" if document is _ABSENT else "texts than labels"
            raise UsageError(f"every text needs its labels: there are more {more}")
        yield replace(document, labels=_names(document.id, given))
        is_empty = False
    if is_empty:
        raise UsageError("there is no text to learn from: give some, and the labels of each")


def checked_documents(
    documents: Iterable[Document], door: str = "fit_documents"
) -> Iterable[Document]:
    """The same documents; whatever else is refused, by the name of the door, with the way to them.

    What is named fit_documents or update_documents has a brother that takes texts and labels.
    """
    if isinstance(documents, (str, bytes, Path)):
        raise UsageError(
            f"{door} takes documents, not where they are: open it: "
            f"postil.open_corpus({str(documents)!r})"
        )
    return _documents_alone(documents, door)


def _documents_alone(documents: Iterable[Document], door: str) -> Iterator[Document]:
    for document in documents:
        if not isinstance(document, Document):
            raise UsageError(
                f"{door} takes postil.Document, not {_shown(document)}: give texts and "
                f"labels to {door.removesuffix('_documents')}"
            )
        yield document


def _names(text: str, given: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the caller gave
    if isinstance(given, str):
        raise UsageError(f"text {text}: its labels are one string, {given!r}; wrap it in a list")
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(
            f"text {text}: its labels are {_shown(given)}; {RULE}: wrap what is one label for each "
            "text, [[str(label)] for label in labels]"
        )
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(
                f"text {text}: one of its labels is {_shown(name)}; {RULE}: {_way_out(names)}"
            )
    return names


def _way_out(names: Sequence[object]) -> str:
    if len(names) > 1 and all(isinstance(name, Real) and float(name) in (0, 1) for name in names):
        return INDICATOR
    return "give each a name, as str() does"


def _shown(value: object) -> str:
    shown = " ".join(repr(value).split())
    if len(shown) > SHOWN:
        shown = f"{shown[:SHOWN]}…"
    return f"{shown} ({type(value).__name__})"

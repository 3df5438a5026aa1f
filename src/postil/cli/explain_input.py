"""The documents `postil explain` is asked about: from a corpus, or from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from postil.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.vectors.fields import Fields

STDIN = "-"
EXAMPLES = 3


def documents_with(corpus: Corpus, ids: Sequence[str]) -> list[Document]:
    """The documents of these ids, in that order, or the first of all; no further is read."""
    from postil.cli.progress import watched

    walk = iter(corpus)
    if not ids:
        first = next(walk, None)
        if first is None:
            raise CorpusError(f"{corpus.name} holds no document to explain")
        return [first]
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Document] = {}
    seen: list[str] = []
    for document in watched(walk, f"looking in {corpus.name}"):
        if len(seen) < EXAMPLES:
            seen.append(document.id)
        if document.id in wanted:
            found.setdefault(document.id, document)
            if len(found) == len(wanted):
                break
    missing = [name for name in wanted if name not in found]
    if missing:
        raise CorpusError(
            f"{corpus.name} has no document with the id {', '.join(map(repr, missing))}; "
            f"{_examples(seen)}"
        )
    return [found[name] for name in wanted]


def _examples(seen: Sequence[str]) -> str:
    if not seen:
        return "it holds no document at all"
    return f"its first are {', '.join(map(repr, seen))}"


def document_of(texts: Sequence[str], fields: Fields) -> Document:
    """A document of texts from the command line, each a text or FIELD=TEXT.

    A text with no field goes where it can mean one thing only: to the one field there is, or to
    the last of several that are joined anyway.
    """
    from postil.corpus.document import Document

    given: dict[str, str] = {}
    for field, text in _by_field(texts, fields):
        if field in given:
            raise UsageError(f"--text was given twice{f' for the field {field}' if field else ''}")
        given[field] = text
    if sum(text == STDIN for text in given.values()) > 1:
        raise UsageError("standard input can be only one of the texts")
    return Document("", {f: _from_stdin() if t == STDIN else t for f, t in given.items()})


def _by_field(texts: Sequence[str], fields: Fields) -> Iterator[tuple[str, str]]:
    for given in texts:
        field, equals, text = given.partition("=")
        if equals and field in fields.names:
            yield field, text
        elif fields.apart:
            shown = " ".join(f"--text {name}=…" for name in fields.names)
            raise UsageError(
                f"the model keeps the fields {', '.join(fields.names)} apart: say which one a "
                f"text is for, {shown}"
            )
        else:
            yield (fields.names[-1] if fields.names else ""), given


def _from_stdin() -> str:
    # As bytes, so that what is no UTF-8 is read as the vectorizer would read it.
    return sys.stdin.buffer.read().decode("utf-8", "replace")

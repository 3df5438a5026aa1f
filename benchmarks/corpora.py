"""The texts that are measured: real corpora, from where postil keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from benchmarks.harness import Line, Settings
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import CorpusError


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """The texts of a corpus: fields to join, and the reader's options."""

    title: str
    fields: tuple[str, ...]
    choices: Mapping[str, object]


REUTERS = "reuters-modapte"

CORPORA: Mapping[str, CorpusTexts] = {
    REUTERS: CorpusTexts("Reuters", ("title", "body"), {}),
    # Whole articles with their headers: the text others measure, 130,107 terms of it.
    "20news-bydate": CorpusTexts(
        "20 Newsgroups", ("headers", "subject", "body"), {"strip_headers": False}
    ),
}


@dataclass(frozen=True)
class Texts:
    """The training texts of a corpus, in memory."""

    title: str
    held: list[str]

    @cached_property
    def megabytes(self) -> float:
        """The size of the texts in UTF-8, in millions of bytes."""
        return sum(len(text.encode()) for text in self.held) / 1e6


@lru_cache(maxsize=1)
def texts_of(name: str, documents: int | None) -> Texts:
    """Read the training texts of a corpus, fields joined; the last corpus read is kept."""
    corpus = CORPORA[name]
    train = open_corpus(name, choices=corpus.choices).only("train")
    held = [_joined(document, corpus.fields) for document in islice(train, documents)]
    return Texts(corpus.title, held)


def _joined(document: Document, fields: tuple[str, ...]) -> str:
    return "\n".join(text for field in fields if (text := document.fields.get(field)))


def on_each_corpus(
    settings: Settings, measure: Callable[[Texts, Settings], Iterator[Line]]
) -> Iterator[Line]:
    """Measure on every corpus; one that is absent becomes a remark that says how to get it."""
    for name in CORPORA:
        try:
            texts = texts_of(name, settings.documents)
        except CorpusError as error:
            yield f"Left out: {error}."
            continue
        yield from measure(texts, settings)

"""Collections with one category a document: their pages and articles, and accuracy over splits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from postil.corpus.document import Document
from postil.corpus.files.archives import Member, decode_latin1, members
from postil.corpus.named import industry_sector, webkb
from postil.corpus.named.registry import named, open_named
from postil.corpus.opening import open_corpus
from postil.errors import DocumentError, UsageError
from postil.model.model import Model
from postil.recipes.recipe import Recipe
from postil_papers.harness import random_order, trained

WEBKB, SECTOR, NEWSGROUPS = "webkb", "industry-sector", "20news-19997"
# The corpora of web pages, and the id of a page by its file.
PAGE_IDS: Mapping[str, Callable[[Member], str]] = {
    WEBKB: webkb.page_id,
    SECTOR: industry_sector.page_id,
}
_HEADER = re.compile(r"[A-Za-z][\w -]*+:.*?(?=\n\n)", re.DOTALL)


def with_headers(
    pages: Iterable[Document], place: Path, page_id: Callable[[Member], str]
) -> Iterator[Document]:
    """Yield pages with the field ``headers`` from the archive at ``place``.

    Title and words of the page become the field ``body``. ``page_id`` gives the id of a page.
    """
    headers = dict(_headers(place, page_id))
    for page in pages:
        body = f"{page.fields['title']}\n{page.fields['body']}"
        fields = {"headers": headers.get(page.id, ""), "body": body}
        yield Document(page.id, fields, page.labels, page.split)


def _headers(place: Path, page_id: Callable[[Member], str]) -> Iterator[tuple[str, str]]:
    """Yield the header of each file by its id."""
    for member in members(place):
        try:
            found = _HEADER.match(decode_latin1(member.read()))
        except DocumentError:
            continue  # the corpus itself reports it
        if found:
            yield page_id(member), found.group()


@lru_cache(maxsize=1)
def all_documents(corpus: str) -> tuple[Document, ...]:
    """Return all documents, web pages and those of 20 Newsgroups with their headers.

    The last corpus stays in memory for the next method.
    """
    if corpus in PAGE_IDS:
        place = named(corpus).find()
        return tuple(with_headers(open_named(corpus), place, PAGE_IDS[corpus]))
    choices = {"strip_headers": False} if corpus == NEWSGROUPS else {}
    return tuple(open_corpus(corpus, choices=choices))


def random_splits(
    documents: Sequence[Document], splits: int, test_share: float
) -> Iterator[list[Document]]:
    """Yield all documents for each split, a random share marked as test; its number is its seed."""
    for seed in range(splits):
        drawn = random_order(len(documents), seed)
        tested = set(drawn[: round(test_share * len(documents))])
        yield [
            replace(document, split="test" if place in tested else "train")
            for place, document in enumerate(documents)
        ]


def random_folds(
    documents: Sequence[Document], folds: int, seed: int = 0
) -> Iterator[list[Document]]:
    """Yield all documents for each random fold, those of the fold marked as test.

    They come in the order they were drawn in: the corpus is sorted by category, and updates that
    see one category after the other forget the first.
    """
    ordered = [documents[place] for place in random_order(len(documents), seed)]
    for fold in range(folds):
        yield [
            replace(document, split="test" if rank % folds == fold else "train")
            for rank, document in enumerate(ordered)
        ]


def accuracies(
    parts: Iterable[Sequence[Document]], recipe: Recipe, title: str
) -> tuple[list[float], list[Model]]:
    """Train and test on each part; return the accuracies in percent, and the models."""
    found, models = [], []
    for number, documents in enumerate(parts, 1):
        model, tested = trained(documents, recipe, title=f"{title} {number}")
        if tested.report.accuracy is None:
            raise UsageError("accuracy is of documents with exactly one category each")
        found.append(100 * tested.report.accuracy)
        models.append(model)
    return found, models

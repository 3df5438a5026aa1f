"""The collections of section 5: their documents, their categories, and the way to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.named.webkb import MISCELLANEOUS
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe

Documents: TypeAlias = Iterable[Document]
DEPARTMENT, OTHER = "department", "other"


def labelled(corpus: Corpus) -> Iterator[Document]:
    """Yield documents with a category that training and test documents share.

    Other labels are dropped, which leaves 90 categories of Reuters. Costs two passes.
    """
    seen: dict[str | None, set[str]] = {}
    for document in corpus:
        seen.setdefault(document.split, set()).update(document.labels)
    shared = seen.get("train", set()) & seen.get("test", set())
    for document in corpus:
        labels = tuple(label for label in document.labels if label in shared)
        if labels:
            yield replace(document, labels=labels)


def as_published(corpus: Corpus) -> Iterator[Document]:
    """Yield the same with < and & as in the published copy of the 90 categories (ApteMod).

    That was cut out of the marked-up files as they are: ``GAF Corp &lt;GAF>``. So lt is a word
    there, of stories on companies.
    """
    for document in labelled(corpus):
        fields = {
            name: text.replace("&", "&amp;").replace("<", "&lt;")
            for name, text in document.fields.items()
        }
        yield replace(document, fields=fields)


def with_titles_twice(corpus: Corpus) -> Iterator[Document]:
    """Yield the same with the headline in the story, too."""
    for document in labelled(corpus):
        fields = document.fields
        body = f"{fields.get('title', '')}\n{fields.get('body', '')}"
        yield replace(document, fields={**fields, "body": body})


def swapped(corpus: Corpus) -> Iterator[Document]:
    """Yield documents with training and test swapped (section 5, RCV1)."""
    for document in corpus:
        yield replace(document, split="train" if document.split == "test" else "test")


def with_archives(corpus: Corpus) -> Iterator[Document]:
    """Yield training documents of arXiv, those of ``math.AG`` in ``math.*`` too.

    The archives are the top of a hierarchy, as the four codes of RCV1 are.
    """
    for document in corpus:
        if document.split != "test":
            above = (f"{label.partition('.')[0]}.*" for label in document.labels if "." in label)
            yield replace(document, labels=tuple(dict.fromkeys([*document.labels, *above])))


def four_universities(pages: Documents) -> Iterator[Document]:
    """Yield the pages of the four universities, without those from elsewhere."""
    return (page for page in pages if page.id.split("/")[1] != MISCELLANEOUS)


def without(label: str, pages: Documents) -> Iterator[Document]:
    """Yield the pages of all classes but one."""
    return (page for page in pages if label not in page.labels)


def department_as_other(corpus: Corpus) -> Iterator[Document]:
    """Yield the pages of the four universities, those of departments as other."""
    for page in four_universities(corpus):
        yield replace(page, labels=(OTHER,)) if DEPARTMENT in page.labels else page


# The readings of Univ-6; the first is taken.
UNIV_6_READERS: dict[str, Callable[[Corpus], Documents]] = {
    "four universities, without department": lambda corpus: without(
        DEPARTMENT, four_universities(corpus)
    ),
    "four universities, department as other": department_as_other,
    "all pages, without department": lambda corpus: without(DEPARTMENT, corpus),
    "all pages, without other": lambda corpus: without(OTHER, corpus),
}
READERS: dict[str, Callable[[Corpus], Documents]] = {
    "labelled": labelled,
    "as published": as_published,
    "titles twice": with_titles_twice,
    "swapped": swapped,
    "with archives": with_archives,
    **UNIV_6_READERS,
}


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection by the paper's name: a corpus, a reader of ``READERS``, and its categories.

    ``reading`` replaces entries of a recipe's ``[representation]``.
    """

    name: str
    corpus: str
    reader: str
    categories: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def read_by(self, recipe: Recipe) -> Recipe:
        """Return the recipe for the texts of this collection."""
        return replace(recipe, representation=replace(recipe.representation, **self.reading))

    def documents(self) -> Documents:
        """Return the documents; each call walks the corpus again."""
        return READERS[self.reader](open_corpus(self.corpus))


# Headlines and stories; the words that a reader of a page sees, its title among them; titles and
# abstracts. The paper does not say how its texts were read: this was chosen before any result was
# seen, and the recipes say it. texts.py has other readings, with the errors of each on training
# documents.
WORDS = "letters lower stop(smart) stem(porter)"
TEXTS = {"analyzer": WORDS, "fields": ("title", "body"), "apart": False}
# The documents of RCV1 are stems already, in one field, in which nothing stands apart.
STEMS = {"analyzer": "whitespace", "fields": ("body",), "apart": False}

REUTERS = Collection(
    "Reuters-21578", "reuters-modapte", "labelled", ("earn", "acq", "money-fx", "grain"), TEXTS
)
RCV1 = Collection("RCV1", "rcv1-v2", "swapped", ("CCAT", "ECAT", "GCAT", "MCAT"), STEMS)
UNIV_6 = Collection("Univ-6", "webkb", next(iter(UNIV_6_READERS)), (), TEXTS)
# Not in the paper: its largest archive, and its largest category that is not one of that.
ARXIV = Collection("arXiv", "arxiv-120k", "with archives", ("math.*", "math-ph"), TEXTS)
